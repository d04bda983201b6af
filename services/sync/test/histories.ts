import { delay } from '@holdfast/foundation'
import { assumeSession, isConnectionLoss, sql, type Transaction } from '@holdfast/postgres'
import { BAD_TABLE, createRandom, type Random } from '@holdfast/test-support'
import type { DeviceState, StreamClient } from './stream-client.ts'
import type { SyncService } from '../src/sync.ts'
import { ALICE, BOB, CAROL, type World } from './sync-world.ts'

const PEOPLE = [ALICE, BOB, CAROL] as const
const LISTS = ['11111111', '22222222', '33333333'].map((start) => `${start}-0000-4000-8000-000000000000`)

/** What Postgres showed each person after each commit, in the order of the commits. */
export interface History {
  readonly seed: number
  readonly shown: ReadonlyMap<string, readonly DeviceState[]>
  /** Tables may be new to sync on the way: a device without them may go on without them, until they come whole. */
  readonly hasNewTables?: boolean
}

/** A device and what its person was shown. */
export interface Followed {
  readonly userId: string
  readonly device: StreamClient
}

/** A round of compaction, which ends early when a disturbance before it has cut the connections that it uses. */
export async function compactUnlessCutOff(service: SyncService): Promise<void> {
  try {
    await service.compact()
  } catch (error) {
    if (!isConnectionLoss(error)) throw error
  }
}

/**
 * Compares what a device was sent with what its person was shown.
 *
 * @returns one sentence for each breach: of the protocol, of equality at a completed checkpoint, of its order, of the end, and of what may be on the wire
 */
export function findBreaches(history: History, { userId, device }: Followed): string[] {
  const shown = history.shown.get(userId) ?? []
  const prints = shown.map(print)
  const breaches = device.faults.map((fault) => `protocol: ${fault}`)
  let reached = 0
  for (const [index, { state }] of device.completed.entries()) {
    const wanted = print(state)
    const before = device.completed[index - 1]?.state ?? new Map<string, string>()
    // The earliest that it can be: a state without tables that are new may equal a much later one as well.
    const at = history.hasNewTables
      ? findWithoutNew(shown, reached, { state, before })
      : prints.findIndex((one, commit) => commit >= reached && one === wanted)
    if (at >= 0) reached = at
    else if (prints.includes(wanted)) breaches.push(`order: checkpoint ${index} is older than the one before`)
    else breaches.push(`equality: checkpoint ${index} shows what Postgres never showed; ${nearest(shown, state)}`)
  }
  if (device.completed.length === 0)
    breaches.push(`end: no checkpoint (status ${device.status} ${device.refusal.slice(-200)})`)
  else if (print(device.state) !== prints.at(-1))
    breaches.push(`end: the last state is not the present one; ${nearest(shown.slice(-1), device.state)}`)
  breaches.push(...badRowsBeyond(device.state, shown.at(-1)).map((row) => `end: no policy shows it any more: ${row}`))
  const allowed = new Set(shown.flatMap((state) => [...state].map(([key, json]) => `${key} ${json}`)))
  for (const row of new Set(device.received))
    if (!allowed.has(row)) breaches.push(`wire: a version that was never visible: ${row}`)
  return breaches
}

/** Finds the commit whose state a device shows, ignoring tables of which it has no rows now and had none before. */
function findWithoutNew(
  shown: readonly DeviceState[],
  reached: number,
  { state, before }: { readonly state: DeviceState; readonly before: DeviceState },
): number {
  const tableOf = (key: string): string => key.slice(0, key.indexOf('/'))
  const had = new Set([...state.keys(), ...before.keys()].map(tableOf))
  const wanted = print(state)
  return shown.findIndex(
    (one, commit) => commit >= reached && print(new Map([...one].filter(([key]) => had.has(tableOf(key))))) === wanted,
  )
}

/** Rows of the table whose policy fails that are on a device, and are not shown to its person. */
function badRowsBeyond(state: DeviceState, shown: DeviceState | undefined): readonly string[] {
  return [...state]
    .filter(([key, json]) => key.startsWith(`${BAD_TABLE}/`) && shown?.get(key) !== json)
    .map(([key, json]) => `${key} ${json}`)
}

/** How a state differs from the one of those shown that it is most like. */
function nearest(shown: readonly DeviceState[], state: DeviceState): string {
  const entries = (one: DeviceState): ReadonlySet<string> => new Set([...one].map(([key, json]) => `${key} ${json}`))
  const held = entries(state)
  const differences = shown.map((one, commit) => {
    const wanted = entries(one)
    return {
      commit,
      lacks: [...wanted].filter((row) => !held.has(row)),
      has: [...held].filter((row) => !wanted.has(row)),
    }
  })
  const [best] = differences.toSorted(
    (one, other) => one.lacks.length + one.has.length - other.lacks.length - other.has.length,
  )
  return `of ${shown.length} commits the most like it is ${best?.commit}: lacks ${JSON.stringify(best?.lacks)}, has ${JSON.stringify(best?.has)}`
}

/**
 * The compared part of a state. Devices need not have rows of the table whose policy fails, and of no version of it that was never visible: the
 * check of what was sent takes care of that.
 */
export function print(state: DeviceState): string {
  const compared = [...state].filter(([key]) => !key.startsWith(`${BAD_TABLE}/`))
  return JSON.stringify(compared.toSorted(([left], [right]) => (left < right ? -1 : 1)))
}

/** @param last - what Postgres showed the person last */
export type IsLast = (state: DeviceState, last: DeviceState, userId: string) => boolean

/** Runs one random history over the tables of `LISTS_SCHEMA`, with devices that come and go. Waits at the end until all had the chance to be equal. */
export async function runHistory(
  world: World,
  seed: number,
  {
    settleMs = 8_000,
    disturb,
    changeSchema,
    servers,
    begin,
    isLast = (state, last) => print(state) === print(last),
  }: {
    readonly settleMs?: number
    readonly disturb?: (random: Random) => Promise<unknown>
    /** Changes tables, policies, functions or grants, in a transaction that may change rows as well. */
    readonly changeSchema?: (tx: Transaction, random: Random) => Promise<void>
    /** Addresses of servers: a device comes to any of them each time. */
    readonly servers?: () => readonly string[]
    /** Comes first in each transaction: says whose it is, and changes more. */
    readonly begin?: (tx: Transaction, random: Random) => Promise<void>
    /** Whether a device has come to what its person was shown last. */
    readonly isLast?: IsLast
  } = {},
): Promise<{ history: History; followed: Followed[] }> {
  const random = createRandom(seed)
  const shown = new Map<string, DeviceState[]>(PEOPLE.map((userId) => [userId, []]))
  const commit = async (body: (tx: Transaction) => Promise<void>): Promise<void> => {
    const states: DeviceState[] = []
    await world.db.pool.transaction(async (tx) => {
      await body(tx)
      // No one else writes: what each person sees now is what they see once this has committed.
      for (const userId of PEOPLE) states.push(await readAs(tx, userId))
    })
    PEOPLE.forEach((userId, index) => shown.get(userId)?.push(states[index] as DeviceState))
  }
  await commit(async (tx) => {
    await tx.execute(sql`delete from public.items`)
    await tx.execute(sql`delete from public.list_members`)
  })
  for (let i = random.below(3); i >= 0; i--) await commit((tx) => changeSomething(tx, random))

  const followed: Followed[] = []
  const steps = 8 + random.below(10)
  for (let step = 0; step < steps; step++) {
    if (followed.length < 5 && random.chance(0.4)) {
      const userId = random.pick(PEOPLE)
      const device = world.device(userId, { format: random.pick(['bson', 'ndjson']) })
      device.connect({}, servers && random.pick(servers()))
      followed.push({ userId, device })
    } else if (followed.length > 0 && random.chance(0.35)) {
      const { device } = random.pick(followed)
      if (device.isOpen) device.disconnect()
      else device.connect({}, servers && random.pick(servers()))
    }
    await commit(async (tx) => {
      await begin?.(tx, random)
      for (let i = random.below(4); i >= 0; i--) await changeSomething(tx, random)
      if (!changeSchema || !random.chance(0.4)) return
      await changeSchema(tx, random)
      for (let i = random.below(3); i > 0; i--) await changeSomething(tx, random)
    })
    if (random.chance(0.5)) await delay(random.below(12))
    if (disturb && random.chance(0.15)) await disturb(random)
  }
  for (const { device } of followed) if (!device.isOpen) device.connect()
  await untilLast(followed, shown, settleMs, isLast)
  return { history: { seed, shown, hasNewTables: changeSchema !== undefined }, followed }
}

/** What devices should have: rows of the tables that sync, with the columns that may be selected. */
async function readAs(tx: Transaction, userId: string): Promise<DeviceState> {
  const tables = await tx.query<{ name: string; columns: string }>(sql`
    select c.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
      from pg_catalog.pg_class c join pg_catalog.pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relrowsecurity and a.attnum > 0 and not a.attisdropped
       and has_column_privilege('authenticated', c.oid, a.attnum, 'select')
     group by c.relname
  `)
  await assumeSession(tx, { role: 'authenticated', claims: { sub: userId } })
  const rows: { readonly key: string; readonly json: string }[] = []
  for (const { name, columns } of tables) {
    rows.push(
      ...(await tx.query<{ key: string; json: string }>(
        sql.trusted(
          `select '${name}/' || t.id as key, row_to_json(t)::text as json from (select ${columns} from public.${name}) t`,
        ),
      )),
    )
  }
  await tx.execute(sql`reset role`)
  return new Map(rows.map((row) => [row.key, row.json]))
}

async function changeSomething(tx: Transaction, random: Random): Promise<void> {
  const owner = random.chance(0.3) ? null : random.pick(PEOPLE)
  const list = random.chance(0.3) ? null : random.pick(LISTS)
  const someItem = sql`(select id from public.items order by md5(id::text || ${String(random.below(1_000))}::text) limit 1)`
  const someMember = sql`(select id from public.list_members order by md5(id::text || ${String(random.below(1_000))}::text) limit 1)`
  switch (random.below(14)) {
    case 0:
    case 1:
    case 2:
      await tx.execute(
        sql`insert into public.items values (${random.uuid()}, ${owner}, ${list}, 'made', ${random.below(100)})`,
      )
      return
    case 3:
      await tx.execute(sql`update public.items set n = ${random.below(1_000)} where id = ${someItem}`)
      return
    case 4:
      await tx.execute(sql`update public.items set n = n + 1 where list_id = ${random.pick(LISTS)}`)
      return
    case 5:
      await tx.execute(sql`update public.items set owner_id = ${owner} where id = ${someItem}`)
      return
    case 6:
      await tx.execute(sql`update public.items set list_id = ${list}, n = n + 1 where id = ${someItem}`)
      return
    case 7:
      await tx.execute(sql`delete from public.items where id = ${someItem}`)
      return
    case 8:
      await tx.execute(sql`update public.items set id = ${random.uuid()} where id = ${someItem}`)
      return
    case 9:
    case 10:
      await tx.execute(
        sql`insert into public.list_members values (${random.uuid()}, ${random.pick(LISTS)}, ${random.pick(PEOPLE)})`,
      )
      return
    case 11:
      await tx.execute(sql`delete from public.list_members where id = ${someMember}`)
      return
    case 12:
      await tx.execute(
        sql`update public.list_members set user_id = ${random.pick(PEOPLE)}, list_id = ${random.pick(LISTS)} where id = ${someMember}`,
      )
      return
    default:
      if (random.chance(0.2)) await tx.execute(sql`truncate public.items`)
      else await tx.execute(sql`delete from public.list_members where user_id = ${random.pick(PEOPLE)}`)
  }
}

/**
 * Waits at most `settleMs` in total until every device has the state that its user was shown last, and disconnects it. A device that does not reach it is
 * reported by {@link findBreaches}.
 */
export async function untilLast(
  followed: readonly Followed[],
  shown: History['shown'],
  settleMs: number,
  isLast: IsLast = (state, last) => print(state) === print(last),
): Promise<void> {
  const deadline = Date.now() + settleMs
  for (const { userId, device } of followed) {
    const last = shown.get(userId)?.at(-1) ?? new Map()
    await device
      .until(
        () => {
          if (!device.isOpen) device.connect()
          const isEqual = device.completed.length > 0 && isLast(device.state, last, userId)
          return isEqual && badRowsBeyond(device.state, last).length === 0
        },
        'the end',
        Math.max(1, deadline - Date.now()),
      )
      .catch(() => undefined)
    device.disconnect()
  }
}
