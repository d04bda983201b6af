import { spawn, type ChildProcess } from 'node:child_process'
import { appendFileSync, chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Binaries } from './binaries.ts'
import { endWithProcess } from './end-with-process.ts'
import { diskFull, folderUnspeakable, startFailed } from './errors.ts'
import { giveFolder, ownerOf, resolveInitIdentity, type Identity } from './identity.ts'
import { childEnvironment } from './postmaster.ts'
import { endLeftoverInitdb } from './recover.ts'

export interface InitOptions {
  readonly binaries: Binaries
  /** Final owner of the database. */
  readonly identity: Identity
  /** Final location of the database files. Must not exist. */
  readonly databaseDir: string
  /** Path of the settings file, as included in `postgresql.conf`. */
  readonly includeFile: string
  readonly superuser: string
  readonly superuserPassword: string
  /** Whether to sync the new files to disk. */
  readonly durable: boolean
  /** Cancels and stops all processes. */
  readonly signal?: AbortSignal | undefined
  /** Called when `initdb` is running. */
  readonly onSpawned?: (() => void) | undefined
}

/** Creates a new cluster: UTF-8, sorted by code point, SCRAM passwords. The folder appears atomically, so a crash leaves nothing that looks like a database. */
export async function initDatabase(options: InitOptions): Promise<void> {
  const { binaries, identity, databaseDir } = options
  const maker = resolveInitIdentity(binaries, databaseDir)
  const unfinished = `${databaseDir}.new`
  const passwordFile = `${databaseDir}.password`
  const pgdata = `--pgdata=${unfinished}`
  await endLeftoverInitdb(pgdata)
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  giveFolder(unfinished, maker)
  try {
    writeFileSync(passwordFile, options.superuserPassword, { mode: 0o600 })
    const owner = ownerOf(maker)
    if (owner) chownSync(passwordFile, owner.uid, owner.gid)
    const argv = [
      pgdata,
      `--username=${options.superuser}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(options.durable ? [] : ['--no-sync']),
    ]
    await runInitdb({ binaries, identity: maker, argv, signal: options.signal, onSpawned: options.onSpawned })
  } finally {
    rmSync(passwordFile, { force: true })
  }
  appendFileSync(
    `${unfinished}/postgresql.conf`,
    `\ninclude_if_exists = '${options.includeFile.replaceAll("'", "''")}'\n`,
  )
  giveFolder(unfinished, identity)
  renameSync(unfinished, databaseDir)
}

interface Initdb {
  readonly binaries: Binaries
  readonly identity: Identity
  readonly argv: readonly string[]
  readonly signal: AbortSignal | undefined
  readonly onSpawned: (() => void) | undefined
}

async function runInitdb({ binaries, identity, argv, signal, onSpawned }: Initdb): Promise<void> {
  signal?.throwIfAborted()
  if (process.platform !== 'win32' && /["$`\\]/.test(binaries.initdb)) throw folderUnspeakable(dirname(binaries.initdb))
  const command = [...identity.prefix, binaries.initdb, ...argv]
  const child = spawn(command[0] ?? '', command.slice(1), {
    ...identity.user,
    cwd: '/',
    // A separate process group that ends as a whole, because initdb runs Postgres. Ctrl-C in a terminal is for this process.
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'ignore', 'pipe'],
    windowsHide: true,
    env: childEnvironment(),
  })
  const end = (): void => endGroup(child)
  endWithProcess(child, end)
  onSpawned?.()
  signal?.addEventListener('abort', end, { once: true })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => reject(startFailed('The Postgres binaries cannot be run.', [error.message], error)))
    child.once('close', resolve)
  })
  signal?.removeEventListener('abort', end)
  signal?.throwIfAborted()
  if (code === 0) return
  const lines = errors.trim().split('\n').slice(-15)
  throw /No space left on device/.test(errors)
    ? diskFull(lines)
    : startFailed('A new database could not be made.', lines)
}

/** The next start deletes initdb's leftovers, so it may end at any point. */
function endGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  if (process.platform === 'win32') child.kill('SIGKILL')
  else process.kill(-child.pid, 'SIGKILL')
}
