import { execFile, spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { extract } from 'tar'
import { vi } from 'vitest'
import { resolveProgramIdentity, sql, type Pool } from '@holdfast/postgres'
import { readBaseBackup } from '@holdfast/replication'
import { freePort, type Holdfast } from '@holdfast/test-support'

/** Name of the standby, for which commits wait. */
const STANDBY = 'standby'

/** Restarts the Postgres of a server that no longer runs, without a shutdown checkpoint. */
export async function restartPostgres({ dataDir, internal }: Holdfast): Promise<void> {
  const folder = join(dataDir, 'postgres')
  const command = readCommand(folder)
  await stopPostgres(folder, 'SIGQUIT')
  startPostgres(folder, command)
  await untilUp(internal)
}

/** A physical replica of a server's Postgres, on another port. */
export interface Standby extends AsyncDisposable {
  /** Kills the primary; the replica takes over its address. Nothing that was acknowledged is lost. */
  takeOver(): Promise<void>
}

/** Starts a replica of the Postgres of a server that no longer runs. From then on, commits wait for the replica. */
export async function openStandby({ dataDir, internal, internalUrl }: Holdfast): Promise<Standby> {
  const primary = join(dataDir, 'postgres')
  const folder = join(dataDir, STANDBY)
  const command = readCommand(primary).map((word) => (word === primary ? folder : word))
  mkdirSync(folder, { mode: 0o700 })
  await pipeline(Readable.from(readArchive(internalUrl)), extract({ cwd: folder }))
  const { hostname, port, username, password } = new URL(internalUrl)
  appendFileSync(
    join(folder, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)} application_name=${STANDBY}'\n`,
  )
  writeFileSync(join(folder, 'standby.signal'), '')
  const { uid, gid } = statSync(primary)
  await promisify(execFile)('chown', ['-R', `${uid}:${gid}`, folder])
  const ownPort = await freePort()
  startPostgres(folder, [...command, '-c', `port=${ownPort}`])
  const isStreaming = async (): Promise<boolean> => {
    const [row] = await internal.query(sql`
      select from pg_catalog.pg_stat_replication where application_name = ${STANDBY} and state = 'streaming'`)
    return row !== undefined
  }
  await vi.waitUntil(isStreaming, { timeout: 30_000 })
  await internal.withClient(async (client) => {
    await client.query(`alter system set synchronous_standby_names = '${STANDBY}'`)
    await client.query('select pg_reload_conf()')
  })
  return {
    async takeOver() {
      await stopPostgres(primary, 'SIGQUIT')
      await stopPostgres(folder, 'SIGINT')
      startPostgres(folder, command)
      await untilUp(internal)
      await internal.query(sql`select pg_promote()`)
    },
    [Symbol.asyncDispose]: () => stopPostgres(folder, 'SIGQUIT'),
  }
}

/** Reads the base backup as a tar archive. */
async function* readArchive(url: string): AsyncGenerator<Buffer, void, void> {
  let isBase = false
  for await (const part of readBaseBackup({ url, label: STANDBY })) {
    if (part.kind !== 'data') isBase = part.kind === 'archive' && part.name === 'base.tar'
    else if (isBase) yield part.bytes
  }
}

/** Returns the command that started the Postgres of a folder. */
function readCommand(folder: string): readonly string[] {
  const opts = readFileSync(join(folder, 'postmaster.opts'), 'utf8').trim()
  return [...opts.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '')
}

function startPostgres(folder: string, command: readonly string[]): void {
  const { user, prefix } = resolveProgramIdentity(folder, [
    { path: dirname(folder), bits: 0o1 },
    { path: command[0] ?? '', bits: 0o5 },
  ])
  const [program = '', ...args] = [...prefix, ...command]
  spawn(program, args, { cwd: folder, stdio: 'ignore', detached: true, env: { LC_ALL: 'C', TZ: 'UTC' }, ...user })
}

/** Ends the Postgres of a folder and waits until it is gone. */
async function stopPostgres(folder: string, signal: 'SIGQUIT' | 'SIGINT'): Promise<void> {
  const file = join(folder, 'postmaster.pid')
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  process.kill(pid, signal)
  await vi.waitUntil(() => !isRunning(pid), { timeout: 30_000 })
  rmSync(file, { force: true })
}

async function untilUp(pool: Pool): Promise<void> {
  const isUp = (): Promise<boolean> =>
    pool.query(sql`select 1`).then(
      () => true,
      () => false,
    )
  await vi.waitUntil(isUp, { timeout: 60_000 })
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
