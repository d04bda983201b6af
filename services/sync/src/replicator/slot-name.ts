import { assert } from '@holdfast/foundation'
import { sql, type Queryable } from '@holdfast/postgres'

/** Slots belong to the whole cluster, and a copy of a database must not go on with the slot of its original. */
export async function readSlotName(db: Queryable): Promise<string> {
  const [row] = await db.query<{ oid: string }>(sql`
    select oid::int8::text as oid from pg_catalog.pg_database where datname = current_database()
  `)
  assert(row, 'the current database is listed')
  return `holdfast_${row.oid}`
}
