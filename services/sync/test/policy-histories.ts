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

/**
 * Runs one history of random tables, policies, people and streams: all are made from scratch in one transaction while the service runs. Then rows, memberships,
 * policies and streams change while devices come and go, on lines that are slow and get cut.
 */
export async function runPolicyHistory(
  world: World,
  seed: number,
  {
    settleMs = 10_000,
    disturb,
    changesSchema = true,
  }: {
    readonly settleMs?: number
    readonly disturb?: (random: Random) => Promise<unknown>
    readonly changesSchema?: boolean
  } = {},
): Promise<{ history: History; followed: Followed[]; told: string }> {
  const random = createRandom(seed)
  /** Of its own, so that everything else is as it would be without the bad table. */
  const bad = createRandom(seed + BAD_SEED)
  const tables = ['items', 'things'].slice(0, random.chance(0.6) ? 2 : 1).map((name) => randomTable(random, name))
  const people = randomPeople(random, OWN_ROLE)
  const streams = random.chance(0.35)
    ? randomStreams(
        random,
        tables.map(({ name }) => name),
      )
    : []
  let declared: readonly RandomStream[] = []
  const viewers = Array.from({ length: DEVICES }, (_, index): Viewer => {
    const person = random.pick(people)
    return { person, wants: randomWants(random, streams), label: `${index} ${person.role}` }
  })
  const shown = new Map<string, DeviceState[]>(viewers.map(({ label }) => [label, []]))
  const told: string[] = []
  const keys = Object.fromEntries(tables.map(({ name, key }) => [name, key]))

  /** One transaction. What Holdfast reads meanwhile may be in the way, so that Postgres gives up one of the two: then once more. */
  const commit = async (statements: readonly Statement[]): Promise<void> => {
    const attempt = (): Promise<DeviceState[]> =>
      world.db.pool.transaction(async (tx) => {
        for (const statement of statements) await run(tx, statement, seed)
        // Nobody else writes: what each person sees now is what they see once this has committed.
        const states: DeviceState[] = []
        for (const { person, wants } of viewers) {
          const wanted = (table: string): string => wantedCondition(declared, wants, table)
          const shown = await shownRows(tx, person, { keys, wanted })
          states.push(new Map([...shown, ...(await shownOfBad(tx, person))]))
        }
        return states
      })
    let states: DeviceState[] | undefined
    for (let left = 5; !states; left--) {
      states = await attempt().catch((error: { code?: string }) => {
        if (left === 0 || error.code !== DEADLOCK) throw error
        return undefined
      })
    }
    told.push(...statements.map(({ text }) => text), '--')
    viewers.forEach(({ label }, index) => shown.get(label)?.push(states[index] as DeviceState))
  }
  const must = (list: readonly string[]): readonly Statement[] => list.map((text) => ({ text, mayFail: false }))
  const toggleStream = (stream: RandomStream): readonly Statement[] => {
    const isDeclared = declared.includes(stream)
    declared = isDeclared ? declared.filter((one) => one !== stream) : [...declared, stream]
    return must([isDeclared ? `select sync.drop_stream('${stream.name}')` : declareStream(stream)])
  }
  const badRows = (count: number): readonly Statement[] => must(Array.from({ length: count }, () => changeBadRow(bad)))
  const rows = (count: number): readonly Statement[] =>
    Array.from({ length: count }, () => ({ text: changeRows(random, tables), mayFail: true }))

  await commit([
    ...must([
      `delete from sync.streams`,
      dropRandomTable('items'),
      dropRandomTable('things'),
      EMPTY_ALL,
      ...tables.flatMap(({ create }) => create),
      ...randomPolicies(random, tables, OWN_ROLE),
      `delete from public.${BAD_TABLE}`,
      ...badPolicy(bad.pick(BAD_FORMS)),
    ]),
    ...badRows(4),
    ...streams.filter(() => random.chance(0.7)).flatMap(toggleStream),
  ])
  for (let i = 0; i < 4; i++) await commit(rows(8))

  await using link = await openFaultyLink(world.url)
  const followed: Followed[] = []
  const steps = 10 + random.below(10)
  for (let step = 0; step < steps; step++) {
    const next = viewers[followed.length]
    if (next && random.chance(0.45)) {
      const device = world.device('', {
        url: link.url,
        token: Buffer.from(JSON.stringify(next.person.claims)).toString('base64url'),
        format: random.pick(['bson', 'ndjson']),
        body: {
          streams: {
            include_defaults: next.wants.includeDefaults,
            subscriptions: next.wants.subscriptions.map(({ stream, parameters, override_priority }) => ({
              stream,
              parameters,
              override_priority,
            })),
          },
        },
      })
      device.connect()
      followed.push({ userId: next.label, device })
    } else if (followed.length > 0 && random.chance(0.35)) {
      const { device } = random.pick(followed)
      if (device.isOpen) device.disconnect()
      else device.connect()
    }
    // Mostly from where devices have what there was before; sometimes while all is still being made.
    const [first] = followed
    if (followed.length === 1 && first && random.chance(0.8))
      await first.device.until(({ completed }) => completed.length > 0, 'the beginning', 5_000).catch(() => undefined)
    const isSchema = changesSchema && random.chance(0.2)
    await commit([
      ...(random.chance(0.9) ? rows(1 + random.below(4)) : []),
      ...(!isSchema
        ? []
        : streams.length > 0 && random.chance(0.3)
          ? toggleStream(random.pick(streams))
          : must(changeSchema(random, tables, OWN_ROLE))),
      ...(isSchema && random.chance(0.7) ? rows(1 + random.below(4)) : []),
      ...(changesSchema && bad.chance(0.1) ? must(badPolicy(bad.pick(BAD_FORMS))) : []),
      ...(bad.chance(0.4) ? badRows(1 + bad.below(2)) : []),
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
  return { history: { seed, shown }, followed, told: told.join(';\n') }
}

/** What a constraint refuses is no change, nor what Postgres does while a table is without a replica identity, as was asked for. */
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
