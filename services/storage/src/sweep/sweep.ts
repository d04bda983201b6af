import { randomUUID } from 'node:crypto'
import { delay, errorMessage, type Clock, type Logger } from '@holdfast/foundation'
import { queryable, sql, type Pool, type Queryable } from '@holdfast/postgres'
import type { Backend } from '../backend/backend.ts'
import { forgetOldUploads } from '../database/resumable-uploads.ts'
import { findUnused, inBatches } from './unused-versions.ts'
import { SWEEP_AGE_MS, SWEEP_EVERY_MS } from '../limits.ts'

export interface SweepOptions {
  /** Records which store belongs to the database. */
  readonly pool: Pool
  /** Bypasses row-level security. */
  readonly readerPool: Pool
  readonly backend: Backend
  readonly logger: Logger
  readonly clock: Clock
}

/** Deletes bytes without a row, now and periodically: leftovers of crashes and failed deletions. */
export function startSweep(options: SweepOptions): AsyncDisposable {
  const stopping = new AbortController()
  const running = repeat(options, stopping.signal)
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort(new Error('stopped'))
      await running
    },
  }
}

async function repeat(options: SweepOptions, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      await sweep(options, stopping)
    } catch (error) {
      if (!stopping.aborted)
        options.logger.log('warn', `deleting unreferenced bytes failed, will retry: ${errorMessage(error)}`)
    }
    await delay(SWEEP_EVERY_MS, stopping).catch(() => undefined) // stopped; the loop condition ends it
  }
}

/** Runs one sweep. @returns the number of deleted versions, or `undefined` if another server is sweeping */
export async function sweep(
  { pool, readerPool, backend, logger, clock }: SweepOptions,
  stopping: AbortSignal,
): Promise<number | undefined> {
  return readerPool.withClient(async (client) => {
    const db = queryable(client)
    const key = sql`hashtextextended('holdfast storage sweep', 0)`
    const [lock] = await db.query<{ held: boolean }>(sql`select pg_catalog.pg_try_advisory_lock(${key}) as held`)
    if (lock?.held !== true) return undefined
    try {
      const pairedSince = await pairStore(pool, backend, logger)
      if (pairedSince === undefined) return 0
      await forgetOldUploads(pool)
      // Applies to this connection only: a statement fails if a policy could hide a row.
      await db.execute(sql`set row_security = off`)
      const before = clock.now() - SWEEP_AGE_MS
      const unfinished = await backend.removeUnfinished(before)
      const stray = await removeStray(db, backend, { pairedSince, before }, stopping)
      if (unfinished + stray > 0) logger.log('info', 'unreferenced bytes were deleted', { unfinished, versions: stray })
      return stray
    } finally {
      await db.query(sql`select pg_catalog.pg_advisory_unlock(${key})`)
    }
  })
}

async function removeStray(
  db: Queryable,
  backend: Backend,
  { pairedSince, before }: { readonly pairedSince: number; readonly before: number },
  stopping: AbortSignal,
): Promise<number> {
  let removed = 0
  for await (const batch of inBatches(backend.list())) {
    stopping.throwIfAborted()
    const old = batch.filter(({ writtenAt }) => writtenAt < before && writtenAt >= pairedSince)
    const names = old.map((one) => one.version)
    for (const version of await findUnused(db, names)) {
      await backend.remove(version)
      removed++
    }
  }
  return removed
}

/** When database and store were paired, in ms since the epoch. */
type PairedSince = number

/**
 * Checks that rows and bytes belong together. A database new to a store, because it was reset or replaced, says nothing about older bytes: those are never
 * deleted automatically.
 *
 * @returns `undefined` if either is paired with another: then nothing may be deleted
 */
async function pairStore(db: Queryable, backend: Backend, logger: Logger): Promise<PairedSince | undefined> {
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
