import { sql, type Pool, type Queryable } from '@holdfast/postgres'
import { rowKey } from '../encode/op-doc.ts'
import { MOMENTS_WRITTEN_MAX } from '../limits.ts'
import { invalidateDefinitions } from './bucket-storage.ts'

/** The time at which a row of a definition must be evaluated again. */
interface Moment {
  readonly definition: number
  readonly rowKey: Buffer
  readonly key: readonly string[]
  /** Seconds since 1970 as printed by Postgres; `null` for never. */
  readonly at: string | null
}

/** Next moments of rows, written to `sync.moments` together with the operations of the same changes. */
export interface PendingMoments {
  /** @param at - `null` for no further moment */
  set(definition: number, objectId: string, key: readonly string[], at: string | null): void
  /** Forgets a deleted row. */
  forget(definition: number, rowKey: Buffer): void
  readonly size: number
  take(): readonly Moment[]
}

export function createPendingMoments(): PendingMoments {
  let moments = new Map<string, Moment>()

  function put(moment: Moment): void {
    moments.set(`${moment.definition} ${moment.rowKey.toString('latin1')}`, moment)
  }

  return {
    set: (definition, objectId, key, at) => put({ definition, rowKey: rowKey(objectId), key, at }),
    forget: (definition, key) => put({ definition, rowKey: key, key: [], at: null }),
    get size() {
      return moments.size
    },
    take() {
      const taken = [...moments.values()]
      moments = new Map()
      return taken
    },
  }
}

/** Writes moments in the transaction that writes the operations. */
export async function writeMoments(tx: Queryable, moments: readonly Moment[]): Promise<void> {
  for (let at = 0; at < moments.length; at += MOMENTS_WRITTEN_MAX) {
    const some = moments.slice(at, at + MOMENTS_WRITTEN_MAX)
    const over = some.filter((one) => one.at === null)
    if (over.length > 0)
      await tx.execute(sql`
        delete from sync.moments m using unnest(${over.map((one) => one.definition)}::int[], ${over.map((one) => one.rowKey)}::bytea[]) u (definition, row_key)
         where m.definition = u.definition and m.row_key = u.row_key`)
    const next = some.filter((one) => one.at !== null)
    if (next.length > 0)
      await tx.execute(sql`
        insert into sync.moments (definition, row_key, key, at)
        select u.definition, u.row_key, array(select jsonb_array_elements_text(u.key::jsonb)), to_timestamp(u.at)
          from unnest(${next.map((one) => one.definition)}::int[], ${next.map((one) => one.rowKey)}::bytea[],
                      ${next.map((one) => JSON.stringify(one.key))}::text[], ${next.map((one) => one.at)}::float8[]) u (definition, row_key, key, at)
        on conflict (definition, row_key) do update set key = excluded.key, at = excluded.at`)
  }
}

/** Tolerance in seconds for a clock that is set back. */
const SET_BACK_S = 5

/**
 * Records the current time as the latest evaluation of policies that read the clock. If the clock was set back by more than five seconds, invalidates these
 * definitions, because rows may have been added or removed too early.
 *
 * @param definitions - numbers of the definitions that read the clock
 */
export async function noteClock(pool: Pool, definitions: readonly number[]): Promise<'set back' | 'going on'> {
  const [row] = await pool.query<{ is_due: boolean; is_back: boolean }>(sql`
    select clock_seen is null or now() > clock_seen + make_interval(secs => ${SET_BACK_S}) as is_due,
           coalesce(now() < clock_seen - make_interval(secs => ${SET_BACK_S}), false) as is_back
      from sync.state`)
  if (!row?.is_due && !row?.is_back) return 'going on'
  await pool.transaction(async (tx) => {
    if (row.is_back) await invalidateDefinitions(tx, definitions)
    await tx.execute(sql`update sync.state set clock_seen = now()`)
  })
  return row.is_back ? 'set back' : 'going on'
}

/** A row that must be evaluated now. */
export interface DueRow {
  readonly definition: number
  readonly rowKey: Buffer
  readonly key: readonly string[]
}

/** Reads rows that must be evaluated now, the earliest first. @param definitions - numbers of definitions to consider */
export async function readDueRows(db: Queryable, definitions: readonly number[], max: number): Promise<DueRow[]> {
  const rows = await db.query<{ definition: number; row_key: Buffer; key: string[] }>(sql`
    select definition, row_key, key from sync.moments
     where at < now() and definition = any(${definitions}::int[]) order by at limit ${max}::int`)
  return rows.map(({ definition, row_key, key }) => ({ definition, rowKey: row_key, key }))
}

/** Returns which of the given rows are in the given buckets. @returns `bucket id row key` of each */
export async function readHeldRows(
  db: Queryable,
  asked: readonly { readonly bucketId: number; readonly rowKey: Buffer }[],
): Promise<ReadonlySet<string>> {
  const held = new Set<string>()
  for (let at = 0; at < asked.length; at += MOMENTS_WRITTEN_MAX) {
    const some = asked.slice(at, at + MOMENTS_WRITTEN_MAX)
    const rows = await db.query<{ bucket_id: number; row_key: Buffer }>(sql`
      select o.bucket_id, o.row_key
        from unnest(${some.map((one) => one.bucketId)}::int[], ${some.map((one) => one.rowKey)}::bytea[]) u (bucket_id, row_key)
        join sync.ops o on o.bucket_id = u.bucket_id and o.row_key = u.row_key`)
    for (const row of rows) held.add(heldKey(row.bucket_id, row.row_key))
  }
  return held
}

/** Returns the key of a row of a bucket in {@link readHeldRows}. */
export function heldKey(bucketId: number, key: Buffer): string {
  return `${bucketId} ${key.toString('latin1')}`
}
