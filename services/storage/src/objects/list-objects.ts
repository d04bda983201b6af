import { sql } from '@holdfast/postgres'
import type { RequestDatabase } from '../database/request-database.ts'
import type { ObjectMetadata } from '../database/objects.ts'
import { LIST_PREFIX_LENGTH_MAX } from '../limits.ts'

/** An entry of a folder listing. Folders have only a name. */
export interface ListedObject {
  readonly name: string
  readonly id: string | null
  readonly updated_at: Date | null
  readonly created_at: Date | null
  readonly last_accessed_at: Date | null
  readonly metadata: ObjectMetadata | null
}

export interface ListRequest {
  readonly prefix: string
  readonly limit: number
  readonly offset: number
  readonly search: string
  readonly column: 'name' | 'updated_at' | 'created_at' | 'last_accessed_at'
  readonly order: 'asc' | 'desc'
}

/** Prefixes whose upper bound Postgres cannot compute. No stored key contains these characters. */
const ENDS_WITHOUT_NEXT = /[\u{d7ff}\u{10ffff}]$/u

/** Whether no key can start with this prefix. */
export function isOfNoKey(prefix: string): boolean {
  return prefix.length > LIST_PREFIX_LENGTH_MAX || ENDS_WITHOUT_NEXT.test(prefix)
}

/** Lists one level of a folder, as far as policies allow. */
export async function listObjects(
  database: RequestDatabase,
  bucketId: string,
  request: ListRequest,
): Promise<readonly ListedObject[]> {
  const { limit, offset, column, order } = request
  const folder = request.prefix === '' || request.prefix.endsWith('/') ? request.prefix : `${request.prefix}/`
  if (isOfNoKey(folder + request.search)) return []
  // The SQL function matches names literally, but patterns for other columns.
  const literal = (text: string): string => (column === 'name' ? text : text.replaceAll(/[\\%_]/g, String.raw`\$&`))
  const prefix = literal(folder)
  const search = literal(request.search)
  const levels = (prefix + search).split('/').length
  return database.transaction(({ asCaller }) =>
    asCaller((tx) =>
      tx.query<ListedObject>(sql`
        select name, id, updated_at, created_at, last_accessed_at, metadata
          from storage.search(${prefix}, ${bucketId}, ${limit}, ${levels}, ${offset}, ${search}, ${column}, ${order})`),
    ),
  )
}
