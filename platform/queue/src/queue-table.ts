import { sql, type Pool, type SqlFragment } from '@holdfast/postgres'
import { LANES_PER_LOOK } from './limits.ts'

/** A column, with the type that parameters are cast to. */
export interface QueueColumn {
  readonly name: string
  readonly type: 'bigint' | 'integer' | 'text' | 'uuid'
}

/**
 * A table whose rows are jobs, declared by the service that owns it. Contains everything that differs between queues. Fragments refer to the row as `q`.
 *
 * Jobs run at least once. A claim moves the due time to the end of its lease, after which the job of a crashed server is due again.
 */
export interface QueueTable {
  readonly table: readonly [schema: string, name: string]
  readonly key: QueueColumn
  /** The time from which a job may be claimed. A job without one is finished, unless `isDueWithoutTime`. */
  readonly dueAt: string
  readonly isDueWithoutTime?: boolean
  /** The fencing token: changes with every claim, so a server whose lease has expired cannot settle the job. Default: `attempts`, incremented. */
  readonly fence?: QueueColumn & { readonly next: SqlFragment }
  /** Duration of a claim: milliseconds or an interval. */
  readonly lease: number | SqlFragment
  /** Which rows may be claimed when they are due. Default: all. */
  readonly isWaiting?: SqlFragment
  /** Further assignments of a claim. */
  readonly claimSets?: SqlFragment
  /** Columns of a job in addition to {@link Claimed}. */
  readonly columns: SqlFragment
  /** Default: by due time, then by key. */
  readonly order?: SqlFragment
  /** Columns that divide the queue into lanes, which take turns; an index begins with them. Jobs with the same first column are a group. */
  readonly lanes?: readonly QueueColumn[]
  /** Jobs of a lane that run together, as one turn. Default 1. */
  readonly batch?: number
  /** The current time. Default: the clock of Postgres. */
  readonly now?: () => SqlFragment
  /** Which running jobs may continue when their lease is extended. Default: all. */
  readonly isRenewed?: SqlFragment
  /** Adds to the claiming statement, which returns the rows of the claims. */
  readonly extendClaim?: (claims: SqlFragment) => SqlFragment
}

/** The values of {@link QueueTable.lanes} in one row, as text. */
export type Lane = readonly string[]

export interface Claimed {
  readonly id: string
  readonly fence: string
  readonly lane: Lane
}

const column = (name: string): SqlFragment => sql`q.${sql.identifier(name)}`
const cast = (value: SqlFragment, { type }: QueueColumn): SqlFragment => sql`${value}::${sql.trusted(type)}`
const tableOf = ({ table }: QueueTable): SqlFragment => sql.identifier(...table)
const fenceOf = ({ fence }: QueueTable): NonNullable<QueueTable['fence']> =>
  fence ?? { name: 'attempts', type: 'integer', next: sql`q.attempts + 1` }
const isWaiting = ({ isWaiting: condition }: QueueTable): SqlFragment => condition ?? sql`true`
/** Stable within a statement, so that an index can be used. */
const nowOf = ({ now }: QueueTable): SqlFragment => now?.() ?? sql`statement_timestamp()`
const msSql = (ms: number): SqlFragment => sql`${ms}::float8 * interval '1 millisecond'`

function isDue(queue: QueueTable): SqlFragment {
  const dueAt = column(queue.dueAt)
  return queue.isDueWithoutTime
    ? sql`(${dueAt} is null or ${dueAt} <= ${nowOf(queue)})`
    : sql`${dueAt} <= ${nowOf(queue)}`
}

function leaseEnd(queue: QueueTable): SqlFragment {
  return sql`${nowOf(queue)} + ${typeof queue.lease === 'number' ? msSql(queue.lease) : queue.lease}`
}

/**
 * Claims due jobs. Another server skips them until their lease ends.
 *
 * @param most - of a queue with lanes: turns per lane
 */
export function claim<Job extends object>(
  pool: Pool,
  queue: QueueTable,
  most: number | ReadonlyMap<Lane, number>,
): Promise<readonly (Job & Claimed)[]> {
  const { key, dueAt, claimSets, columns, extendClaim } = queue
  const fence = fenceOf(queue)
  const laneTexts = (queue.lanes ?? []).map(({ name }) => sql`${column(name)}::text`)
  // Materialized: inlined into the update, the limit could be evaluated more than once.
  const claims = sql`
    with chosen as materialized (${chosenSql(queue, most)})
    update ${tableOf(queue)} q
       set ${sql.identifier(dueAt)} = ${leaseEnd(queue)}, ${sql.identifier(fence.name)} = ${fence.next}${claimSets ? sql`, ${claimSets}` : sql``}
      from chosen where ${column(key.name)} = chosen.key
    returning ${column(key.name)}::text as id, ${column(fence.name)}::text as fence, array[${sql.join(laneTexts)}]::text[] as lane, ${columns}`
  return pool.query<Job & Claimed>(extendClaim?.(claims) ?? claims)
}

function chosenSql(queue: QueueTable, most: number | ReadonlyMap<Lane, number>): SqlFragment {
  const { key, lanes = [], batch = 1 } = queue
  const pick = (where: SqlFragment, limit: SqlFragment): SqlFragment => sql`
    select ${column(key.name)} as key from ${tableOf(queue)} q
     where ${where} and ${isWaiting(queue)} and ${isDue(queue)}
     order by ${queue.order ?? sql`${column(queue.dueAt)}, ${column(key.name)}`} limit ${limit} for update skip locked`
  if (typeof most === 'number') return pick(sql`true`, sql`${most}::integer`)
  const wanted = [...most.keys()]
  const names = lanes.map(({ name }) => sql.identifier(name))
  const values = lanes.map((lane, index) => cast(sql`${wanted.map((one) => one[index])}::text[]`, arrayOf(lane)))
  const sameLane = lanes.map(({ name }) => sql`${column(name)} = w.${sql.identifier(name)}`)
  return sql`
    select one.key from unnest(${sql.join(values)}, ${[...most.values()]}::integer[]) as w (${sql.join(names)}, turns)
     cross join lateral (${pick(sql.join(sameLane, ' and '), sql`w.turns * ${batch}::integer`)}) one`
}

const arrayOf = ({ name, type }: QueueColumn): QueueColumn => ({ name, type: `${type}[]` as QueueColumn['type'] })

/** Some lanes, in the order of their values. */
export interface Lanes {
  readonly due: readonly Lane[]
  /** The lane after which the next poll continues; `undefined` at the end. */
  readonly next: Lane | undefined
}

/** Lists lanes by a loose index scan: a lane with a million jobs costs as much as one with a single job. */
export async function listLanes(pool: Pool, queue: QueueTable, after: Lane | undefined): Promise<Lanes> {
  const lanes = queue.lanes ?? []
  const names = sql.join(lanes.map(({ name }) => column(name)))
  const following = (where: SqlFragment, place: SqlFragment): SqlFragment =>
    sql`select ${names}, ${place} as place from ${tableOf(queue)} q where ${where} order by ${names} limit 1`
  const walked = sql.join(lanes.map(({ name }) => sql`w.${sql.identifier(name)}`))
  const start = after
    ? sql`(${names}) > (${sql.join(lanes.map((lane, index) => cast(sql`${after[index]}`, lane)))})`
    : sql`true`
  const rows = await pool.query<{ lane: Lane; due: boolean }>(sql`
    with recursive walk as (
      (${following(start, sql`1`)})
      union all
      (select f.* from walk w cross join lateral (${following(sql`(${names}) > (${walked})`, sql`w.place + 1`)}) f
        where w.place < ${LANES_PER_LOOK}))
    select array[${sql.join(lanes.map(({ name }) => sql`w.${sql.identifier(name)}::text`))}] as lane,
           exists (select from ${tableOf(queue)} q
                    where ${sql.join(
                      lanes.map(({ name }) => sql`${column(name)} = w.${sql.identifier(name)}`),
                      ' and ',
                    )} and ${isWaiting(queue)} and ${isDue(queue)}) as due
      from walk w order by w.place`)
  return {
    due: rows.filter(({ due }) => due).map(({ lane }) => lane),
    next: rows.length === LANES_PER_LOOK ? rows.at(-1)?.lane : undefined,
  }
}

/** State of the waiting jobs. */
export interface Waiting {
  /** Milliseconds until the next job is due or the next lease ends; `null` if no job waits for a time. */
  readonly nextMs: number | null
  /** Whether jobs are due now. */
  readonly isDue: boolean
}

export async function findWaiting(pool: Pool, queue: QueueTable): Promise<Waiting> {
  const dueAt = column(queue.dueAt)
  const [row] = await pool.query<Waiting>(sql`
    select (extract(epoch from min(${dueAt}) - ${nowOf(queue)}) * 1000)::float8 as "nextMs",
           exists (select from ${tableOf(queue)} q where ${isWaiting(queue)} and ${isDue(queue)}) as "isDue"
      from ${tableOf(queue)} q where ${isWaiting(queue)} and ${dueAt} > ${nowOf(queue)}`)
  return row ?? { nextMs: null, isDue: false }
}

/**
 * Ends claims: deletes the jobs, or applies `change`. Jobs that are gone or claimed by another server stay unchanged.
 *
 * @returns a statement that returns the `id` of each affected job
 */
export function settleSql(
  queue: QueueTable,
  jobs: readonly Claimed[],
  change: 'delete' | SqlFragment,
  condition: SqlFragment = sql`true`,
): SqlFragment {
  const { key } = queue
  const fence = fenceOf(queue)
  const held = sql`unnest(${jobs.map(({ id }) => id)}::text[], ${jobs.map((job) => job.fence)}::text[]) as held (id, fence)`
  const where = sql`where ${column(key.name)} = ${cast(sql`held.id`, key)} and ${column(fence.name)} = ${cast(sql`held.fence`, fence)}
      and ${condition}
    returning ${column(key.name)}::text as id`
  return change === 'delete'
    ? sql`delete from ${tableOf(queue)} q using ${held} ${where}`
    : sql`update ${tableOf(queue)} q set ${change} from ${held} ${where}`
}

/** Ends claims of jobs to be retried. @param also - further assignments */
export function retrySql(
  queue: QueueTable,
  jobs: readonly Claimed[],
  afterMs: number,
  also?: SqlFragment,
): SqlFragment {
  const dueAt = sql`${sql.identifier(queue.dueAt)} = ${nowOf(queue)} + ${msSql(afterMs)}`
  return settleSql(queue, jobs, also ? sql`${dueAt}, ${also}` : dueAt)
}

/** Extends the leases of running jobs. @returns the ids of those extended */
export async function renew(pool: Pool, queue: QueueTable, jobs: readonly Claimed[]): Promise<ReadonlySet<string>> {
  const change = sql`${sql.identifier(queue.dueAt)} = ${leaseEnd(queue)}`
  const rows = await pool.query<{ id: string }>(settleSql(queue, jobs, change, queue.isRenewed))
  return new Set(rows.map(({ id }) => id))
}

/** Deletes a bounded number of the oldest rows among those older than `keep`. */
export function pruneSql(
  table: readonly [schema: string, name: string],
  columns: { readonly key: string; readonly at: string },
  keep: SqlFragment,
  rowsMax: number,
): SqlFragment {
  const at = sql.identifier(columns.at)
  const key = sql.identifier(columns.key)
  return sql`
    delete from ${sql.identifier(...table)} where ${key} in (
      select ${key} from ${sql.identifier(...table)} where ${at} < now() - ${keep} order by ${at} limit ${rowsMax} for update skip locked)`
}
