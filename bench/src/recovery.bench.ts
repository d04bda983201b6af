import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Schema } from '@powersync/common'
import { PowerSyncDatabase } from '@powersync/node'
import { openHoldfast, openRawStream, quietLogger, type Holdfast } from '@holdfast/test-support'
import { sql } from '@holdfast/postgres'
import { createItems } from './items.ts'
import { median, percentile, type Figure } from './report.ts'
import { sized } from './size.ts'
import { mintToken } from './tokens.ts'

const DEVICES = 8

/** The retry delay of the client kit. */
const RETRY_MS = 1_000

/** Tables of a schema that was migrated just before the fault. */
const NEW_TABLES = sized(90)

const COMMITS = Number(process.env['HOLDFAST_COMMITS'] ?? sized(1_000))

/** Timeout of every wait, in milliseconds. */
const PATIENCE_MS = 60_000

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The unmodified SDK with a database in a file. */
interface Device extends AsyncDisposable {
  /** Resolves with the time at which the row is in its database. */
  until(id: string): Promise<number>
}

async function openDevice(holdfast: Holdfast, userId: string): Promise<Device> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  const database = new PowerSyncDatabase({
    schema: new Schema({}),
    database: {
      dbFilename: `${basename(folder)}.db`,
      dbLocation: folder,
      implementation: { type: 'node:sqlite' },
      readWorkerCount: 1,
    },
    logger: quietLogger,
  })
  await database.init()
  const token = mintToken(holdfast.jwtSecret, userId)
  await database.connect(
    { fetchCredentials: async () => ({ endpoint: holdfast.url, token }), uploadData: async () => undefined },
    { retryDelayMs: RETRY_MS },
  )
  await database.waitForFirstSync()
  let changed = Promise.withResolvers<void>()
  database.onChange({ onChange: () => changed.resolve() }, { tables: ['ps_untyped'], throttleMs: 0 })
  return {
    async until(id) {
      const deadline = performance.now() + PATIENCE_MS
      while ((await database.getAll('select 1 from ps_untyped where id = ?', [id])).length === 0) {
        if (performance.now() > deadline) throw new Error('a device does not get what was committed')
        await Promise.race([changed.promise, pause(200)])
        changed = Promise.withResolvers()
      }
      return performance.now()
    },
    async [Symbol.asyncDispose]() {
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function openDevices(holdfast: Holdfast, userId: string): Promise<Device[]> {
  return Promise.all(Array.from({ length: DEVICES }, () => openDevice(holdfast, userId)))
}

async function insert(holdfast: Holdfast, ownerId: string): Promise<string> {
  const id = randomUUID()
  for (const deadline = performance.now() + PATIENCE_MS; ;) {
    try {
      await holdfast.admin.execute(
        sql`insert into public.items (id, owner_id, title, n, created_at) values (${id}, ${ownerId}, 'after', 1, now()) on conflict (id) do nothing`,
      )
      return id
    } catch (error) {
      if (performance.now() > deadline) throw error
      await pause(20)
    }
  }
}

/** Time from the acknowledgement of a commit until its row is in the databases of all devices, one commit at a time. */
async function commits(holdfast: Holdfast, devices: readonly Device[], userId: string): Promise<Figure[]> {
  const ms: number[] = []
  for (let n = 0; n < COMMITS; n++) {
    const id = await insert(holdfast, userId)
    const began = performance.now()
    const arrived = await Promise.all(devices.map((device) => device.until(id)))
    ms.push(Math.max(0, Math.max(...arrived) - began))
    await pause(5)
  }
  console.error(`  ${COMMITS} commits: load ${(loadavg()[0] ?? 0).toFixed(1)}`)
  const name = `commit → ${DEVICES} devices equal, ${COMMITS} commits`
  return [
    { name: `${name}, p50`, value: median(ms), unit: 'ms' },
    { name: `${name}, p99`, value: percentile(ms, 0.99), unit: 'ms' },
    { name: `${name}, worst`, value: Math.max(...ms), unit: 'ms' },
  ]
}

/** Runs statement by statement, as the migrations of a framework do. */
async function migrate(holdfast: Holdfast, prefix: string): Promise<void> {
  for (let n = 0; n < NEW_TABLES; n++) {
    const table = sql.identifier(`${prefix}_${n}`)
    const parent = n === 0 ? sql`` : sql`, parent_id int references public.${sql.identifier(`${prefix}_${n - 1}`)}`
    await holdfast.admin.execute(
      sql`create table public.${table} (id int primary key, owner_id uuid not null, title text${parent})`,
    )
    await holdfast.admin.execute(sql`alter table public.${table} enable row level security`)
    await holdfast.admin.execute(
      sql`create policy own on public.${table} for select to authenticated using (owner_id = (select auth.uid()))`,
    )
  }
}

interface Fault {
  readonly name: string
  strike(holdfast: Holdfast): Promise<void>
}

const FAULTS: readonly Fault[] = [
  {
    name: 'kill of the server',
    async strike(holdfast) {
      await holdfast.kill9()
      await holdfast.restart()
    },
  },
  { name: 'kill of Postgres', strike: (holdfast) => holdfast.killPostgres9() },
  {
    name: 'kill of both',
    async strike(holdfast) {
      await holdfast.killAll9()
      await holdfast.restart()
    },
  },
  {
    name: 'a stop of 500 ms',
    async strike(holdfast) {
      process.kill(holdfast.pid(), 'SIGSTOP')
      await pause(500)
      process.kill(holdfast.pid(), 'SIGCONT')
    },
  },
  {
    name: 'a lost lease',
    strike: (holdfast) => holdfast.internal.execute(sql`update sync.state set epoch = epoch + 1`).then(() => undefined),
  },
]

/** The phases that the server logs at level `debug`. */
function phasesOf(log: string): string {
  return log
    .split('\n')
    .filter((line) => line.includes('opened in phases') || line.includes('follows after these phases'))
    .map((line) => line.slice(line.indexOf('{')))
    .join(' ')
}

async function recover(
  holdfast: Holdfast,
  devices: readonly Device[],
  userId: string,
  fault: Fault,
  label: string,
): Promise<Figure[]> {
  const logged = holdfast.log().length
  const began = performance.now()
  await fault.strike(holdfast)
  const backMs = performance.now() - began
  const id = await insert(holdfast, userId)
  const writtenMs = performance.now() - began
  const arrived = await Promise.all(devices.map((device) => device.until(id)))
  const equalMs = Math.max(...arrived) - began
  const log = holdfast.log()
  console.error(
    `  ${label}, ${fault.name}: load ${(loadavg()[0] ?? 0).toFixed(1)} ${phasesOf(log.length < logged ? log : log.slice(logged))}`,
  )
  const name = `${label}, ${fault.name}`
  return [
    { name: `${name}: server is back`, value: backMs, unit: 'ms' },
    { name: `${name}: Postgres takes a commit`, value: writtenMs, unit: 'ms' },
    { name: `${name}: first device`, value: Math.min(...arrived) - began, unit: 'ms' },
    { name: `${name}: all ${DEVICES} devices`, value: equalMs, unit: 'ms' },
  ]
}

/** Time from the end of the lease holder until the other server has sent a complete checkpoint. */
async function takeOver(holdfast: Holdfast, userId: string, hangs: boolean): Promise<Figure[]> {
  const other = await holdfast.another()
  const pid = holdfast.pid()
  const began = performance.now()
  if (hangs) process.kill(pid, 'SIGSTOP')
  else await holdfast.kill9()
  let servedMs = 0
  let refusals = 0
  try {
    for (;;) {
      try {
        await using stream = await openRawStream({
          url: other.ready.base,
          token: mintToken(holdfast.jwtSecret, userId),
          clientId: randomUUID(),
        })
        await stream.settle()
        servedMs = performance.now() - began
        break
      } catch (error) {
        if (performance.now() - began > PATIENCE_MS) throw error
        refusals++
        await pause(50)
      }
    }
    console.error(`  taken over: load ${(loadavg()[0] ?? 0).toFixed(1)}, ${refusals} refusals ${phasesOf(other.log())}`)
  } finally {
    if (hangs) process.kill(pid, 'SIGCONT')
    await other.kill('SIGKILL')
    if (!hangs) await holdfast.restart()
  }
  return [
    {
      name: `the other server serves streams after the holder ${hangs ? 'hangs' : 'was killed'}`,
      value: servedMs,
      unit: 'ms',
    },
  ]
}

/** How soon devices are in sync again: after commits, after faults, and when another server takes over. */
export async function benchRecovery(): Promise<Figure[]> {
  process.env['HOLDFAST_LOG_LEVEL'] = 'debug'
  await using holdfast = await openHoldfast()
  await createItems(holdfast.admin)
  const userId = randomUUID()
  const figures: Figure[] = []
  const devices = await openDevices(holdfast, userId)
  try {
    figures.push(...(await commits(holdfast, devices, userId)))
    for (const fault of FAULTS) figures.push(...(await recover(holdfast, devices, userId, fault, 'small schema')))
    await migrate(holdfast, 'first')
    for (const fault of FAULTS) {
      await migrate(holdfast, `t${FAULTS.indexOf(fault)}`)
      figures.push(...(await recover(holdfast, devices, userId, fault, 'new schema')))
    }
    for (const hangs of [false, false, true, true]) figures.push(...(await takeOver(holdfast, userId, hangs)))
  } finally {
    for (const device of devices) await device[Symbol.asyncDispose]()
  }
  return figures
}
