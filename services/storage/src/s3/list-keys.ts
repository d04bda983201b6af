import { sql, type Transaction } from '@holdfast/postgres'
import type { ObjectMetadata } from '../database/objects.ts'
import { invalidArgument } from './s3-errors.ts'

/** An object or a common prefix. */
export interface KeyEntry {
  readonly name: string
  readonly is_prefix: boolean
  readonly updated_at: Date | null
  readonly metadata: ObjectMetadata | null
}

export interface KeyPage {
  readonly prefix: string
  /** Empty for no delimiter. */
  readonly delimiter: string
  readonly limit: number
  /** Inclusive lower bound. */
  readonly from: string
}

/** Returns a page of the keys visible to the caller, in byte order. Keys with the delimiter after the prefix are grouped. */
export async function listKeys(tx: Transaction, bucketId: string, page: KeyPage): Promise<readonly KeyEntry[]> {
  const { prefix, delimiter, limit, from } = page
  const end = endOfPrefix(prefix)
  const isWanted = sql`
    o.bucket_id = ${bucketId} and starts_with(o.name, ${prefix}) ${end === undefined ? sql`` : sql`and o.name collate "C" < ${end}`}`
  if (delimiter === '')
    return tx.query<KeyEntry>(sql`
      select o.name, false as is_prefix, o.updated_at, o.metadata from storage.objects o
       where ${isWanted} and o.name collate "C" >= ${from} order by o.name collate "C" limit ${limit}`)
  // Skips from entry to entry: reads only the first key of each group.
  return tx.query<KeyEntry>(sql`
    with recursive walk (n, name, is_prefix, updated_at, metadata, seek) as (
      select 0, null::text collate "C", false, null::timestamptz, null::jsonb, ${from}::text collate "C"
      union all
      select walk.n + 1, e.name collate "C", e.is_prefix, e.updated_at, e.metadata,
             (case when e.is_prefix then left(e.name, -1) || chr(ascii(right(e.name, 1)) + 1) else e.name || chr(1) end) collate "C"
        from walk cross join lateral (
          select case when at.place > 0 then left(o.name, length(${prefix}) + at.place + length(${delimiter}) - 1) else o.name end as name,
                 at.place > 0 as is_prefix, o.updated_at, o.metadata
            from storage.objects o, lateral (select position(${delimiter} in substr(o.name, length(${prefix}) + 1)) as place) at
           where ${isWanted} and o.name collate "C" >= walk.seek
           order by o.name collate "C" limit 1
        ) e
       where walk.n < ${limit}
    )
    select name, is_prefix, updated_at, metadata from walk where n > 0 order by n`)
}

/** Returns where a listing continues after an entry. */
export function seekAfter({ name, is_prefix }: Pick<KeyEntry, 'name' | 'is_prefix'>): string {
  return is_prefix ? (endOfPrefix(name) ?? `${name}\u{10ffff}`) : seekAfterKey(name)
}

/** Returns the next greater text. Postgres texts cannot contain NUL. */
export function seekAfterKey(key: string): string {
  return `${key}\u0001`
}

/** Returns the least text greater than all with this prefix; `undefined` if none exists. */
function endOfPrefix(prefix: string): string | undefined {
  const points = [...prefix]
  const last = points.pop()?.codePointAt(0)
  if (last === undefined) return undefined
  const next = last === 0xd7ff ? 0xe000 : last + 1
  return next > 0x10ffff ? endOfPrefix(points.join('')) : points.join('') + String.fromCodePoint(next)
}

/** @throws {HoldfastError} `InvalidArgument` */
export function requireDelimiter(delimiter: string): string {
  if (delimiter.length > 100 || /[^ -~]/.test(delimiter))
    throw invalidArgument('The delimiter is too long, or not printable ASCII')
  return delimiter
}
