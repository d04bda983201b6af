import { createHash } from 'node:crypto'
import { Semaphore, type Clock } from '@holdfast/foundation'
import { sql, type Queryable } from '@holdfast/postgres'
import { isVersion, type Backend, type ListedVersion } from '../backend/backend.ts'
import type { ObjectMetadata } from '../database/objects.ts'
import { findUnused, inBatches } from './unused-versions.ts'
import { SWEEP_AGE_MS, VERIFY_AT_ONCE, VERSIONS_BATCH } from '../limits.ts'

/** A mismatch between a row and its bytes. */
export interface StoredFault {
  readonly kind:
    /** The row references absent bytes. */
    | 'missing'
    | 'size'
    | 'checksum'
    /** Unreferenced bytes, too old for a write in progress. */
    | 'unused'
  readonly version: string | null
  /** Absent for `unused`. */
  readonly bucket?: string
  readonly key?: string
  /** Value in the row and value of the bytes. */
  readonly expected?: string | number
  readonly found?: string | number
}

export interface StoredReport {
  readonly equal: boolean
  readonly store: string
  /** Whether the store is paired with this database; otherwise its bytes belong to other rows. */
  readonly isStoreOfDatabase: boolean
  readonly objects: number
  readonly versions: number
  /** Bytes read and compared. */
  readonly bytesRead: number
  /** Unreferenced recent versions: writes in progress and candidates for the next sweep. */
  readonly recent: number
  readonly faults: readonly StoredFault[]
}

export interface VerifyOptions {
  /** Bypasses row-level security. */
  readonly db: Queryable
  readonly backend: Backend
  readonly clock: Clock
  /** Whether to read bytes and compare checksums. */
  readonly readsBytes: boolean
  /** Called periodically with the number of verified objects. */
  readonly onProgress?: (objects: number) => void
}

interface Row {
  readonly id: string
  readonly bucket_id: string
  readonly name: string
  readonly version: string | null
  readonly metadata: ObjectMetadata | null
}

interface Found {
  readonly row: Row
  readonly fault: StoredFault | undefined
  readonly bytesRead: number
}

/**
 * Compares object rows with stored bytes in both directions. While a server is writing, a fault counts only if a second check confirms it, because rows may be
 * replaced or deleted concurrently.
 */
export async function verifyStored(options: VerifyOptions): Promise<StoredReport> {
  const { db, backend } = options
  const rows = await verifyRows(options)
  const bytes = await verifyBytes(options)
  const [pair] = await db.query<{ id: string }>(sql`select id from storage.byte_stores order by created_at limit 1`)
  const isStoreOfDatabase = pair === undefined || pair.id === (await backend.readStoreId())
  const faults = [...rows.faults, ...bytes.faults]
  return {
    equal: faults.length === 0 && isStoreOfDatabase,
    store: backend.description,
    isStoreOfDatabase,
    objects: rows.objects,
    versions: bytes.versions,
    bytesRead: rows.bytesRead,
    recent: bytes.recent,
    faults,
  }
}

async function verifyRows(
  options: VerifyOptions,
): Promise<{ readonly objects: number; readonly bytesRead: number; readonly faults: readonly StoredFault[] }> {
  const faults: StoredFault[] = []
  const reads = new Semaphore({ permits: VERIFY_AT_ONCE })
  let [objects, bytesRead] = [0, 0]
  for await (const page of pagesOfRows(options.db)) {
    const looked = await Promise.all(page.map((row) => reads.run({}, () => look(options, row))))
    bytesRead += looked.reduce((sum, one) => sum + one.bytesRead, 0)
    const suspects = looked.filter(({ fault }) => fault !== undefined)
    faults.push(...(await confirmFaults(options.db, suspects)))
    objects += page.length
    options.onProgress?.(objects)
  }
  return { objects, bytesRead, faults }
}

async function* pagesOfRows(db: Queryable): AsyncGenerator<readonly Row[]> {
  let last: string | undefined
  for (;;) {
    const page: Row[] = await db.query<Row>(sql`
      select id, bucket_id, name, version, metadata from storage.objects
       where ${last === undefined ? sql`true` : sql`id > ${last}::uuid`}
       order by id limit ${VERSIONS_BATCH}`)
    if (page.length === 0) return
    yield page
    last = page.at(-1)?.id
  }
}

async function look({ backend, readsBytes }: VerifyOptions, row: Row): Promise<Found> {
  const fault = (kind: StoredFault['kind'], more: Partial<StoredFault> = {}): Found => ({
    row,
    fault: { kind, version: row.version, bucket: row.bucket_id, key: row.name, ...more },
    bytesRead: 0,
  })
  const { version, metadata } = row
  const size = isVersion(version) ? await backend.sizeOf(version) : undefined
  if (!isVersion(version) || size === undefined) return fault('missing')
  const expected = metadata?.size
  if (expected !== undefined && expected !== size) return fault('size', { expected, found: size })
  const checksum = checksumOf(metadata)
  if (!readsBytes || checksum === undefined) return { row, fault: undefined, bytesRead: 0 }
  const found = await hash(backend, version)
  if (found === undefined) return fault('missing')
  if (found !== checksum) return { ...fault('checksum', { expected: checksum, found }), bytesRead: size }
  return { row, fault: undefined, bytesRead: size }
}

/** Extracts the MD5 from an ETag; `undefined` for multipart ETags, which hash the parts' checksums. */
function checksumOf(metadata: ObjectMetadata | null): string | undefined {
  return /^"?([0-9a-f]{32})"?$/.exec(typeof metadata?.eTag === 'string' ? metadata.eTag : '')?.[1]
}

async function hash(backend: Backend, version: string): Promise<string | undefined> {
  const bytes = await backend.read(version)
  if (!bytes) return undefined
  const md5 = createHash('md5')
  for await (const chunk of bytes as AsyncIterable<Buffer>) md5.update(chunk)
  return md5.digest('hex')
}

async function confirmFaults(db: Queryable, suspects: readonly Found[]): Promise<readonly StoredFault[]> {
  if (suspects.length === 0) return []
  const rows = await db.query<{ id: string; version: string | null }>(sql`
    select id, version from storage.objects where id = any(${suspects.map(({ row }) => row.id)}::uuid[])`)
  const versions = new Map(rows.map(({ id, version }) => [id, version]))
  return suspects.flatMap(({ row, fault }) => (fault && versions.get(row.id) === row.version ? [fault] : []))
}

async function verifyBytes({
  db,
  backend,
  clock,
}: VerifyOptions): Promise<{ readonly versions: number; readonly recent: number; readonly faults: StoredFault[] }> {
  const before = clock.now() - SWEEP_AGE_MS
  const old: ListedVersion[] = []
  let [versions, recent] = [0, 0]
  for await (const batch of inBatches(backend.list())) {
    versions += batch.length
    const unused = new Set(await findUnused(db, namesOf(batch)))
    const stray = batch.filter(({ version }) => unused.has(version))
    old.push(...stray.filter(({ writtenAt }) => writtenAt < before))
    recent += stray.filter(({ writtenAt }) => writtenAt >= before).length
  }
  const faults: StoredFault[] = []
  for (const { version, size } of old) {
    // A row is deleted before its bytes.
    if ((await backend.sizeOf(version)) !== undefined) faults.push({ kind: 'unused', version, found: size })
  }
  return { versions, recent, faults }
}

function namesOf(batch: readonly ListedVersion[]): readonly string[] {
  return batch.map(({ version }) => version)
}
