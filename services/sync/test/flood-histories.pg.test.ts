import { randomUUID } from 'node:crypto'
import { delay } from '@holdfast/foundation'
import { sql, type Transaction } from '@holdfast/postgres'
import { type Random, runsOf, seedOf } from '@holdfast/test-support'
import { expect, test } from 'vitest'
import { findBreaches, runHistory, type Followed, type History } from './histories.ts'
import type { SyncStatus } from '../src/inspect/status.ts'
import type { DeviceState } from './stream-client.ts'
import { ALICE, BOB, CAROL, LISTS_SCHEMA, openWorld, type World } from './sync-world.ts'

/*
 * The invariant of `histories.pg.test.ts` where there is more than fits: an omission is a whole alternative of a policy, or whole access classes, of the
 * table that is reported. Everything else is exactly what Postgres shows. `HOLDFAST_FLOOD_HISTORIES` sets how many of each kind,
 * `HOLDFAST_HISTORY_SEED` the first seed.
 */

const COUNT = runsOf(2, { variable: 'HOLDFAST_FLOOD_HISTORIES' })
const FIRST = seedOf('HOLDFAST_HISTORY_SEED')
const TIMEOUT = 120_000 + COUNT * 30_000
const SETTLE_MS = 40_000

type Row = Readonly<Record<string, unknown>>
const rowOf = (json: string): Row => JSON.parse(json) as Row
const isItem = (key: string): boolean => key.startsWith('items/')

const told = ({ device }: Followed): boolean =>
  JSON.stringify(device.lines.findLast(({ checkpoint }) => checkpoint)?.checkpoint?.streams ?? []).includes(
    'not synced',
  )

async function statusOf(world: World): Promise<SyncStatus> {
  const token = Buffer.from(JSON.stringify({ role: 'service_role' })).toString('base64url')
  const response = await fetch(`${world.url}/sync/v1/status`, { headers: { authorization: `Bearer ${token}` } })
  return (await response.json()) as SyncStatus
}

// --- buckets: own rows, own memberships, and each shared list are one

const BUCKETS_MAX = 3

/** Lists that this many people share do not fit: their rows are left out, but for the own ones, which come by another policy. */
function fitting(userId: string, shown: DeviceState): DeviceState {
  const lists = new Set(
    [...shown].filter(([key]) => key.startsWith('list_members/')).map(([, json]) => rowOf(json)['list_id']),
  )
  if (lists.size <= BUCKETS_MAX - 2) return shown
  return new Map([...shown].filter(([key, json]) => !isItem(key) || rowOf(json)['owner_id'] === userId))
}

test(
  `devices show all that fits when people are made members of too much, in ${COUNT} histories`,
  { timeout: TIMEOUT },
  async () => {
    await using world = await openWorld({ bucketsPerClientMax: BUCKETS_MAX })
    let leftOut = 0
    for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
      const { history, followed } = await runHistory(world, seed, {
        settleMs: SETTLE_MS,
        disturb: () => world.service.compact(),
        isLast: (state, last, userId) => isSame(state, fitting(userId, last)),
      })
      const fitted: History = {
        seed,
        shown: new Map(
          [...history.shown].map(([userId, states]) => [userId, states.map((one) => fitting(userId, one))]),
        ),
      }
      for (const one of followed) {
        expect(findBreaches(fitted, one), `seed ${seed}`).toEqual([])
        const last = history.shown.get(one.userId)?.at(-1) ?? new Map()
        if (isSame(fitting(one.userId, last), last)) continue
        expect(told(one), `seed ${seed}: told`).toBe(true)
        leftOut++
      }
    }
    if (COUNT >= 6) expect(leftOut).toBeGreaterThan(0)
  },
)

function isSame(one: DeviceState, other: DeviceState): boolean {
  return one.size === other.size && [...one].every(([key, json]) => other.get(key) === json)
}

// --- access classes: different values of n

const CLASSES_MAX = 12
const SHARE = 4
const CLASSES = `${LISTS_SCHEMA}
  drop policy own on public.items; drop policy shared on public.items;
  create function public.my_limit() returns int language plpgsql stable as $$
  begin return (select 200 + 400 * count(*) from public.list_members where user_id = auth.uid()); end $$;
  create policy low on public.items using (n <= my_limit())`

/** Whether a device has everything but whole access classes of what was shown. */
function lacksOnlyClasses(state: DeviceState, shown: DeviceState): boolean {
  const present = new Set([...state].filter(([key]) => isItem(key)).map(([, json]) => rowOf(json)['n']))
  return (
    [...state].every(([key, json]) => shown.get(key) === json) &&
    [...shown].every(([key, json]) => state.has(key) || (isItem(key) && !present.has(rowOf(json)['n'])))
  )
}

/** Transactions of a person, some of which bring many values. */
async function flood(tx: Transaction, random: Random): Promise<void> {
  if (random.chance(0.7))
    await tx.execute(
      sql`select pg_logical_emit_message(true, 'holdfast:author', ${random.pick([ALICE, BOB, CAROL])}::text)`,
    )
  if (random.chance(0.25)) {
    const from = random.below(1_500)
    await tx.execute(sql`
      insert into public.items (id, title, n)
      select md5(${String(random.below(1e9))}::text || n)::uuid, 'flood', n
        from generate_series(${from}::int, ${from + random.below(20)}::int) n`)
  } else if (random.chance(0.15)) await tx.execute(sql`delete from public.items where title = 'flood'`)
}

/**
 * A person who connects now has every class but as many as are reported as left out, to operators and to the device.
 *
 * @returns whether there are any
 */
async function lacksWhatIsReported(world: World, userId: string): Promise<boolean> {
  const visible = await world.visible(userId)
  const device = world.device(userId)
  device.connect()
  let missing = 0
  let max = 0
  for (const deadline = Date.now() + SETTLE_MS; Date.now() < deadline;) {
    const state = device.completed.at(-1)?.state
    const lacking = [...visible].filter(([key]) => !state?.has(key)).map(([, json]) => rowOf(json)['n'])
    missing = new Set(lacking).size
    max = (await statusOf(world)).leftOutClasses.reduce((sum, { leftOut }) => sum + leftOut, 0)
    if (state && missing <= max && lacksOnlyClasses(state, visible)) break
    await delay(50)
  }
  expect(missing).toBeLessThanOrEqual(max)
  expect(lacksOnlyClasses(device.completed.at(-1)?.state ?? new Map(), visible)).toBe(true)
  if (missing > 0) expect(told({ userId, device })).toBe(true)
  device.disconnect()
  return missing > 0
}

/** The breaches of one device; missing rows have to be whole classes. */
function findClassBreaches(history: History, { userId, device }: Followed): string[] {
  const shown = history.shown.get(userId) ?? []
  const breaches = [...device.faults]
  let reached = 0
  for (const [index, { state }] of device.completed.entries()) {
    const at = shown.findIndex((one, commit) => commit >= reached && lacksOnlyClasses(state, one))
    if (at >= 0) reached = at
    else breaches.push(`checkpoint ${index} is no part of what Postgres showed: ${JSON.stringify([...state])}`)
  }
  if (!lacksOnlyClasses(device.state, shown.at(-1) ?? new Map())) breaches.push('the last state is not the present one')
  const allowed = new Set(shown.flatMap((state) => [...state].map(([key, json]) => `${key} ${json}`)))
  for (const row of new Set(device.received)) if (!allowed.has(row)) breaches.push(`never visible: ${row}`)
  return breaches
}

test(
  `devices show all but whole values when there are too many, in ${COUNT} histories`,
  { timeout: TIMEOUT },
  async () => {
    await using world = await openWorld({ schema: CLASSES, classesMax: CLASSES_MAX, classesPerPersonMax: SHARE })
    let leftOut = 0
    for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
      const { history, followed } = await runHistory(world, seed, {
        settleMs: SETTLE_MS,
        disturb: (random) => (random.chance(0.5) ? world.restart() : world.service.compact()),
        begin: flood,
        isLast: lacksOnlyClasses,
      })
      for (const one of followed) expect(findClassBreaches(history, one), `seed ${seed}`).toEqual([])
      if (await lacksWhatIsReported(world, [ALICE, BOB, CAROL][seed % 3] ?? ALICE)) leftOut++

      // Without the flood, and once that was looked at, everything is there.
      const marker = randomUUID()
      const device = world.device(ALICE)
      device.connect()
      await world.run(`
      delete from public.items where n not in (select n from public.items order by n limit ${SHARE});
      insert into public.list_members values ('${marker}', '${marker}', '${ALICE}')`)
      await device.until(
        () => device.completed.at(-1)?.state.has(`list_members/${marker}`) === true,
        'it is in the log',
        SETTLE_MS,
      )
      device.disconnect()
      await world.restart()
      for (const userId of [ALICE, BOB, CAROL]) {
        const device = world.device(userId)
        device.connect()
        const visible = await world.visible(userId)
        await device.until(
          () => isSame(device.completed.at(-1)?.state ?? new Map(), visible),
          `seed ${seed}: all`,
          SETTLE_MS,
        )
        device.disconnect()
      }
    }
    if (COUNT >= 6) expect(leftOut).toBeGreaterThan(0)
  },
)
