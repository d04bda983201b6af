import { createRandom, runsOf, seedOf } from '@holdfast/test-support'
import { expect, test, describe } from 'vitest'
import type { BucketDefinition } from '@holdfast/policy'
import type { StreamClient } from './stream-client.ts'
import {
  ONE,
  ORG,
  OTHER_ORG,
  print,
  PROJECTS,
  SCHEMA,
  subscription,
  wanted,
  type Subscription,
} from './streams-world.ts'
import { ALICE, BOB, openWorld, type World } from './sync-world.ts'

/*
 * Pins that whatever devices subscribe to and whenever they change it, each completed checkpoint is what Postgres had by policies and streams
 * together after some commit, in the order of the commits, and nothing comes that was never visible.
 */

const HISTORIES = runsOf(2, { variable: 'HOLDFAST_STREAM_HISTORIES' })
const SEED = seedOf('HOLDFAST_HISTORY_SEED')

interface Followed {
  readonly userId: string
  readonly device: StreamClient
  subscriptions: readonly Subscription[]
  includeDefaults: boolean
  /** What the device has to have had, oldest first, since it connected last. */
  allowed: string[]
  /** Its completed checkpoints before that. */
  before: number
  /** Rows that its person could select at any time. */
  readonly seen: Set<string>
}

/** Each completed checkpoint has to be what Postgres had after some commit, never going back. */
function findBreaches({ device, allowed, before, seen }: Followed): readonly string[] {
  const breaches = [...device.faults]
  let reached = 0
  for (const { state, opId } of device.completed.slice(before)) {
    const at = allowed.indexOf(print(state), reached)
    if (at < 0)
      breaches.push(`the checkpoint at ${opId} is nothing that Postgres had since ${reached}: ${print(state)}`)
    else reached = at
  }
  for (const row of new Set(device.received)) if (!seen.has(row)) breaches.push(`never visible: ${row}`)
  return breaches
}

/** @returns what was wrong */
async function runStreamHistory(world: World, seed: number): Promise<readonly string[]> {
  const random = createRandom(seed)
  const breaches: string[] = []
  const anySubscription = (): Subscription => {
    const priority = random.chance(0.3) ? random.below(4) : null
    return random.pick([
      subscription('by_project', { project: random.pick(PROJECTS) }, priority),
      subscription('by_state', { states: random.chance(0.5) ? ['open'] : ['done', 'urgent'] }, priority),
      subscription('small', { max: random.below(6) }, priority),
      subscription('children', { from: random.below(6) }, priority),
      subscription('urgent', {}, priority),
    ])
  }
  const followed = [ALICE, ALICE, BOB].map((userId): Followed => ({
    userId,
    device: world.device(userId),
    subscriptions: [],
    includeDefaults: false,
    allowed: [],
    before: 0,
    seen: new Set(),
  }))
  const note = async (one: Followed): Promise<void> => {
    one.allowed.push(print(await wanted(world, one.userId, one.subscriptions, one.includeDefaults)))
    const all = await world.visible(one.userId, ['issues', 'comments', 'notes', 'members'])
    for (const [key, json] of all) one.seen.add(`${key} ${json}`)
  }
  const reconnect = async (one: Followed): Promise<void> => {
    one.device.disconnect()
    breaches.push(...findBreaches(one))
    one.subscriptions = Array.from({ length: random.below(4) }, anySubscription)
    one.includeDefaults = random.chance(0.5)
    one.allowed = []
    one.before = one.device.completed.length
    await note(one)
    one.device.connect({ streams: { include_defaults: one.includeDefaults, subscriptions: one.subscriptions } })
  }
  const org = (): string => random.pick([ORG, OTHER_ORG])
  const state = (): string => random.pick(['open', 'done', 'urgent'])
  const issue = (): string => `(select id from issues order by id offset ${random.below(5)} limit 1)`
  const change = (): string =>
    random.pick([
      () =>
        `insert into issues (org_id, project_id, state, n, parent_id) select '${org()}', '${random.pick(PROJECTS)}', '${state()}', ${random.below(6)}, ${issue()}`,
      () =>
        `insert into comments (org_id, issue_id, body) select '${org()}', i.id, 'c' from issues i order by id limit 2`,
      () => `insert into members (org_id, user_id) values ('${org()}', '${random.pick([ALICE, BOB])}')`,
      () => `delete from members where id = (select id from members order by id offset ${random.below(3)} limit 1)`,
      () => `update issues set project_id = '${random.pick(PROJECTS)}' where id = ${issue()}`,
      () => `update issues set n = ${random.below(6)}, state = '${state()}' where id = ${issue()}`,
      () => `update issues set parent_id = ${issue()} where id = ${issue()}`,
      () => `delete from issues where id = ${issue()}`,
      () => `insert into notes (org_id, body) values ('${org()}', 'n${random.below(100)}')`,
    ])()
  await world.run(`
    insert into members (org_id, user_id) values ('${ORG}', '${ALICE}'), ('${OTHER_ORG}', '${ALICE}'), ('${OTHER_ORG}', '${BOB}');
    insert into issues (org_id, project_id, n)
    select o.id, p.id, row_number() over () from unnest('{${ORG},${OTHER_ORG}}'::uuid[]) o (id), unnest('{${PROJECTS.join()}}'::uuid[]) p (id)`)
  for (const one of followed) await reconnect(one)
  for (let step = 0; step < 25; step++) {
    // One transaction.
    await world.run(Array.from({ length: 1 + random.below(3) }, change).join(';\n'))
    for (const one of followed) await note(one)
    if (random.chance(0.5)) await new Promise((resolve) => setTimeout(resolve, random.below(40)))
    for (const one of followed) if (random.chance(0.1)) await reconnect(one)
  }
  for (const one of followed) {
    const { device, allowed, subscriptions } = one
    await device
      .until(() => device.completed.length > one.before && print(device.state) === allowed.at(-1), 'equality', 5_000)
      .catch(() => breaches.push(`not equal in the end: ${JSON.stringify(subscriptions)}`))
    device.disconnect()
    breaches.push(...findBreaches(one))
  }
  await world.run('truncate public.members, public.issues, public.comments, public.notes')
  return breaches.map((breach) => `seed ${seed}: ${breach}`)
}

test(
  `devices whose subscriptions come and go have what Postgres had, at every checkpoint of random histories (seed ${SEED})`,
  async () => {
    await using world = await openWorld({ schema: SCHEMA })
    for (let round = 0; round < HISTORIES; round++) expect(await runStreamHistory(world, SEED + round)).toEqual([])
  },
  300_000 + HISTORIES * 15_000,
)

describe('that checker finds', () => {
  const plant = (change: (definition: BucketDefinition) => BucketDefinition): Promise<World> =>
    openWorld({
      schema: SCHEMA,
      tamper: (plan) => ({
        ...plan,
        tables: plan.tables.map((table) => ({ ...table, definitions: table.definitions.map(change) })),
      }),
    })

  test('a stream that is lost', async () => {
    await using faulty = await openWorld({
      schema: SCHEMA,
      tamper: (plan) => ({
        ...plan,
        tables: plan.tables.map((table) => ({
          ...table,
          definitions: table.definitions.filter(({ stream }) => stream !== 'by_state'),
        })),
      }),
    })
    expect(await findsSomething(faulty)).toBe(true)
  })

  const findsSomething = async (faulty: World): Promise<boolean> => {
    for (let seed = 1; seed <= 25; seed++) if ((await runStreamHistory(faulty, seed)).length > 0) return true
    return false
  }

  test('a change of keys without another evaluation', async () => {
    await using faulty = await plant((one) => ({ ...one, dependencies: [] }))
    expect(await findsSomething(faulty)).toBe(true)
  })

  test('a stream that is not narrowed by its parameter', async () => {
    await using faulty = await plant((one) => ({
      ...one,
      keyQuery: one.keyQuery.replaceAll(
        /\("subscription"\.parameter\(\('project'\)::text\)\)::uuid/g,
        `'${ONE}'::uuid`,
      ),
    }))
    expect(await findsSomething(faulty)).toBe(true)
  })
})
