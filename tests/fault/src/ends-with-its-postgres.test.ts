import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createPool, sql, type Pool } from '@holdfast/postgres'

/*
 * The process never ends without its Postgres: whenever a signal or a bug comes, and also when closing hangs, nothing that works on the data folder is left.
 * Only a SIGKILL of the process leaves something behind, and the next start ends that first. All starts are on one folder, so each also shows that the one
 * before left a database that opens. Processes are looked for in `/proc`.
 */

const SERVER_MAIN = fileURLToPath(new URL('../../../server/dist/cli/main.js', import.meta.url))

let folder: string
let dataDir: string
const runs: Run[] = []

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-ends-'))
  dataDir = join(folder, 'data')
  // An error that is not caught, planted from outside into the real program.
  writeFileSync(join(folder, 'bug.mjs'), `process.on('SIGUSR2', () => { throw new Error('a planted bug') })`)
})

afterEach(async () => {
  for (const run of runs.splice(0)) {
    run.child.kill('SIGKILL')
    await run.ended
  }
})

afterAll(() => {
  for (const { pid } of processesOfFolder()) process.kill(pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

interface Run {
  readonly child: ChildProcess
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>
  out(): string
  err(): string
}

function start(...argv: readonly string[]): Run {
  const child = spawn(
    process.execPath,
    [SERVER_MAIN, 'start', '--json', '--port=0', '--db-port=0', `--data-dir=${dataDir}`, ...argv],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_OPTIONS: `--import=${join(folder, 'bug.mjs')}` },
    },
  )
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('exit', (code, signal) => resolve(code ?? signal)),
  )
  const run = { child, ended, out: () => out, err: () => err }
  runs.push(run)
  return run
}

/** Waits for something of a start, which must not end before it. */
async function reaches(run: Run, what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  await expect
    .poll(
      async () => {
        if (run.child.exitCode !== null) throw new Error(`it ended before ${what}:\n${run.err()}`)
        return await condition()
      },
      { timeout: 90_000, interval: 5, message: what },
    )
    .toBe(true)
}

async function ready(run: Run): Promise<{ readonly base: string; readonly db: string }> {
  await reaches(run, 'it is ready', () => run.out().includes('\n'))
  return JSON.parse(run.out()) as { base: string; db: string }
}

function poolOf(db: string): Pool {
  return createPool({ url: db, applicationName: 'test', connectionsMax: 2, onError: () => undefined })
}

interface Found {
  readonly pid: number
  readonly command: string
}

/** Processes of Postgres work in the folder of their files; `initdb` has it on its command line. */
function processesOfFolder(): readonly Found[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
        const worksThere = readlinkSync(`/proc/${pid}/cwd`).startsWith(`${dataDir}/`)
        return command !== '' && (worksThere || command.includes(`--pgdata=${dataDir}`))
          ? [{ pid: Number(pid), command }]
          : []
      } catch {
        return [] // it has ended, or is a zombie
      }
    })
}

const postmasterFile = (): string => join(dataDir, 'postgres', 'postmaster.pid')
const postmasterPid = (): number => Number.parseInt(readFileSync(postmasterFile(), 'utf8'), 10)
/** The file's last line says that connections are accepted. */
const accepts = (): boolean => existsSync(postmasterFile()) && /^ready/m.test(readFileSync(postmasterFile(), 'utf8'))
const runsInitdb = (): boolean => processesOfFolder().some(({ command }) => command.includes('initdb'))

/** Backends notice the end of the main process at once; "at once" is up to the machine. */
async function nothingIsLeft(): Promise<void> {
  await expect.poll(processesOfFolder, { interval: 20 }).toEqual([])
}

/** Backends that stopped answering: their connections never close. */
function freezeBackends(): void {
  for (const { pid } of processesOfFolder()) if (pid !== postmasterPid()) process.kill(pid, 'SIGSTOP')
}

describe('before there is a database', () => {
  test('a signal during initdb', async () => {
    const run = start()
    await reaches(run, 'initdb runs', runsInitdb)
    run.child.kill('SIGTERM')
    expect(await run.ended).toBe(0)
    await nothingIsLeft()
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  })

  test('a bug during initdb', async () => {
    const run = start()
    await reaches(run, 'initdb runs', runsInitdb)
    run.child.kill('SIGUSR2')
    expect(await run.ended).toBe(1)
    await nothingIsLeft()
  })

  test('a SIGKILL during initdb, which the next start ends before it makes a database', async () => {
    let left: readonly Found[] = []
    // On a busy machine initdb may end before the kill.
    while (left.length === 0) {
      rmSync(dataDir, { recursive: true, force: true })
      const killed = start()
      await reaches(killed, 'initdb runs', runsInitdb)
      killed.child.kill('SIGKILL')
      left = processesOfFolder()
      await killed.ended
    }

    const next = start()
    await reaches(next, 'Postgres accepts connections', accepts)
    expect(left.length).toBeGreaterThan(0)
    expect(processesOfFolder().filter(({ pid }) => left.some((found) => found.pid === pid))).toEqual([])
    // In the middle of the migrations.
    next.child.kill('SIGTERM')
    expect(await next.ended).toBe(0)
    await nothingIsLeft()
  })
})

describe('while it starts on a database', () => {
  test('a signal after a power cut, while Postgres recovers', async () => {
    const run = start()
    await ready(run)
    const postmaster = postmasterPid()
    run.child.kill('SIGKILL')
    process.kill(postmaster, 'SIGKILL')
    await run.ended
    await nothingIsLeft()

    const next = start()
    await reaches(next, 'Postgres is started', () => existsSync(postmasterFile()) && postmasterPid() !== postmaster)
    next.child.kill('SIGTERM')
    expect(await next.ended).toBe(0)
    await nothingIsLeft()
  })

  test('a bug', async () => {
    const run = start()
    await reaches(run, 'Postgres accepts connections', accepts)
    run.child.kill('SIGUSR2')
    expect(await run.ended).toBe(1)
    await nothingIsLeft()
  })

  test('a second signal', async () => {
    const run = start()
    await reaches(run, 'Postgres accepts connections', accepts)
    freezeBackends()
    const again = setInterval(() => run.child.kill('SIGTERM'), 300)
    expect([0, 130]).toContain(await run.ended)
    clearInterval(again)
    await nothingIsLeft()
  })
})

describe('while it serves', () => {
  test('a signal while a function that hangs is asked about rows', async () => {
    const run = start()
    const { db } = await ready(run)
    await using pool = poolOf(db)
    await pool.execute(sql`
      create or replace function public.hangs(v int) returns boolean language plpgsql immutable as $$ begin loop perform 1; end loop; end $$
    `)
    await pool.execute(sql`create table public.hanging (id int primary key, v int)`)
    await pool.execute(sql`insert into public.hanging values (1, 1)`)
    await pool.execute(sql`alter table public.hanging enable row level security`)
    await pool.execute(sql`create policy p on public.hanging for select to authenticated using (public.hangs(v))`)
    await reaches(run, 'the function hangs', async () => {
      const rows = await pool.query(sql`select from pg_stat_activity
         where application_name = 'holdfast evaluator' and state = 'active' and clock_timestamp() - query_start > interval '50 ms'`)
      return rows.length > 0
    })
    run.child.kill('SIGTERM')
    expect(await run.ended).toBe(0)
    await nothingIsLeft()
  })

  test('a signal while policies are compiled', async () => {
    const run = start()
    const { db } = await ready(run)
    await using pool = poolOf(db)
    await pool.execute(sql`drop table if exists public.hanging`)
    await pool
      .transaction(async (tx) => {
        // The compiler reads the declared streams.
        await tx.execute(sql`lock table sync.streams in access exclusive mode`)
        await pool.execute(sql`create table public.compiled (id int primary key)`)
        await reaches(run, 'the compiler waits', async () => {
          const rows = await pool.query(
            sql`select from pg_locks where not granted and relation = 'sync.streams'::regclass`,
          )
          return rows.length > 0
        })
        run.child.kill('SIGTERM')
        expect(await run.ended).toBe(0)
      })
      .catch((error: unknown) => {
        // Its connection ends with Postgres.
        if (processesOfFolder().length > 0) throw error
      })
    await nothingIsLeft()
  })

  test('a bug', async () => {
    const run = start()
    await ready(run)
    run.child.kill('SIGUSR2')
    expect(await run.ended).toBe(1)
    expect(run.err()).toContain('a planted bug')
    await nothingIsLeft()
  })

  test('a close that takes too long', async () => {
    const run = start('--close-seconds=1')
    await ready(run)
    freezeBackends()
    run.child.kill('SIGTERM')
    expect(await run.ended).toBe(1)
    expect(run.err()).toContain('closing takes too long')
    await nothingIsLeft()
  })

  test('a second signal while closing hangs', async () => {
    const run = start('--close-seconds=600')
    await ready(run)
    process.kill(postmasterPid(), 'SIGSTOP')
    const again = setInterval(() => run.child.kill('SIGTERM'), 300)
    expect(await run.ended).toBe(130)
    clearInterval(again)
    await nothingIsLeft()
  })

  test('a SIGKILL, whose Postgres the next start ends first', async () => {
    const killed = start()
    await ready(killed)
    const left = processesOfFolder()
    killed.child.kill('SIGKILL')
    await killed.ended
    const next = start()
    await ready(next)
    expect(processesOfFolder().filter(({ pid }) => left.some((found) => found.pid === pid))).toEqual([])
    next.child.kill('SIGTERM')
    expect(await next.ended).toBe(0)
    await nothingIsLeft()
  })
})
