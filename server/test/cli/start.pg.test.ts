import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createPool, openEmbeddedCluster, sql } from '@holdfast/postgres'
import { copyInitializedFolder, SERVER_MAIN } from '@holdfast/test-support'

/**
 * The command line as a person or a script meets it: a real process, its output, its exit code, and its remains when it is gone.
 */
interface Ready {
  readonly ready: true
  readonly base: string
  readonly db: string
  readonly anonKey: string
  readonly serviceRoleKey: string
  readonly jwtSecret: string
}

class Run {
  readonly child: ChildProcess
  out = ''
  err = ''
  readonly exited: Promise<number | null>

  constructor(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, [SERVER_MAIN, ...argv], {
      cwd: tmpdir(),
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, npm_lifecycle_event: '', ...env },
    })
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.out += text))
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.err += text))
    this.exited = new Promise((resolve) => this.child.once('close', resolve))
    running.push(this)
  }

  async ready(): Promise<Ready> {
    const ended = this.exited.then(() => true)
    while (!this.out.includes('\n')) {
      if (await Promise.race([ended, pause(20)])) throw new Error(`it ended: ${this.err}`)
    }
    return JSON.parse(this.out) as Ready
  }

  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
    this.child.kill(signal)
    return this.exited
  }
}

const running: Run[] = []
const folders: string[] = []

afterEach(async () => {
  for (const run of running.splice(0)) if (run.child.exitCode === null) await run.stop('SIGTERM')
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-cli-'))
  folders.push(folder)
  return join(folder, 'data')
}

/** As a server leaves it that was started once: for tests that are not about the first start. */
async function usedFolder(): Promise<string> {
  const dataDir = newFolder()
  await copyInitializedFolder(dataDir, { sample: false })
  return dataDir
}

function startJson(dataDir: string, ...more: readonly string[]): Run {
  return new Run(['start', '--json', '--port=0', '--db-port=0', `--data-dir=${dataDir}`, ...more], {
    NODE_DEBUG: 'holdfast',
  })
}

const pause = (ms: number): Promise<false> => new Promise((resolve) => setTimeout(() => resolve(false), ms))

async function busyPort(): Promise<{ readonly port: number; readonly close: () => void }> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  return { port: typeof address === 'object' && address ? address.port : 0, close: () => server.close() }
}

function postmasterPid(dataDir: string): number {
  return Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function expectCleanRefusal(run: Run, code: number | null): void {
  expect(code).toBe(1)
  expect(run.err).not.toMatch(/^\s+at /m)
  expect(run.err).not.toContain('file://')
  expect(run.out.startsWith('{')).toBe(false)
}

describe('start --json', () => {
  test('prints one line when everything answers, stops on Ctrl-C, and starts again with the same keys and data', async () => {
    const dataDir = newFolder()
    const first = startJson(dataDir)
    const ready = await first.ready()
    const keys = ['anonKey', 'serviceRoleKey', 'publishableKey', 'secretKey']
    expect(Object.keys(ready)).toEqual([
      'ready',
      'base',
      'db',
      ...keys,
      'jwtSecret',
      'mailbox',
      'welcome',
      'console',
      's3',
    ])
    expect(first.out.trim().split('\n')).toHaveLength(1)

    const asOperator = { headers: { authorization: `Bearer ${ready.serviceRoleKey}` } }
    await fetch(`${ready.base}/health`)
    const metrics = await (await fetch(`${ready.base}/metrics`, asOperator)).text()
    expect(metrics).toMatch(/^holdfast_slot_retained_bytes\{slot="holdfast_\d+"\} \d+$/m)
    expect(metrics).toMatch(/^holdfast_pool_connections_max\{pool="holdfast request"\} 20$/m)
    expect(metrics).toMatch(/^holdfast_sync_uploads_total\{result="applied"\} 0$/m)
    for (const file of ['alerts.yml', 'grafana-dashboard.json']) {
      const text = readFileSync(new URL(`../../../deploy/monitoring/${file}`, import.meta.url), 'utf8')
      const asked = new Set(text.match(/\b(?:holdfast|process|nodejs)_[a-z_]+\b/gu))
      expect(asked.size).toBeGreaterThan(8)
      const families = new Set(metrics.match(/(?<=^# TYPE )\S+/gmu))
      expect(
        [...asked].filter((name) => !families.has(name.replace(/_bucket$/u, ''))),
        file,
      ).toEqual([])
    }
    expect((await fetch(`${ready.base}/mailbox`)).status).toBe(401)
    expect(await (await fetch(`${ready.base}/mailbox`, asOperator)).text()).toContain('No messages yet')

    // A schema that is compiled again has sync prepare for a moment.
    const health = async (): Promise<unknown> => (await fetch(`${ready.base}/health`)).json()
    await expect.poll(health, { timeout: 30_000 }).toMatchObject({ ok: true, database: 'up', sync: 'ready' })
    {
      await using pool = createPool({ url: ready.db, applicationName: 'test', connectionsMax: 1 })
      expect(await pool.query(sql`select current_setting('is_superuser') as is`)).toEqual([{ is: 'off' }])
      await pool.execute(sql`create table public.kept (id int primary key)`)
      await pool.execute(sql`insert into public.kept values (7)`)
    }
    const rows = async (base: string, key: string): Promise<unknown> =>
      (await fetch(`${base}/rest/v1/kept`, { headers: { apikey: key } })).json()
    await expect.poll(() => rows(ready.base, ready.anonKey)).toEqual([{ id: 7 }])
    const pid = postmasterPid(dataDir)
    expect(await first.stop()).toBe(0)
    expect(isAlive(pid)).toBe(false)
    // A timer would keep the process after everything is closed.
    expect(/closed; still active: (.*)/.exec(first.err)?.[1]).not.toContain('Timeout')
    expect(readdirSync(dataDir).toSorted()).toEqual([
      '.gitignore',
      'extensions',
      'jwt-secret',
      'logs',
      'postgres',
      'postgres.conf',
      'push-key',
      'secrets.json',
      'storage',
      'vault-key',
    ])

    const second = startJson(dataDir)
    const again = await second.ready()
    expect([again.anonKey, again.serviceRoleKey, again.jwtSecret]).toEqual([
      ready.anonKey,
      ready.serviceRoleKey,
      ready.jwtSecret,
    ])
    expect(await rows(again.base, ready.serviceRoleKey)).toEqual([{ id: 7 }])
    expect(await second.stop('SIGTERM')).toBe(0)
  })

  test('stops like any other when its output is no longer read', async () => {
    const run = startJson(await usedFolder())
    await run.ready()
    // As when the terminal or the parent process is gone: the output of the shutdown cannot be written anywhere.
    run.child.stdout?.destroy()
    run.child.stderr?.destroy()
    const gone = new Promise((resolve) => run.child.once('exit', resolve))
    run.child.kill('SIGTERM')
    expect(await Promise.race([gone, pause(60_000)])).toBe(0)
  })

  test('survives a kill of itself and of both', async () => {
    const dataDir = await usedFolder()
    for (const killBoth of [false, true]) {
      const run = startJson(dataDir)
      await run.ready()
      const orphan = postmasterPid(dataDir)
      run.child.kill('SIGKILL')
      if (killBoth) process.kill(orphan, 'SIGKILL')
      await run.exited
    }
    const last = startJson(dataDir)
    const { base } = await last.ready()
    expect((await fetch(`${base}/health`)).status).toBe(200)
    expect(await last.stop()).toBe(0)
  })

  test('answers 503 while Postgres is killed, and is whole again after it', async () => {
    const dataDir = await usedFolder()
    const run = startJson(dataDir)
    const { base, anonKey, serviceRoleKey, db } = await run.ready()
    {
      await using pool = createPool({ url: db, applicationName: 'test', connectionsMax: 1 })
      await pool.execute(sql`create table public.kept (id int primary key)`)
    }
    const ask = async (path: string): Promise<Response> =>
      fetch(`${base}${path}`, { headers: { apikey: anonKey, authorization: `Bearer ${serviceRoleKey}` } })
    await expect.poll(async () => (await ask('/rest/v1/kept')).status).toBe(200)

    const seen = new Map<number, number>()
    process.kill(postmasterPid(dataDir), 'SIGKILL')
    const done = new AbortController()
    const asking = Array.from({ length: 4 }, async () => {
      while (!done.signal.aborted) {
        const answer = await ask('/rest/v1/kept')
        seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
        if (answer.status === 503) expect(answer.headers.get('retry-after')).toBe('1')
        await answer.text()
        await pause(5)
      }
    })
    await expect.poll(() => seen.get(503), { interval: 20 }).toBeGreaterThan(0)
    const paths = ['/rest/v1/kept', '/auth/v1/health', '/health']
    await expect
      .poll(async () => Promise.all(paths.map(async (path) => (await ask(path)).status)), {
        interval: 20,
      })
      .toEqual([200, 200, 200])
    await expect
      .poll(async () => ((await (await ask('/health')).json()) as { problem?: string }).problem, {
        interval: 50,
      })
      .toBeUndefined()
    done.abort()
    await Promise.all(asking)
    expect([...seen.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([])
    expect(await run.stop()).toBe(0)
  })
})

test('start uses the Postgres of DATABASE_URL, again and again, and leaves it running', async () => {
  const folder = newFolder()
  await using theirs = await openEmbeddedCluster({ dataDir: folder, port: 0, logger: silentLogger, durable: false })
  for (const round of [1, 2]) {
    const run = new Run(['start', '--json', '--port=0', `--data-dir=${newFolder()}`], {
      DATABASE_URL: theirs.internalUrl,
    })
    const { base, db, anonKey } = await run.ready()
    expect(db).toBe(theirs.internalUrl)
    const health = await fetch(`${base}/auth/v1/settings`, { headers: { apikey: anonKey } })
    expect([round, health.status]).toEqual([round, 200])
    expect(await run.stop()).toBe(0)
  }
  await using pool = createPool({ url: theirs.internalUrl, applicationName: 'test', connectionsMax: 1 })
  expect(await pool.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
})

describe('start', () => {
  test('tells a person the address and the keys', async () => {
    const run = new Run(['start', '--port=0', '--db-port=0', `--data-dir=${await usedFolder()}`])
    await expect.poll(() => run.out, { timeout: 90_000 }).toContain('Ctrl-C stops')
    expect(run.out).toMatch(/App and APIs +http:\/\/127\.0\.0\.1:\d+\n/)
    expect(run.out).toMatch(/anon key +ey/)
    expect(run.err).toBe('')
    expect(await run.stop()).toBe(0)
    expect(run.out).toContain('stopping')
  })

  test('is stopped while it starts, and leaves nothing running', async () => {
    const dataDir = newFolder()
    const run = startJson(dataDir)
    await expect
      .poll(() => existsSync(join(dataDir, 'postgres', 'postmaster.pid')), { timeout: 90_000, interval: 5 })
      .toBe(true)
    expect(await run.stop()).toBe(0)
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false)
    expect(run.out).toBe('')
  })

  test('refuses a folder that another one uses', async () => {
    const dataDir = await usedFolder()
    const first = startJson(dataDir)
    await first.ready()
    const second = startJson(dataDir)
    expectCleanRefusal(second, await second.exited)
    expect(second.err).toContain(`in use by process ${first.child.pid}`)
  })

  test.each([
    ['an unknown option', ['start', '--prot=1'], {}, 'Did you mean --port?'],
    ['a bad value', ['start', '--port=high'], {}, '--port: "high" is not a whole number.'],
    ['a bad variable', ['start'], { HOLDFAST_DB_PORT: '-1' }, 'HOLDFAST_DB_PORT: -1 is not between 0 and 65535.'],
    ['a level that is none', ['start', '--log-level=loud'], {}, 'Use debug, info, warn or error.'],
    ['an unknown command', ['strat'], {}, 'Did you mean "holdfast start"?'],
    ['a sample for everybody', ['start', '--sample', '--host=0.0.0.0'], {}, 'public password'],
    ['a foreign address', ['start', '--host=203.0.113.7', '--port=0'], {}, 'not an address of this machine'],
    [
      'a database that is not there',
      ['start', '--port=0'],
      { DATABASE_URL: 'postgres://nobody:x@127.0.0.1:9/none' },
      'cannot be reached',
    ],
    [
      'a short secret',
      ['start', '--port=0', '--db-port=0'],
      { HOLDFAST_JWT_SECRET: 'short' },
      'shorter than 32 characters',
    ],
  ])('refuses %s with what to do about it', async (_, argv, env, message) => {
    const run = new Run(argv[0] === 'start' ? [...argv, `--data-dir=${newFolder()}`] : argv, env)
    expectCleanRefusal(run, await run.exited)
    expect(run.err).toContain(message)
  })

  test('names a busy port and the option that changes it', async () => {
    const busy = await busyPort()
    for (const [option, other] of [
      ['--port', '--db-port=0'],
      ['--db-port', '--port=0'],
    ]) {
      const run = new Run(['start', `${option}=${busy.port}`, String(other), `--data-dir=${newFolder()}`])
      expectCleanRefusal(run, await run.exited)
      expect(run.err).toContain(String(busy.port))
      expect(run.err).toContain(`${option}.`)
    }
    busy.close()
  })

  test('refuses the files of another Postgres', async () => {
    const dataDir = newFolder()
    mkdirSync(join(dataDir, 'postgres'), { recursive: true })
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '15\n')
    const run = startJson(dataDir)
    expectCleanRefusal(run, await run.exited)
    expect(run.err).toContain('written by Postgres 15')
  })
})

test('help and version are told without starting anything', async () => {
  const help = new Run(['help'])
  expect(await help.exited).toBe(0)
  expect(help.out).toContain('Usage: holdfast')
  const version = new Run(['--version'])
  expect(await version.exited).toBe(0)
  const manifest = JSON.parse(readFileSync(join(dirname(SERVER_MAIN), '../../package.json'), 'utf8')) as {
    version: string
  }
  expect(version.out).toBe(`${manifest.version}\n`)
})
