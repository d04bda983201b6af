import { spawn } from 'node:child_process'
import { appendFileSync, chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Binaries } from './binaries.ts'
import { SUPERUSER } from './cluster.ts'
import { diskFull, startFailed } from './errors.ts'
import { giveFolder, ownerOf, resolveInitIdentity, type Identity } from './identity.ts'
import { childEnvironment } from './postmaster.ts'

export interface InitOptions {
  readonly binaries: Binaries
  /** Whose the database is in the end. */
  readonly identity: Identity
  /** Where the database files end up. Must not exist. */
  readonly databaseDir: string
  /** Path of our settings file, as the database's `postgresql.conf` includes it. */
  readonly includeFile: string
  readonly superuserPassword: string
  /** Whether the new files reach the disk before this returns. */
  readonly durable: boolean
}

/**
 * Makes the files of a new cluster: UTF-8, sorted by code point, passwords by SCRAM. The folder appears whole under its name or not at all,
 * so a crash in between leaves nothing that looks like a database.
 */
export async function initDatabase(options: InitOptions): Promise<void> {
  const { binaries, identity, databaseDir } = options
  const maker = resolveInitIdentity(binaries, databaseDir)
  const unfinished = `${databaseDir}.new`
  const passwordFile = `${databaseDir}.password`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  giveFolder(unfinished, maker)
  try {
    writeFileSync(passwordFile, options.superuserPassword, { mode: 0o600 })
    const owner = ownerOf(maker)
    if (owner) chownSync(passwordFile, owner.uid, owner.gid)
    await runInitdb(binaries, maker, [
      `--pgdata=${unfinished}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(options.durable ? [] : ['--no-sync']),
    ])
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

async function runInitdb(binaries: Binaries, identity: Identity, options: readonly string[]): Promise<void> {
  const command = [...identity.prefix, binaries.initdb, ...options]
  const child = spawn(command[0] ?? '', command.slice(1), {
    ...identity.user,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
    windowsHide: true,
    env: childEnvironment(),
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => reject(startFailed('The Postgres binaries cannot be run.', [error.message], error)))
    child.once('close', resolve)
  })
  if (code === 0) return
  const lines = errors.trim().split('\n').slice(-15)
  throw /No space left on device/.test(errors)
    ? diskFull(lines)
    : startFailed('A new database could not be made.', lines)
}
