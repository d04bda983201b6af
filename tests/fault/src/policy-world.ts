import { fork, type ChildProcess } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPool, type Pool, sql, type Transaction } from '@holdfast/postgres'
import {
  changeRows,
  changeSchema,
  createRandom,
  declareStream,
  openFaultyLink,
  openHoldfast,
  policySchema,
  randomPeople,
  randomPolicies,
  randomStreams,
  randomTable,
  randomWants,
  shownRows,
  wantedCondition,
  type FaultyLink,
  type Holdfast,
  type Random,
  type RandomPerson,
  type RandomStream,
  type RandomWants,
} from '@holdfast/test-support'
import type { DeviceProcessOptions } from './device-process.ts'
import { findBreaches, isEqual, nearest, type State } from './shown-history.ts'
import { pause } from './world.ts'

const DEVICES = 3
const OWN_ROLE = 'clerk'
const DEVICE_MAIN = fileURLToPath(new URL('device-process.ts', import.meta.url))
const SCHEMA = `${policySchema('keeper')}
  create role ${OWN_ROLE} nologin;
  grant ${OWN_ROLE} to authenticator;
  grant usage on schema public, auth to ${OWN_ROLE};
  grant select on all tables in schema public to ${OWN_ROLE};
  alter default privileges in schema public grant select on tables to ${OWN_ROLE}`
/** How long all may take to be equal in the end, in milliseconds. */
const SETTLE_MS = 60_000

/** A device in a process of its own, and what it showed. */
interface Device {
  readonly label: string
  readonly person: RandomPerson
  readonly wants: RandomWants
  /** Everything that it showed, in order, across its lives. */
  readonly states: State[]
  start(): void
  kill9(): Promise<void>
  log(): string
}

/** A real server with random tables and policies, devices in separate processes, and what Postgres showed their users after each commit. */
export interface PolicyWorld extends AsyncDisposable {
  readonly holdfast: Holdfast
  readonly link: FaultyLink
  /** For the faults; not the one of the transactions, so that neither depends on when the other asks. */
  readonly random: Random
  readonly devices: readonly Device[]
  /** Commits one random transaction, whatever fails meanwhile, and pauses briefly. */
  commit(): Promise<void>
  /** Waits until each device has shown something. */
  begun(): Promise<void>
  /** Waits until all devices show what their people are shown now. @returns how long it took, in milliseconds */
  settle(): Promise<number>
  /** What a device showed and Postgres did not, or in another order. */
  breaches(): readonly string[]
}

interface Statement {
  readonly text: string
  readonly mayFail: boolean
}

export async function openPolicyWorld(seed: number): Promise<PolicyWorld> {
  const random = createRandom(seed)
  const holdfast = await openHoldfast()
  const admin = openAdmin(holdfast)
  const link = await openFaultyLink(holdfast.url)
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-devices-'))
  await admin.withClient((client) => client.query(SCHEMA))
  const tables = ['items', 'things'].map((name) => randomTable(random, name))
  const keys = Object.fromEntries(tables.map(({ name, key }) => [name, key]))
  const streams = streamsOfOnePriority(random.chance(0.4) ? randomStreams(random, Object.keys(keys)) : [])
  let declared: readonly RandomStream[] = []
  const people = randomPeople(random, OWN_ROLE)
  const devices = Array.from({ length: DEVICES }, (_, index) =>
    createDevice({
      label: `${index}`,
      person: random.pick(people),
      wants: wantsOfOnePriority(randomWants(random, streams)),
      url: link.url,
      secret: holdfast.jwtSecret,
      folder: mkdtempSync(join(folder, 'device-')),
    }),
  )
  const shown = devices.map((): State[] => [])
  let commits = 0

  async function commitAll(statements: readonly Statement[]): Promise<void> {
    for (;;) {
      const states = await attempt(admin, statements, devices, { keys, declared })
      if (typeof states === 'string') {
        await pause(50)
        continue
      }
      states.forEach((state, index) => shown[index]?.push(state))
      commits++
      return
    }
  }

  const rows = (count: number): readonly Statement[] =>
    Array.from({ length: count }, () => ({ text: changeRows(random, tables), mayFail: true }))
  const must = (list: readonly string[]): readonly Statement[] => list.map((text) => ({ text, mayFail: false }))

  declared = streams
  await commitAll([
    ...must(tables.flatMap(({ create }) => create)),
    ...must(randomPolicies(random, tables, OWN_ROLE)),
    ...must(streams.map(declareStream)),
    ...rows(25),
  ])
  for (const device of devices) device.start()

  return {
    holdfast,
    link,
    random: createRandom(seed + 1_000_000_007),
    devices,
    async commit() {
      await commitAll([
        ...rows(1 + random.below(4)),
        ...(random.chance(0.1) ? must(changeSchema(random, tables, OWN_ROLE)) : []),
      ])
      await pause(random.below(150))
    },
    async begun() {
      for (let waited = 0; devices.some(({ states }) => states.length === 0) && waited < SETTLE_MS; waited += 20)
        await pause(20)
    },
    settle: () => untilEqual(devices, shown),
    breaches: () =>
      devices.flatMap((device, index) =>
        breachesOf(device, shown[index] ?? []).map(
          (breach) => `seed ${seed}, device ${device.label} (${device.person.role}), ${commits} commits: ${breach}`,
        ),
      ),
    async [Symbol.asyncDispose]() {
      for (const device of devices) await device.kill9()
      await link[Symbol.asyncDispose]()
      await admin[Symbol.asyncDispose]()
      await holdfast[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Gives functions to roles of its own, which a project may not. */
function openAdmin(holdfast: Holdfast): Pool {
  return createPool({
    url: holdfast.internalUrl,
    applicationName: 'policy world',
    connectionsMax: 5,
    settings: { search_path: 'public,extensions', restrict_nonsystem_relation_kind: '' },
  })
}

/** What a device shows of a higher priority it shows before the rest of a transaction is there. */
function streamsOfOnePriority(streams: readonly RandomStream[]): readonly RandomStream[] {
  return streams.map((stream) => ({ ...stream, priority: 3 }))
}

function wantsOfOnePriority({ includeDefaults, subscriptions }: RandomWants): RandomWants {
  return { includeDefaults, subscriptions: subscriptions.map((one) => ({ ...one, override_priority: null })) }
}

function createDevice(options: {
  readonly label: string
  readonly person: RandomPerson
  readonly wants: RandomWants
  readonly url: string
  readonly secret: string
  readonly folder: string
}): Device {
  const { person, wants } = options
  const states: State[] = []
  let child: ChildProcess | undefined
  let log = ''
  return {
    label: options.label,
    person,
    wants,
    states,
    log: () => log.slice(-1_000),
    start() {
      const given: DeviceProcessOptions = {
        url: options.url,
        token: sign(person, options.secret),
        folder: options.folder,
        includeDefaults: wants.includeDefaults,
        subscriptions: wants.subscriptions,
      }
      child = fork(DEVICE_MAIN, [JSON.stringify(given)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] })
      child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
      child.on('message', (entries: [string, string][]) => states.push(new Map(entries)))
    },
    async kill9() {
      const killed = child
      child = undefined
      if (!killed || killed.exitCode !== null || killed.signalCode !== null) return
      const gone = new Promise((resolve) => killed.once('close', resolve))
      killed.kill('SIGKILL')
      await gone
    },
  }
}

/** A token as another issuer with the same secret would make it. */
function sign({ claims }: RandomPerson, secret: string): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(Date.now() / 1_000) + 3_600
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ ...claims, exp })}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

async function run(tx: Transaction, { text, mayFail }: Statement): Promise<void> {
  if (mayFail) await tx.execute(sql`savepoint one`)
  try {
    await tx.execute(sql.trusted(text))
  } catch (error) {
    if (isLost(error)) throw error
    if (!mayFail || !/^23|^55000$/.test((error as { code?: string }).code ?? ''))
      throw new Error(text, { cause: error })
    await tx.execute(sql`rollback to savepoint one`)
  }
}

/** The connection, Postgres, or a deadlock with what Holdfast reads. */
function isLost(error: unknown): boolean {
  const { code = '' } = error as { code?: string }
  return /^(57P0|08|40P01|ECONN|EPIPE)/.test(code) || /terminated|timeout|Connection/i.test(String(error))
}

/** Waits until each device shows the last state of its person. @returns how long it took, in milliseconds */
async function untilEqual(devices: readonly Device[], shown: readonly (readonly State[])[]): Promise<number> {
  const began = Date.now()
  const isCurrent = ({ states }: Device, index: number): boolean =>
    isEqual(states.at(-1) ?? new Map(), shown[index]?.at(-1) ?? new Map())
  while (!devices.every(isCurrent) && Date.now() - began < SETTLE_MS) await pause(20)
  return Date.now() - began
}

/** @param shown - what Postgres showed the person of the device after each commit */
function breachesOf({ states, log }: Device, shown: readonly State[]): readonly string[] {
  const breaches = findBreaches(states, shown)
  const [last, wanted] = [states.at(-1) ?? new Map<string, string>(), shown.at(-1) ?? new Map<string, string>()]
  if (isEqual(last, wanted)) return breaches
  return [...breaches, `is not equal in the end: ${nearest([wanted], last)} ${log()}`]
}

/** Asks until Postgres is there again and knows. */
async function hasCommitted(admin: Pool, xid: string): Promise<boolean> {
  for (;;) {
    try {
      const [row] = await admin.query<{ status: string | null }>(
        sql`select case when ${xid}::xid8 < pg_snapshot_xmax(pg_current_snapshot()) then pg_xact_status(${xid}::xid8) end as status`,
      )
      if (row?.status !== 'in progress') return row?.status === 'committed'
    } catch (error) {
      if (!isLost(error)) throw error
    }
    await pause(50)
  }
}

/** Runs one transaction. @returns what each device is to show after it, or `lost` when it did not commit */
async function attempt(
  admin: Pool,
  statements: readonly Statement[],
  devices: readonly Device[],
  {
    keys,
    declared,
  }: { readonly keys: Readonly<Record<string, readonly string[]>>; readonly declared: readonly RandomStream[] },
): Promise<'lost' | State[]> {
  let xid = ''
  let states: State[] = []
  try {
    await admin.transaction(async (tx) => {
      const [row] = await tx.query<{ xid: string }>(sql`select pg_current_xact_id()::text as xid`)
      xid = row?.xid ?? ''
      for (const statement of statements) await run(tx, statement)
      states = []
      for (const { person, wants } of devices)
        states.push(await shownRows(tx, person, { keys, wanted: (table) => wantedCondition(declared, wants, table) }))
    })
    return states
  } catch (error) {
    if (!isLost(error)) throw error
    // Maybe it did commit: Postgres knows, once it is there again.
    return xid !== '' && states.length === devices.length && (await hasCommitted(admin, xid)) ? states : 'lost'
  }
}
