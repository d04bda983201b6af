import { sql, type SqlFragment, type Transaction } from '@holdfast/postgres'
import { KEY_LOCK_MS } from '../limits.ts'

/** Content of `storage.objects.metadata`. */
export interface ObjectMetadata {
  readonly eTag?: string
  readonly size?: number
  readonly mimetype?: string
  readonly cacheControl?: string
  readonly lastModified?: string
  readonly contentLength?: number
  readonly httpStatusCode?: number
  readonly xRobotsTag?: string
  readonly [name: string]: unknown
}

export interface ObjectRow {
  readonly id: string
  readonly bucket_id: string
  readonly name: string
  readonly owner: string | null
  readonly owner_id: string | null
  readonly version: string | null
  readonly metadata: ObjectMetadata | null
  readonly user_metadata: Readonly<Record<string, unknown>> | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly last_accessed_at: Date
}

/** Size in bytes according to the row; tolerates rows written with SQL. */
export function sizeOf(row: ObjectRow): number {
  const size = Number(row.metadata?.size ?? row.metadata?.contentLength ?? 0)
  return Number.isSafeInteger(size) && size >= 0 ? size : 0
}

/** Bucket and key of a request. */
export interface ObjectName {
  readonly bucketId: string
  readonly key: string
}

export interface NewObject extends ObjectName {
  readonly version: string
  /** Subject of the token, if any. */
  readonly owner: string | undefined
  readonly metadata: ObjectMetadata | undefined
  readonly userMetadata: Readonly<Record<string, unknown>> | undefined
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-5][0-9a-f]{3}-[089ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** `owner` is a UUID column, `owner_id` takes any subject. */
function uuidOrNull(owner: string | undefined): string | null {
  return owner !== undefined && UUID.test(owner) ? owner : null
}

function json(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value)
}

function values(object: NewObject): SqlFragment {
  const { bucketId, key, version, owner, metadata, userMetadata } = object
  return sql`(bucket_id, name, owner, owner_id, version, metadata, user_metadata)
    values (${bucketId}, ${key}, ${uuidOrNull(owner)}, ${owner ?? null}, ${version}, ${json(metadata)}::jsonb, ${json(userMetadata)}::jsonb)`
}

/** Explicit, because projects may add columns and prepared statements must stay valid. */
const COLUMNS = sql.trusted(
  'id, bucket_id, name, owner, owner_id, version, metadata, user_metadata, created_at, updated_at, last_accessed_at',
)

/** Columns returned after a write. Explicit for the same reason as COLUMNS. */
const WRITTEN_COLUMNS = sql`${COLUMNS}, path_tokens, archived_at, is_delete_marker, is_versioned`

/** Needs only INSERT, because it returns nothing. */
export function insertObject(object: NewObject): SqlFragment {
  return sql`insert into storage.objects ${values(object)}`
}

/** Needs INSERT and SELECT. */
export function insertReturning(object: NewObject): SqlFragment {
  return sql`${insertObject(object)} returning ${WRITTEN_COLUMNS}`
}

/** Needs INSERT and SELECT, plus UPDATE if the key exists. */
export function upsertObject(object: NewObject): SqlFragment {
  return sql`
    insert into storage.objects ${values(object)}
    on conflict (bucket_id, name) do update
       set version = excluded.version, metadata = excluded.metadata, user_metadata = excluded.user_metadata,
           owner = coalesce(excluded.owner, objects.owner), owner_id = coalesce(excluded.owner_id, objects.owner_id)
    returning ${WRITTEN_COLUMNS}`
}

/** Needs SELECT and UPDATE. @returns `undefined` if no such row may be updated */
export async function moveObjectRow(
  tx: Transaction,
  from: ObjectName,
  to: ObjectName,
  owner: string | undefined,
): Promise<ObjectRow | undefined> {
  const [row] = await tx.query<ObjectRow>(sql`
    update storage.objects
       set bucket_id = ${to.bucketId}, name = ${to.key},
           owner = coalesce(${uuidOrNull(owner)}::uuid, owner), owner_id = coalesce(${owner ?? null}, owner_id)
     where bucket_id = ${from.bucketId} and name = ${from.key}
    returning *`)
  return row
}

export function selectObject({ bucketId, key }: ObjectName): SqlFragment {
  return sql`select ${COLUMNS} from storage.objects where bucket_id = ${bucketId} and name = ${key}`
}

/** As {@link selectObject}, restricted to public buckets. */
export function selectPublicObject(name: ObjectName): SqlFragment {
  return sql`${selectObject(name)} and exists (select from storage.buckets where id = bucket_id and public)`
}

/** Selects whether a bucket is public; {@link selectPrivateObject} in the same transaction depends on it. */
export function selectAccess(bucketId: string): SqlFragment {
  return sql`
    select public, set_config('holdfast.bucket_is_public', coalesce(public, false)::text, true)
      from storage.buckets where id = ${bucketId}`
}

/** As {@link selectObject}, except for public buckets, whose objects need no policy evaluation. */
export function selectPrivateObject(name: ObjectName): SqlFragment {
  return sql`${selectObject(name)} and current_setting('holdfast.bucket_is_public', true) is distinct from 'true'`
}

export async function findObject(tx: Transaction, name: ObjectName): Promise<ObjectRow | undefined> {
  const [row] = await tx.query<ObjectRow>(selectObject(name))
  return row
}

/** @returns the keys with a visible row */
export async function findKeys(tx: Transaction, bucketId: string, keys: readonly string[]): Promise<readonly string[]> {
  const rows = await tx.query<{ name: string }>(sql`
    select name from storage.objects where bucket_id = ${bucketId} and name = any(${[...keys]}::text[])`)
  return rows.map(({ name }) => name)
}

/** Needs SELECT and DELETE. @returns the deleted rows */
export async function deleteObjectRows(
  tx: Transaction,
  bucketId: string,
  keys: readonly string[],
): Promise<readonly ObjectRow[]> {
  await tx.query(sql`select set_config('storage.allow_delete_query', 'true', true)`)
  return tx.query<ObjectRow>(sql`
    delete from storage.objects where bucket_id = ${bucketId} and name = any(${[...keys]}::text[]) returning *`)
}

/** Serializes writes of a key until the end of the transaction. */
export function lockKeyStatements({ bucketId, key }: ObjectName): readonly SqlFragment[] {
  return [
    sql`select set_config('lock_timeout', ${`${KEY_LOCK_MS}ms`}, true)`,
    sql`select pg_catalog.pg_advisory_xact_lock(hashtextextended(${`${bucketId}/${key}`}, 0))`,
  ]
}

export async function lockKey(tx: Transaction, name: ObjectName): Promise<void> {
  for (const statement of lockKeyStatements(name)) await tx.query(statement)
}
