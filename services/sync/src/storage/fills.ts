import { randomBytes } from 'node:crypto'
import { sql, type Pool, type Queryable } from '@holdfast/postgres'
import { formatLsn, type Lsn } from '@holdfast/replication'
import { insertDefinition, type NewDefinition, type StoredDefinition } from './bucket-storage.ts'

/** Incomplete definitions by number, with the key of the last row in their buckets; `null` if there are none. */
export type Unfilled = ReadonlyMap<number, readonly string[] | null>

export async function readUnfilled(db: Queryable): Promise<Map<number, readonly string[] | null>> {
  const rows = await db.query<{ definition: number; filled_to: string[] | null }>(
    sql`select definition, filled_to from sync.fills`,
  )
  return new Map(rows.map((row) => [row.definition, row.filled_to]))
}

/** Creates definitions whose buckets are to be filled. @param activeFrom - changes committed from here on go into their buckets */
export function insertUnfilled(
  pool: Pool,
  wanted: readonly NewDefinition[],
  activeFrom: Lsn,
): Promise<StoredDefinition[]> {
  return pool.transaction(async (tx) => {
    const stored: StoredDefinition[] = []
    for (const one of wanted) {
      const definition = await insertDefinition(tx, { ...one, tag: randomBytes(4).toString('hex'), activeFrom })
      await tx.execute(sql`insert into sync.fills (definition) values (${definition.number})`)
      stored.push(definition)
    }
    return stored
  })
}

/** Records the progress of definitions of one table, after reading `rows` more. */
export async function writeProgress(
  db: Queryable,
  definitions: readonly number[],
  filledTo: readonly string[],
  rows: number,
): Promise<void> {
  await db.execute(sql`
    update sync.fills set filled_to = ${filledTo}::text[], rows = rows + ${rows} where definition = any(${definitions}::int[])
  `)
}

export async function writeFilled(db: Queryable, definitions: readonly number[]): Promise<void> {
  await db.execute(sql`delete from sync.fills where definition = any(${definitions}::int[])`)
}

/** Whether tables are being read for the first time. */
export async function readIsFilling(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ filling: boolean }>(sql`select filling from sync.state`)
  return row?.filling === true
}

/** Records the start of the first fill. Changes stream from `position` on while existing rows are read. */
export async function writeFirstFilling(db: Queryable, position: Lsn): Promise<void> {
  await db.execute(sql`update sync.state set filling = true, confirmed_lsn = ${formatLsn(position)}::pg_lsn`)
}

/** Records that tables on devices are read again entirely. Until then nothing is served, even after a restart. */
export async function writeFilling(db: Queryable): Promise<void> {
  await db.execute(sql`update sync.state set filling = true`)
}

export async function writeFirstFilled(db: Queryable): Promise<void> {
  await db.execute(sql`update sync.state set filling = false`)
}

/** Reads how long checkpoints may still wait for tables, according to the last process; `undefined` if none recorded it. */
export async function readHold(
  db: Queryable,
): Promise<{ readonly leftMs: number; readonly holdMs: number; readonly agoMs: number } | undefined> {
  const [row] = await db.query<{ leftMs: number | null; holdMs: number | null; agoMs: number | null }>(sql`
    select hold_left_ms as "leftMs", hold_ms as "holdMs",
           greatest(0, extract(epoch from clock_timestamp() - hold_noted_at) * 1000)::float8 as "agoMs"
      from sync.state`)
  if (!row || row.leftMs === null || row.holdMs === null || row.agoMs === null) return undefined
  return { leftMs: row.leftMs, holdMs: row.holdMs, agoMs: row.agoMs }
}

/** Records the remaining hold time and the maximum duration of the current hold. */
export async function writeHold(db: Queryable, leftMs: number, holdMs: number): Promise<void> {
  await db.execute(
    sql`update sync.state set hold_left_ms = ${leftMs}, hold_ms = ${holdMs}, hold_noted_at = clock_timestamp()`,
  )
}
