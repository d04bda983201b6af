import { errorMessage } from '@holdfast/foundation'
import { SQLSTATE, sql, sqlstateOf, type Transaction } from '@holdfast/postgres'
import { knownStreamQuery, type Locks } from './earlier-reading.ts'
import type { ResolvedBody, StreamInfo } from '../catalog/policy-input.ts'

interface StreamRow {
  readonly name: string
  readonly queries: readonly string[]
  readonly search_path: string
  readonly priority: number
  readonly auto_subscribe: boolean
}

/** Reads the declared streams. Their queries are resolved again, because the meaning of names may have changed. */
export async function readStreams(tx: Transaction, locks: Locks): Promise<readonly StreamInfo[]> {
  const [there] = await tx.query<{ there: boolean }>(sql`select to_regclass('sync.streams') is not null as there`)
  if (!there?.there) return []
  const rows = await tx.query<StreamRow>(sql`
    select name, queries, search_path, priority::int, auto_subscribe from sync.streams order by name collate "C"`)
  const streams: StreamInfo[] = []
  for (const row of rows) {
    const queries: StreamInfo['queries'][number][] = []
    for (const text of row.queries)
      queries.push({ text, resolved: await resolve(tx, row.name, text, row.search_path, locks) })
    streams.push({ name: row.name, priority: row.priority, autoSubscribe: row.auto_subscribe, queries })
  }
  return streams
}

async function resolve(
  tx: Transaction,
  stream: string,
  text: string,
  path: string,
  locks: Locks,
): Promise<ResolvedBody> {
  await tx.execute(sql`savepoint resolve_stream`)
  try {
    const [row] = await tx.query<{ text: string }>(sql`select sync.resolve_stream_query(${text}, ${path}) as text`)
    return row ?? { error: 'Postgres resolved it to nothing' }
  } catch (error) {
    if (sqlstateOf(error) === SQLSTATE.lockNotAvailable) return knownStreamQuery(locks, stream, text, error)
    return { error: `Postgres cannot resolve it: ${errorMessage(error)}` }
  } finally {
    await tx.execute(sql`rollback to savepoint resolve_stream`)
    await tx.execute(sql`release savepoint resolve_stream`)
  }
}
