import { randomUUID } from 'node:crypto'
import type { Logger } from '@holdfast/foundation'
import { sql, type Queryable } from '@holdfast/postgres'
import type { Backend } from '../backend/backend.ts'

/** When database and store were paired, in ms since the epoch. */
export type PairedSince = number

/**
 * Checks that rows and bytes belong together. A database new to a store, because it was reset or replaced, says nothing about older bytes: those are never
 * deleted automatically.
 *
 * @returns `undefined` if either is paired with another: then nothing may be deleted
 */
export async function pairStore(db: Queryable, backend: Backend, logger: Logger): Promise<PairedSince | undefined> {
  const [row] = await db.query<{ id: string; since: number }>(sql`
    select id, (extract(epoch from created_at) * 1000)::float8 as since from storage.byte_stores order by created_at limit 1`)
  const known = await backend.readStoreId()
  if (row && row.id === known) return row.since
  if (row) {
    logger.log('error', `the files of this database are not in ${backend.description}`, {
      hint: 'Start with the data folder that contains them, or restore them from a backup. Until then nothing is deleted.',
    })
    return undefined
  }
  const id = known ?? randomUUID()
  if (known === undefined) await backend.writeStoreId(id)
  const [made] = await db.query<{ since: number }>(sql`
    insert into storage.byte_stores (id) values (${id})
    returning (extract(epoch from created_at) * 1000)::float8 as since`)
  return made?.since
}
