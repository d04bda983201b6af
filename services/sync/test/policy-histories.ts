import { randomBytes } from 'node:crypto'
import { delay } from '@holdfast/foundation'
import { sql, type Transaction } from '@holdfast/postgres'
import {
  BAD_FORMS,
  BAD_SCHEMA,
  BAD_TABLE,
  badPolicy,
  changeBadRow,
  changeRows,
  changeSchema,
  createRandom,
  declareStream,
  dropRandomTable,
  EMPTY_ALL,
  openFaultyLink,
  policySchema,
  roleUnlessThere,
  shownOfBad,
  randomPeople,
  randomPolicies,
  randomStreams,
  randomTable,
  randomWants,
  shownRows,
  wantedCondition,
  type Random,
  type RandomPerson,
  type RandomStream,
  type RandomTable,
  type RandomWants,
} from '@holdfast/test-support'
import { untilLast, type Followed, type History } from './histories.ts'
import type { DeviceState } from './stream-client.ts'
import { openWorld, type World, type WorldOptions } from './sync-world.ts'

/** Roles are those of the whole cluster, which other tests share and which grant rights to them: they stay until it goes. */
const SUFFIX = randomBytes(4).toString('hex')
const [KEEPER, OWN_ROLE] = [`keeper_${SUFFIX}`, `clerk_${SUFFIX}`] as const

const SCHEMA = `
  create or replace function auth.jwt() returns jsonb language sql stable as $$ select coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb $$;
  create or replace function auth.role() returns text language sql stable as $$ select nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role' $$;
  ${policySchema(KEEPER)}
  ${roleUnlessThere(OWN_ROLE)}
  grant ${OWN_ROLE} to authenticator;
  grant usage on schema public, auth, sync to ${OWN_ROLE};
  grant select on all tables in schema public to ${OWN_ROLE};
  alter default privileges in schema public grant select on tables to ${OWN_ROLE};
  ${BAD_SCHEMA}
`

/** Functions that take for ever do not do so for long. */
const ROW_LIMITS = { statementMs: 200, rowMs: 0.1, retryMs: 400, tableMs: 4_000 }

/** A world for random policies: without the tables that they are tried on, which each history makes. */
export function openPolicyWorld(options: WorldOptions = {}): Promise<World> {
  return openWorld({ ...options, schema: SCHEMA, rowLimits: ROW_LIMITS })
}

/** A device, who has it, and what it wants. */
interface Viewer {
  readonly person: RandomPerson
  readonly wants: RandomWants
  readonly label: string
}

const DEVICES = 4
const DEADLOCK = '40P01'
const BAD_SEED = 1_000_000

interface Statement {
  readonly text: string
  /** A constraint may refuse it. */
  readonly mayFail: boolean
}

export interface PolicyHistoryOptions {
  readonly settleMs?: number
  readonly disturb?: (random: Random) => Promise<unknown>
  readonly changesSchema?: boolean
}

/**
 * Runs one history of random tables, policies, people and streams: all are made from scratch in one transaction while the service runs. Then rows, memberships,
 * policies and streams change while devices come and go, on lines that are slow and get cut.
 */
export async function runPolicyHistory(
  world: World,
  seed: number,
  { settleMs = 60_000, disturb, changesSchema = true }: PolicyHistoryOptions = {},
): Promise<{ history: History; followed: Followed[]; told: string }> {
  const database = new RandomDatabase(world, seed)
  const { random, bad, shown } = database
  await database.create()
  await using link = await openFaultyLink(world.url)
  const devices = new RandomDevices(world, database, link.url)
  const { followed } = devices
  const steps = 10 + random.below(10)
  for (let step = 0; step < steps; step++) {
    devices.comeOrGo()
    // Mostly from where devices have what there was before; sometimes while all is still being made.
    const [first] = followed
    if (followed.length === 1 && first && random.chance(0.8))
      await first.device.until(({ completed }) => completed.length > 0, 'the beginning', 5_000).catch(() => undefined)
    const isSchema = changesSchema && random.chance(0.2)
    await database.commit([
      ...(random.chance(0.9) ? database.rows(1 + random.below(4)) : []),
      ...(isSchema ? database.schemaChange() : []),
      ...(isSchema && random.chance(0.7) ? database.rows(1 + random.below(4)) : []),
      ...(changesSchema && bad.chance(0.1) ? must(badPolicy(bad.pick(BAD_FORMS))) : []),
      ...(bad.chance(0.4) ? database.badRows(1 + bad.below(2)) : []),
    ])
    if (random.chance(0.5)) await delay(random.below(15))
    const open = followed.filter(({ device }) => device.isOpen)
    if (open.length > 0 && random.chance(0.4)) {
      const { device } = random.pick(open)
      const seen = device.completed.length
      const waitMs = isSchema ? 1_500 : 150
      await device.until(() => device.completed.length > seen, 'news', waitMs).catch(() => undefined) // maybe there are none
    }
    if (random.chance(0.1))
      random.pick([() => link.cut(), () => link.slow(random.below(400) + 20), () => link.slow(0)])()
    if (disturb && random.chance(0.15)) await disturb(random)
  }
  link.slow(0)
  await untilLast(followed, shown, settleMs)
  return { history: { seed, shown, hasNewTables: changesSchema }, followed, told: database.told.join(';\n') }
}

function must(list: readonly string[]): readonly Statement[] {
  return list.map((text) => ({ text, mayFail: false }))
}

/** The tables, policies and streams of one history, and what its viewers were shown after each transaction. */
class RandomDatabase {
  readonly random: Random
  /** A separate random source, so that everything else is the same as without the bad table. */
  readonly bad: Random
  readonly viewers: readonly Viewer[]
  readonly shown: Map<string, DeviceState[]>
  /** All statements that were committed. */
  readonly told: string[] = []
  readonly #world: World
  readonly #seed: number
  readonly #tables: readonly RandomTable[]
  readonly #streams: readonly RandomStream[]
  readonly #keys: Readonly<Record<string, RandomTable['key']>>
  #declared: readonly RandomStream[] = []

  constructor(world: World, seed: number) {
    const random = createRandom(seed)
    this.#world = world
    this.#seed = seed
    this.random = random
    this.bad = createRandom(seed + BAD_SEED)
    this.#tables = ['items', 'things'].slice(0, random.chance(0.6) ? 2 : 1).map((name) => randomTable(random, name))
    const people = randomPeople(random, OWN_ROLE)
    const names = this.#tables.map(({ name }) => name)
    const streams = random.chance(0.35) ? randomStreams(random, names) : []
    this.#streams = streams
    this.viewers = Array.from({ length: DEVICES }, (_, index): Viewer => {
      const person = random.pick(people)
      return { person, wants: randomWants(random, streams), label: `${index} ${person.role}` }
    })
    this.shown = new Map<string, DeviceState[]>(this.viewers.map(({ label }) => [label, []]))
    this.#keys = Object.fromEntries(this.#tables.map(({ name, key }) => [name, key]))
  }

  /** Replaces what the history before has left, in one transaction, and fills the tables. */
  async create(): Promise<void> {
    const { random, bad } = this
    await this.commit([
      ...must([
        `delete from sync.streams`,
        dropRandomTable('items'),
        dropRandomTable('things'),
        EMPTY_ALL,
        ...this.#tables.flatMap(({ create }) => create),
        ...randomPolicies(random, this.#tables, OWN_ROLE),
        `delete from public.${BAD_TABLE}`,
        ...badPolicy(bad.pick(BAD_FORMS)),
      ]),
      ...this.badRows(4),
      ...this.#streams.filter(() => random.chance(0.7)).flatMap((stream) => this.#toggleStream(stream)),
    ])
    for (let i = 0; i < 4; i++) await this.commit(this.rows(8))
  }

  /** Commits one transaction. It can deadlock with reads of the server; if Postgres aborts it for that, it is repeated. */
  async commit(statements: readonly Statement[]): Promise<void> {
    let states: DeviceState[] | undefined
    for (let left = 5; !states; left--) {
      states = await this.#attempt(statements).catch((error: { code?: string }) => {
        if (left === 0 || error.code !== DEADLOCK) throw error
        return undefined
      })
    }
    this.told.push(...statements.map(({ text }) => text), '--')
    for (const [index, { label }] of this.viewers.entries()) this.shown.get(label)?.push(states[index] as DeviceState)
  }

  rows(count: number): readonly Statement[] {
    return Array.from({ length: count }, () => ({ text: changeRows(this.random, this.#tables), mayFail: true }))
  }

  badRows(count: number): readonly Statement[] {
    return must(Array.from({ length: count }, () => changeBadRow(this.bad)))
  }

  schemaChange(): readonly Statement[] {
    const { random } = this
    if (this.#streams.length > 0 && random.chance(0.3)) return this.#toggleStream(random.pick(this.#streams))
    return must(changeSchema(random, this.#tables, OWN_ROLE))
  }

  /** @returns what each viewer sees after the statements */
  #attempt(statements: readonly Statement[]): Promise<DeviceState[]> {
    return this.#world.db.pool.transaction(async (tx) => {
      for (const statement of statements) await run(tx, statement, this.#seed)
      // No one else writes: what each person sees now is what they see once this has committed.
      const states: DeviceState[] = []
      for (const { person, wants } of this.viewers) {
        const wanted = (table: string): string => wantedCondition(this.#declared, wants, table)
        const shown = await shownRows(tx, person, { keys: this.#keys, wanted })
        states.push(new Map([...shown, ...(await shownOfBad(tx, person))]))
      }
      return states
    })
  }

  #toggleStream(stream: RandomStream): readonly Statement[] {
    const isDeclared = this.#declared.includes(stream)
    this.#declared = isDeclared ? this.#declared.filter((one) => one !== stream) : [...this.#declared, stream]
    return must([isDeclared ? `select sync.drop_stream('${stream.name}')` : declareStream(stream)])
  }
}

/** The devices of a history's viewers. */
class RandomDevices {
  readonly followed: Followed[] = []
  readonly #world: World
  readonly #database: RandomDatabase
  /** The address of the faulty line. */
  readonly #url: string

  constructor(world: World, database: RandomDatabase, url: string) {
    this.#world = world
    this.#database = database
    this.#url = url
  }

  /** Sometimes adds a device; sometimes ends the connection of one, or lets it connect again. */
  comeOrGo(): void {
    const { random, viewers } = this.#database
    const next = viewers[this.followed.length]
    if (next && random.chance(0.45)) this.#add(next)
    else if (this.followed.length > 0 && random.chance(0.35)) {
      const { device } = random.pick(this.followed)
      if (device.isOpen) device.disconnect()
      else device.connect()
    }
  }

  #add({ person, wants, label }: Viewer): void {
    const device = this.#world.device('', {
      url: this.#url,
      token: Buffer.from(JSON.stringify(person.claims)).toString('base64url'),
      format: this.#database.random.pick(['bson', 'ndjson']),
      body: {
        streams: {
          include_defaults: wants.includeDefaults,
          subscriptions: wants.subscriptions.map(({ stream, parameters, override_priority }) => ({
            stream,
            parameters,
            override_priority,
          })),
        },
      },
    })
    device.connect()
    this.followed.push({ userId: label, device })
  }
}

/** Runs a statement. Those marked `mayFail` may be refused by a constraint, or by Postgres while a table has no replica identity; they then change nothing. */
async function run(tx: Transaction, { text, mayFail }: Statement, seed: number): Promise<void> {
  if (mayFail) await tx.execute(sql`savepoint one`)
  try {
    await tx.execute(sql.trusted(text))
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (code === DEADLOCK) throw error
    if (!mayFail || !/^23|^55000$/.test(code)) throw new Error(`seed ${seed}: ${text}`, { cause: error })
    await tx.execute(sql`rollback to savepoint one`)
  }
}
