import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { createPool, isConnectionLoss, resolveProgramIdentity, sql, type Pool } from '@holdfast/postgres'
import { readBaseBackup } from '@holdfast/replication'
import { freePort } from '@holdfast/test-support'

/** A physical standby of a Postgres of the tests, in a process of its own. */
export interface Standby extends AsyncDisposable {
  /** As the superuser, in the same database. */
  readonly url: string
  readonly pool: Pool
  /** Stops all of its processes with SIGSTOP until `thaw`. */
  freeze(): Promise<void>
  thaw(): void
  /** Ends all of its processes with SIGKILL. */
  kill(): Promise<void>
}

/** Settings that a standby must not have lower than its primary. */
const SHARED_SETTINGS = [
  'max_connections',
  'max_worker_processes',
  'max_wal_senders',
  'max_prepared_transactions',
  'max_locks_per_transaction',
]

/** Copies the Postgres of a database, and starts the copy as its standby. @param url - as the superuser */
export async function openStandby(url: string): Promise<Standby> {
  await using primary = createPool({ url, applicationName: 'test standby', connectionsMax: 1 })
  const home = mkdtempSync(join(tmpdir(), 'holdfast-standby-'))
  chmodSync(home, 0o711) // when root runs the tests, Postgres is another user, who has to pass
  const dataDir = join(home, 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  await copyData(url, dataDir)
  const port = await freePort()
  writeFileSync(join(dataDir, 'standby.signal'), '')
  const from = new URL(url)
  appendFileSync(
    join(dataDir, 'postgresql.auto.conf'),
    `\nprimary_conninfo = 'host=${from.hostname} port=${from.port} user=${from.username} password=${decodeURIComponent(from.password)}'\n`,
  )
  const child = await start(primary, dataDir, port)
  const address = new URL(url)
  address.port = String(port)
  const pool = createPool({ url: address.href, applicationName: 'test standby', connectionsMax: 2 })
  await untilAnswering(pool, child)
  let frozen: readonly number[] = []
  const signalAll = (pids: readonly number[], signal: NodeJS.Signals): void => {
    for (const pid of pids) process.kill(pid, signal)
  }
  return {
    url: address.href,
    pool,
    async freeze() {
      frozen = [child.pid as number, ...(await backendsOf(pool))]
      signalAll(frozen, 'SIGSTOP')
    },
    thaw() {
      signalAll(frozen, 'SIGCONT')
      frozen = []
    },
    async kill() {
      const backends = await backendsOf(pool)
      const exited = once(child, 'exit')
      signalAll([child.pid as number, ...backends], 'SIGKILL')
      await exited
    },
    async [Symbol.asyncDispose]() {
      await pool[Symbol.asyncDispose]()
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit')
        signalAll(frozen, 'SIGCONT')
        child.kill('SIGQUIT')
        await exited
      }
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function copyData(url: string, dataDir: string): Promise<void> {
  const tar = spawn('tar', ['-x', '-C', dataDir], { stdio: ['pipe', 'ignore', 'inherit'] })
  const exited = once(tar, 'exit')
  await pipeline(Readable.from(archiveBytes(url), { objectMode: false }), tar.stdin)
  const [code] = await exited
  if (code !== 0) throw new Error('the base backup could not be unpacked')
}

async function* archiveBytes(url: string): AsyncGenerator<Buffer, void, void> {
  for await (const part of readBaseBackup({ url, label: 'test standby' })) {
    if (part.kind === 'manifest') return
    if (part.kind === 'data') yield part.bytes
  }
}

async function start(primary: Pool, dataDir: string, port: number): Promise<ChildProcess> {
  const [server] = await primary.query<{ bin: string }>(
    sql`select setting as bin from pg_catalog.pg_config where name = 'BINDIR'`,
  )
  const shared = await primary.query<{ name: string; setting: string }>(
    sql`select name, setting from pg_catalog.pg_settings where name = any(${SHARED_SETTINGS}::text[])`,
  )
  const postgres = join(server?.bin ?? '', 'postgres')
  // The archive has the owner of the primary's files.
  const { uid, gid } = statSync(join(dataDir, 'PG_VERSION'))
  chownSync(dataDir, uid, gid)
  const { user, prefix } = resolveProgramIdentity(dataDir, [{ path: postgres, bits: 0o5 }])
  const settings = {
    ...Object.fromEntries(shared.map(({ name, setting }) => [name, setting])),
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    wal_level: 'logical',
    fsync: 'off',
    cluster_name: 'holdfast test standby',
  }
  const command = [
    ...prefix,
    postgres,
    '-D',
    dataDir,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  return spawn(command[0] ?? '', command.slice(1), { ...user, cwd: dataDir, stdio: 'ignore' })
}

async function untilAnswering(pool: Pool, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the standby ended with ${child.exitCode}`)
    try {
      await pool.query(sql`select 1`)
      return
    } catch (error) {
      if (!isConnectionLoss(error)) throw error
      await setTimeout(50)
    }
  }
}

/** Returns the processes of a server, without the one that answers. */
async function backendsOf(pool: Pool): Promise<readonly number[]> {
  const rows = await pool.query<{ pid: number }>(
    sql`select pid from pg_catalog.pg_stat_activity where pid <> pg_backend_pid()`,
  )
  return rows.map(({ pid }) => pid)
}
