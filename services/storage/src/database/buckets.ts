import { sql, type SqlFragment, type Transaction } from '@holdfast/postgres'
import { noSuchBucket } from '../errors.ts'

export interface BucketRow {
  readonly id: string
  readonly name: string
  readonly owner: string | null
  readonly public: boolean | null
  readonly type: string
  /** A bigint, hence a string. */
  readonly file_size_limit: string | null
  readonly allowed_mime_types: readonly string[] | null
  readonly created_at: Date
  readonly updated_at: Date
}

export interface NewBucket {
  readonly id: string
  readonly name: string
  readonly owner: string | undefined
  readonly isPublic: boolean
  readonly fileSizeLimit: number | null
  readonly allowedMimeTypes: readonly string[] | null
}

/** Omitted properties stay unchanged. */
export interface BucketChanges {
  readonly isPublic?: boolean | undefined
  readonly fileSizeLimit?: number | null | undefined
  readonly allowedMimeTypes?: readonly string[] | null | undefined
}

export interface BucketPage {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly sortColumn?: 'id' | 'name' | 'created_at' | 'updated_at' | undefined
  readonly sortOrder?: 'asc' | 'desc' | undefined
  readonly search?: string | undefined
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-5][0-9a-f]{3}-[089ab][0-9a-f]{3}-[0-9a-f]{12}$/i

export function selectBucket(id: string): SqlFragment {
  return sql`select * from storage.buckets where id = ${id}`
}

export async function findBucket(tx: Transaction, id: string): Promise<BucketRow | undefined> {
  const [row] = await tx.query<BucketRow>(selectBucket(id))
  return row
}

/** @throws {HoldfastError} `NoSuchBucket` */
export async function requireBucket(tx: Transaction, id: string): Promise<BucketRow> {
  const row = await findBucket(tx, id)
  if (!row) throw noSuchBucket()
  return row
}

export async function lockBucket(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.query(sql`select from storage.buckets where id = ${id} for update`)).length > 0
}

export async function insertBucket(tx: Transaction, bucket: NewBucket): Promise<void> {
  const { id, name, owner, isPublic, fileSizeLimit, allowedMimeTypes } = bucket
  await tx.execute(sql`
    insert into storage.buckets (id, name, owner, owner_id, public, file_size_limit, allowed_mime_types)
    values (${id}, ${name}, ${owner !== undefined && UUID.test(owner) ? owner : null}, ${owner ?? null}, ${isPublic}, ${fileSizeLimit},
            ${allowedMimeTypes && [...allowedMimeTypes]})`)
}

/** Needs SELECT and UPDATE. @returns false if no such row may be updated */
export async function updateBucketRow(tx: Transaction, id: string, changes: BucketChanges): Promise<boolean> {
  const sets: SqlFragment[] = []
  if (changes.isPublic !== undefined) sets.push(sql`public = ${changes.isPublic}`)
  if (changes.fileSizeLimit !== undefined) sets.push(sql`file_size_limit = ${changes.fileSizeLimit}`)
  if (changes.allowedMimeTypes !== undefined)
    sets.push(sql`allowed_mime_types = ${changes.allowedMimeTypes && [...changes.allowedMimeTypes]}`)
  const rows = await tx.query(
    sql`update storage.buckets set ${sql.join(sets)}, updated_at = now() where id = ${id} returning id`,
  )
  return rows.length > 0
}

/** Needs SELECT and DELETE. @returns false if no such row may be deleted */
export async function deleteBucketRow(tx: Transaction, id: string): Promise<boolean> {
  await tx.query(sql`select set_config('storage.allow_delete_query', 'true', true)`)
  return (await tx.execute(sql`delete from storage.buckets where id = ${id}`)) > 0
}

export async function listBucketRows(tx: Transaction, page: BucketPage): Promise<readonly BucketRow[]> {
  const { limit, offset, sortColumn, sortOrder, search } = page
  const pattern = search ? `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%` : undefined
  return tx.query<BucketRow>(sql`
    select id, name, owner, public, created_at, updated_at, file_size_limit, allowed_mime_types, type
      from storage.buckets
     ${pattern === undefined ? sql`` : sql`where name ilike ${pattern}`}
     ${sortColumn === undefined ? sql`` : sql`order by ${sql.identifier(sortColumn)} ${sql.trusted(sortOrder === 'desc' ? 'desc' : 'asc')}`}
     limit ${limit ?? null} offset ${offset ?? 0}`)
}

/** @returns the number of objects, counting up to `max` */
export async function countObjects(tx: Transaction, bucketId: string, max: number): Promise<number> {
  const rows = await tx.query(sql`select from storage.objects where bucket_id = ${bucketId} limit ${max}`)
  return rows.length
}
