import { sql, type SqlFragment, type Transaction } from '@holdfast/postgres'
import type { RequestDatabase } from '../database/request-database.ts'
import { invalidParameter } from '../errors.ts'
import { CURSOR_LENGTH_MAX, LIST_V2_PAGE_MAX } from '../limits.ts'
import { isOfNoKey, type ListedObject } from './list-objects.ts'

export type ListColumn = 'name' | 'created_at' | 'updated_at'

export interface ListPage {
  readonly prefix: string
  readonly limit: number
  readonly cursor: string | undefined
  /** Whether to group keys below the next `/` into a folder. */
  readonly isDelimited: boolean
  readonly column: ListColumn
  readonly order: 'asc' | 'desc'
}

/** An object or a folder. A folder has no id; when sorted by time it has the times of its oldest object. */
export interface ListedEntry extends ListedObject {
  /** Last segment of the name. Set only in lists with folders, as in Supabase's storage service. */
  readonly key?: string
}

export interface ListedPage {
  readonly hasNext: boolean
  readonly nextCursor?: string
  /** Name of the last entry, without a folder's delimiter. */
  readonly nextCursorKey?: string
  readonly folders: readonly ListedEntry[]
  readonly objects: readonly ListedEntry[]
}

/** Position of the end of a page. */
interface Cursor {
  readonly name: string
  readonly order: 'asc' | 'desc'
  readonly column: ListColumn
  /** Value of the sort column, unless sorted by name. */
  readonly after: string | undefined
}

/** Returns a page of the full names below a prefix that the caller may see, in byte order or by time. */
export async function listPage(database: RequestDatabase, bucketId: string, page: ListPage): Promise<ListedPage> {
  const cursor = page.cursor === undefined ? undefined : parseCursor(page.cursor)
  if (isOfNoKey(page.prefix)) return { hasNext: false, folders: [], objects: [] }
  const { column, order } = cursor ?? page
  const limit = Math.min(page.limit, LIST_V2_PAGE_MAX)
  const wanted = { ...page, column, order, limit: limit + 1 }
  const found = await database.transaction(({ asCaller }) =>
    asCaller((tx) =>
      page.isDelimited ? readLevel(tx, bucketId, wanted, cursor) : readAll(tx, bucketId, wanted, cursor),
    ),
  )
  const entries = found.slice(0, limit).map(withDelimiter)
  const last = entries.at(-1)
  const hasNext = found.length > limit
  return {
    hasNext,
    ...(hasNext &&
      last && {
        nextCursor: renderCursor({ name: placeOf(last, column), column, order, after: valueOf(last, column) }),
        nextCursorKey: nameWithoutDelimiter(last),
      }),
    folders: entries.filter(({ id }) => id === null),
    objects: entries.filter(({ id }) => id !== null),
  }
}

/** Appends the delimiter to folders, to distinguish them from objects of the same name. */
function withDelimiter(entry: ListedEntry): ListedEntry {
  return entry.id === null ? { ...entry, name: `${entry.name}/` } : entry
}

/** Returns the position of the page end. When sorted by time, the SQL function compares folders without their delimiter. */
function placeOf(entry: ListedEntry, column: ListColumn): string {
  return column === 'name' ? entry.name : nameWithoutDelimiter(entry)
}

function nameWithoutDelimiter({ id, name }: ListedEntry): string {
  return id === null ? name.slice(0, -1) : name
}

type Wanted = Omit<ListPage, 'cursor'>

/** Reads all names below the prefix, without grouping. */
async function readAll(
  tx: Transaction,
  bucketId: string,
  wanted: Wanted,
  cursor: Cursor | undefined,
): Promise<ListedObject[]> {
  const { prefix, limit, column, order } = wanted
  const direction = sql.trusted(order)
  const further = sql.trusted(order === 'asc' ? '>' : '<')
  const by = column === 'name' ? undefined : sql.identifier(column)
  const conditions: SqlFragment[] = [sql`bucket_id = ${bucketId}`]
  if (prefix !== '') conditions.push(sql`starts_with(name, ${prefix})`, sql`name collate "C" >= ${prefix}`)
  if (cursor)
    conditions.push(
      by && cursor.after !== undefined
        ? sql`(date_trunc('milliseconds', ${by}), name collate "C") ${further} (${cursor.after}::timestamptz, ${cursor.name})`
        : sql`name collate "C" ${further} ${cursor.name}`,
    )
  return tx.query<ListedObject>(sql`
    select name, id, updated_at, created_at, last_accessed_at, metadata
      from storage.objects
     where ${sql.join(conditions, ' and ')}
     order by ${by ? sql`date_trunc('milliseconds', ${by}) ${direction}, ` : sql``}name collate "C" ${direction}
     limit ${limit}`)
}

/** Reads one level below the prefix. */
function readLevel(
  tx: Transaction,
  bucketId: string,
  wanted: Wanted,
  cursor: Cursor | undefined,
): Promise<ListedEntry[]> {
  const { prefix, limit, column, order } = wanted
  const levels = prefix === '' ? 1 : prefix.split('/').length
  return tx.query<ListedEntry>(sql`
    select key, name, id, updated_at, created_at, last_accessed_at, metadata
      from storage.search_v2(${prefix}, ${bucketId}, ${limit}, ${levels}, ${cursor?.name ?? ''}, ${order}, ${column}, ${cursor?.after ?? ''})`)
}

function valueOf(entry: ListedEntry, column: ListColumn): string | undefined {
  return column === 'name' ? undefined : entry[column]?.toISOString()
}

function renderCursor({ name, order, column, after }: Cursor): string {
  const lines = [`l:${name}`, `o:${order}`, `c:${column}`, ...(after === undefined ? [] : [`a:${after}`])]
  return Buffer.from(lines.join('\n')).toString('base64')
}

/** Accepts only the format that {@link renderCursor} writes, because Postgres and JavaScript accept different sets of formats. */
function isTime(text: string): boolean {
  const date = new Date(text)
  return /^(?!0000)\d{4}-/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString() === text
}

/** Parses a cursor. A forged cursor reveals nothing beyond policies, but must be well formed. @throws {HoldfastError} `InvalidParameter` */
function parseCursor(text: string): Cursor {
  const lines = Buffer.from(text, 'base64').toString('utf8').split('\n')
  const parts = new Map(lines.map((line) => [line.slice(0, 2), line.slice(2)]))
  const name = parts.get('l:')
  const order = parts.get('o:') ?? 'asc'
  const column = parts.get('c:') ?? 'name'
  const after = parts.get('a:')
  if (
    text.length > CURSOR_LENGTH_MAX ||
    name === undefined ||
    name.includes('\0') ||
    (order !== 'asc' && order !== 'desc') ||
    (column !== 'name' && column !== 'created_at' && column !== 'updated_at') ||
    (after !== undefined && !isTime(after))
  )
    throw invalidParameter('The cursor does not belong to this list')
  return { name, order, column, after }
}
