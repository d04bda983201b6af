import { sql } from '@holdfast/postgres'
import type { RequestDatabase } from '../database/request-database.ts'
import type { ObjectMetadata } from '../database/objects.ts'

/** One entry of a folder. Folders have a name only. */
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

/** One level below a folder, as policies show it to the caller. */
export async function listObjects(
  database: RequestDatabase,
  bucketId: string,
  request: ListRequest,
): Promise<readonly ListedObject[]> {
  const { limit, offset, column, order } = request
  const folder = request.prefix === '' || request.prefix.endsWith('/') ? request.prefix : `${request.prefix}/`
  // The function takes names literally and patterns for other columns.
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
