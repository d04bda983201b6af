import { execFile, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { delay, type Logger, silentLogger } from '@holdfast/foundation'
import { createPool, type Pool } from '../../src/connection/pool.ts'
import { isConnectionLoss } from '../../src/connection/sqlstate.ts'
import { sql } from '../../src/sql/sql.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { openEmbeddedCluster } from '../../src/cluster/embedded-cluster.ts'
import { ownerOf, resolveIdentity } from '../../src/cluster/identity.ts'
import { findBinaries } from '../../src/cluster/binaries.ts'
import { findProcess } from '../../src/cluster/processes.ts'

/**
 * User data survives any process failure, and Holdfast starts again without help: after a kill of child, parent or both, and with any leftovers in the data
 * folder. Conditions it cannot start from are reported.
 */
const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-cluster-'))
  folders.push(folder)
  chmodSync(folder, 0o755) // mkdtemp creates folders that other users cannot enter
  return join(folder, 'data')
}

/** A cluster started once and stopped; created by the first test that needs one. */
let used: Promise<string> | undefined

/** A data folder after a normal stop. All share the same secrets within a run. */
async function usedFolder(): Promise<string> {
  const dataDir = newFolder()
  await promisify(execFile)('cp', ['-a', await (used ??= makeUsedFolder()), dataDir]) // with owners: under root Postgres has a dedicated user
  return dataDir
}

async function makeUsedFolder(): Promise<string> {
  const dataDir = newFolder()
  folders.pop() // kept for all tests
  await (await open(dataDir))[Symbol.asyncDispose]()
  return dataDir
}

afterAll(async () => {
  if (used) rmSync(dirname(await used), { recursive: true, force: true })
})

function open(dataDir: string, port = 0): Promise<Cluster> {
  return openEmbeddedCluster({ dataDir, port, logger: silentLogger, durable: false })
}

function poolOf(cluster: Cluster): Pool {
  return createPool({ url: cluster.internalUrl, applicationName: 'test', connectionsMax: 2 })
}

function postmasterPid(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('did not happen in time')
    await delay(20)
  }
}

/** A process of Postgres's user on a folder, and its zombie child, which is reaped when the shell ends. */
async function startStranger(dataDir: string): Promise<{ pid: number; zombiePid: number; stop: () => void }> {
  const owner = ownerOf(resolveIdentity(findBinaries(), join(dataDir, 'postgres')))
  const stranger = spawn('/bin/sh', ['-c', 'sleep 0.5 & echo $!; exec sleep 60'], {
    ...owner,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const zombiePid = await new Promise<number>((resolve) =>
    stranger.stdout.once('data', (data: Buffer) => resolve(Number(data.toString()))),
  )
  await until(
    () => existsSync(`/proc/${zombiePid}/stat`) && /\) Z /.test(readFileSync(`/proc/${zombiePid}/stat`, 'utf8')),
  )
  return { pid: stranger.pid ?? -1, zombiePid, stop: () => stranger.kill('SIGKILL') }
}

describe('a data folder', () => {
  test('keeps database and passwords from one start to the next, and leaves no process behind', async () => {
    const dataDir = newFolder()
    const first = await open(dataDir)
    const pid = postmasterPid(dataDir)
    {
      await using pool = poolOf(first)
      await pool.execute(sql`create table public.kept as select 42 as answer`)
    }
    await first[Symbol.asyncDispose]()
    expect(findProcess(pid)).toBeUndefined()
    expect(existsSync(join(dataDir, 'lock'))).toBe(false)

    await using second = await open(dataDir)
    await using pool = poolOf(second)
    expect(await pool.query(sql`select answer from public.kept`)).toEqual([{ answer: 42 }])
    expect(new URL(second.adminUrl).password).toBe(new URL(first.adminUrl).password)
  })

  test('has its secrets readable by the owner only, and Postgres asks for them', async () => {
    const dataDir = await usedFolder()
    await using cluster = await open(dataDir)
    expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600)
    expect(statSync(join(dataDir, 'postgres')).mode & 0o077).toBe(0)
    const url = new URL(cluster.internalUrl)
    url.password = 'wrong'
    await using stranger = createPool({ url: url.href, applicationName: 'test', connectionsMax: 1 })
    await expect(stranger.query(sql`select 1`)).rejects.toMatchObject({ code: '28P01' })
    await using pool = poolOf(cluster)
    expect(
      await pool.query(sql`select current_setting('wal_level') as wal, current_setting('listen_addresses') as listen`),
    ).toEqual([{ wal: 'logical', listen: '127.0.0.1' }])
    if (process.getuid?.() === 0)
      expect(readFileSync(`/proc/${postmasterPid(dataDir)}/status`, 'utf8')).toMatch(/^Uid:\s+[1-9]/m)
  })

  test('belongs to one process at a time', async () => {
    const dataDir = await usedFolder()
    await using cluster = await open(dataDir)
    expect(cluster.isUp()).toBe(true)
    await expect(open(dataDir)).rejects.toMatchObject({
      code: 'data_folder_in_use',
      message: expect.stringContaining(String(process.pid)) as string,
    })
  })

  test('is taken over from a process that is gone, also when its number was given away', async () => {
    const dataDir = await usedFolder()
    for (const holder of [
      { pid: 2 ** 22 + 1, startedAt: '1' },
      { pid: process.ppid, startedAt: '1' },
    ]) {
      writeFileSync(join(dataDir, 'lock'), JSON.stringify(holder))
      await (await open(dataDir))[Symbol.asyncDispose]()
    }
    writeFileSync(join(dataDir, 'lock'), '{"pi')
    await (await open(dataDir))[Symbol.asyncDispose]()
  })

  test('of another major version is refused, and not touched', async () => {
    const dataDir = newFolder()
    mkdirSync(join(dataDir, 'postgres'), { recursive: true })
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '16\n')
    await expect(open(dataDir)).rejects.toMatchObject({
      code: 'postgres_version_mismatch',
      message: expect.stringContaining('Postgres 16') as string,
    })
    expect(existsSync(join(dataDir, 'lock'))).toBe(false)
  })

  test('without its secrets is refused instead of getting new ones', async () => {
    const dataDir = await usedFolder()
    rmSync(join(dataDir, 'secrets.json'))
    await expect(open(dataDir)).rejects.toMatchObject({ code: 'secrets_missing' })
  })

  test('whose first start was cut off starts as if new', async () => {
    const dataDir = newFolder()
    mkdirSync(join(dataDir, 'postgres.new'), { recursive: true })
    writeFileSync(join(dataDir, 'postgres.new', 'PG_VERSION'), '18\n')
    await using cluster = await open(dataDir)
    expect(cluster.isUp()).toBe(true)
  })

  test('with a damaged database ends with what Postgres said', async () => {
    const dataDir = await usedFolder()
    writeFileSync(join(dataDir, 'postgres', 'global', 'pg_control'), 'x')
    await expect(open(dataDir)).rejects.toMatchObject({
      code: 'postgres_start_failed',
      detail: expect.stringContaining('pg_control') as string,
    })
  })
})

test.runIf(process.getuid?.() === 0 && existsSync('/usr/bin/setpriv'))(
  'a data folder that only root may enter works all the same, and Postgres is not root there either',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-cluster-'))
    folders.push(folder)
    chmodSync(folder, 0o700)
    const dataDir = join(folder, 'data')
    for (const round of [1, 2]) {
      await using cluster = await open(dataDir)
      await using pool = poolOf(cluster)
      expect(await pool.query(sql`select ${round}::int4 as round`)).toEqual([{ round }])
      expect(readFileSync(`/proc/${postmasterPid(dataDir)}/status`, 'utf8')).toMatch(/^Uid:\s+[1-9]/m)
    }
  },
)

test('a busy port is named before anything is created', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const dataDir = join(newFolder(), 'data')
  await expect(open(dataDir, port)).rejects.toMatchObject({
    code: 'postgres_port_busy',
    message: expect.stringContaining(String(port)) as string,
    hint: expect.stringContaining('--db-port') as string,
  })
  expect(existsSync(dataDir)).toBe(false)
  server.close()
})

test('a connection that is cut is warned of, but not when Postgres is stopped', async () => {
  const warnings: string[] = []
  const logger: Logger = { log: (level, message) => void (level === 'warn' && warnings.push(message)) }
  const cluster = await openEmbeddedCluster({ dataDir: await usedFolder(), port: 0, logger, durable: false })
  await using pool = poolOf(cluster)
  warnings.length = 0
  await expect(pool.query(sql`select pg_terminate_backend(pg_backend_pid())`)).rejects.toThrow()
  await until(() => warnings.length > 0)
  expect(warnings.splice(0)).toEqual(['FATAL:  terminating connection due to administrator command'])
  await pool.query(sql`select 1`)
  await cluster[Symbol.asyncDispose]()
  expect(warnings).toEqual([])
})

describe('after a crash', () => {
  test('a killed Postgres comes back, tells so, and the same pool goes on', async () => {
    const dataDir = await usedFolder()
    await using cluster = await open(dataDir)
    await using pool = poolOf(cluster)
    await pool.execute(sql`create table public.kept as select 1 as n`)
    let restarts = 0
    cluster.onRestart(() => (restarts += 1))
    for (let round = 1; round <= 3; round++) {
      process.kill(postmasterPid(dataDir), 'SIGKILL')
      await until(() => !cluster.isUp())
      await until(() => restarts === round)
      await until(async () => {
        try {
          return (await pool.query(sql`select n from public.kept`)).length === 1
        } catch (error) {
          if (!isConnectionLoss(error)) throw error
          return false
        }
      })
    }
  })

  test('a query that runs while Postgres dies fails as a lost connection', async () => {
    const dataDir = await usedFolder()
    await using cluster = await open(dataDir)
    await using pool = poolOf(cluster)
    const sleeping = pool.query(sql`select pg_sleep(30)`).catch((error: unknown) => error)
    await until(
      async () => (await pool.query(sql`select from pg_stat_activity where wait_event = 'PgSleep'`)).length === 1,
    )
    process.kill(postmasterPid(dataDir), 'SIGKILL')
    expect(isConnectionLoss(await sleeping)).toBe(true)
  })

  test('a query that keeps a processor busy delays the comeback of a killed Postgres by no more than a moment', async () => {
    const dataDir = newFolder()
    await using cluster = await open(dataDir)
    await using pool = poolOf(cluster)
    const busy = pool.query(sql`do $$ begin loop perform 1; end loop; end $$`).catch((error: unknown) => error)
    const running = (): Promise<{ pid: number }[]> =>
      pool.query<{ pid: number }>(
        sql`select pid from pg_stat_activity where query like 'do $$ begin loop%' and state = 'active'`,
      )
    await until(async () => (await running()).length === 1)
    const [backend] = await running()
    process.kill(postmasterPid(dataDir), 'SIGKILL')
    const killedAt = performance.now()
    await until(() => findProcess(backend?.pid ?? 0) === undefined)
    expect(performance.now() - killedAt).toBeLessThan(4_000)
    expect(isConnectionLoss(await busy)).toBe(true)
  })

  test('one killed backend takes the connections with it and nothing else', async () => {
    await using cluster = await open(await usedFolder())
    await using pool = poolOf(cluster)
    const [backend] = await pool.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    process.kill(backend?.pid ?? -1, 'SIGKILL')
    await until(async () => {
      try {
        return (await pool.query(sql`select 1`)).length === 1
      } catch (error) {
        if (!isConnectionLoss(error)) throw error
        return false
      }
    })
    expect(cluster.isUp()).toBe(true)
  })

  test('stopping while Postgres is dead ends', async () => {
    const dataDir = await usedFolder()
    const cluster = await open(dataDir)
    const pid = postmasterPid(dataDir)
    process.kill(pid, 'SIGKILL')
    await cluster[Symbol.asyncDispose]()
    await cluster[Symbol.asyncDispose]()
    expect(findProcess(pid)).toBeUndefined()
  })

  test('a Postgres that outlived its killed parent is stopped and started again', async () => {
    const dataDir = await usedFolder()
    const script = `
      const { openEmbeddedCluster } = await import(${JSON.stringify(new URL('../../src/cluster/embedded-cluster.ts', import.meta.url).href)})
      const cluster = await openEmbeddedCluster({ dataDir: ${JSON.stringify(dataDir)}, port: 0, durable: false, logger: { log() {} } })
      console.log(cluster.internalUrl)
      setInterval(() => {}, 1000)`
    const parent = spawn(process.execPath, ['--conditions=source', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await new Promise((resolve) => parent.stdout.once('data', resolve))
    const orphan = postmasterPid(dataDir)
    parent.kill('SIGKILL')
    await new Promise((resolve) => parent.once('exit', resolve))
    expect(findProcess(orphan)).toBeDefined()

    await using cluster = await open(dataDir)
    await using pool = poolOf(cluster)
    expect(await pool.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
    expect(findProcess(orphan)).toBeUndefined()
  })

  test.runIf(process.platform === 'linux')(
    'a stale postmaster.pid is no obstacle, whoever has its number now',
    async () => {
      const dataDir = await usedFolder()
      const stranger = await startStranger(dataDir)
      try {
        for (const pid of [stranger.zombiePid, stranger.pid, 2 ** 22 + 1]) {
          const file = join(dataDir, 'postgres', 'postmaster.pid')
          writeFileSync(file, `${pid}\n${join(dataDir, 'postgres')}\n1700000000\n5432\n\n127.0.0.1\n`)
          await (await open(dataDir))[Symbol.asyncDispose]()
        }
        expect(findProcess(stranger.pid)).toBeDefined()
      } finally {
        stranger.stop()
      }
    },
  )
})

test('says when nothing is left to do but to wait for a process, before it is open', async () => {
  const dataDir = newFolder()
  for (const phase of ['a new folder', 'a folder with a database']) {
    const order: string[] = []
    const opening = openEmbeddedCluster({
      dataDir,
      port: 0,
      logger: silentLogger,
      durable: false,
      onSpawned: () => order.push('spawned'),
    })
    await using _ = await opening.then((cluster) => (order.push('open'), cluster))
    expect([order[0], order.at(-1)], phase).toEqual(['spawned', 'open'])
  }
})

describe('an installed Postgres', () => {
  /** A folder laid out like an installation, with the packaged programs and one more extension. */
  function install(): string {
    const folder = join(dirname(newFolder()), 'installed')
    const native = join(findBinaries().shareDir, '../..')
    mkdirSync(folder)
    for (const name of readdirSync(native)) if (name !== 'share') symlinkSync(join(native, name), join(folder, name))
    // Programs locate the rest from their real path.
    rmSync(join(folder, 'bin'))
    cpSync(join(native, 'bin'), join(folder, 'bin'), { recursive: true })
    cpSync(join(native, 'share'), join(folder, 'share'), { recursive: true, verbatimSymlinks: true })
    const extensions = join(folder, 'share/postgresql/extension')
    writeFileSync(join(extensions, 'measures.control'), "default_version = '1.0'\ntrusted = true\n")
    writeFileSync(join(extensions, 'measures--1.0.sql'), 'create domain metres as float8 check (value >= 0);\n')
    return join(folder, 'bin')
  }

  test('runs in the place of the packaged one, with the extensions that it has', async () => {
    const binDir = install()
    await using cluster = await openEmbeddedCluster({
      dataDir: newFolder(),
      port: 0,
      binDir,
      logger: silentLogger,
      durable: false,
    })
    await using pool = createPool({ url: cluster.adminUrl, applicationName: 'test', connectionsMax: 1 })
    await pool.execute(sql`create extension measures`)
    await pool.execute(sql`create extension moddatetime`)
    expect(await pool.query(sql`select 3::metres as length`)).toEqual([{ length: 3 }])
  })

  test.each([
    ['of another version', '#!/bin/sh\necho "postgres (PostgreSQL) 15.7 (Debian 15.7-1)"\n', /PostgreSQL\) 15\.7/],
    ['that does not run', 'no program', /ENOEXEC|EACCES|failed/i],
    ['that is not there', undefined, /does not exist/],
  ])('%s is refused before anything is made', async (_, program, detail) => {
    const dataDir = newFolder()
    const binDir = join(dirname(dataDir), 'bin')
    mkdirSync(binDir)
    if (program !== undefined)
      for (const name of ['postgres', 'initdb']) writeFileSync(join(binDir, name), program, { mode: 0o755 })
    const opening = openEmbeddedCluster({ dataDir, port: 0, binDir, logger: silentLogger, durable: false })
    await expect(opening).rejects.toMatchObject({
      code: 'postgres_bin_unusable',
      detail: expect.stringMatching(detail) as string,
    })
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  })
})
