import { createHash } from 'node:crypto'
import type { Clock } from '@holdfast/foundation'
import { sql, type Queryable } from '@holdfast/postgres'
import { isVersion, type Backend, type ListedVersion } from '../backend/backend.ts'
import { inBatches } from '../backend/in-batches.ts'
import type { ObjectMetadata } from '../database/objects.ts'
import { findUnused } from '../database/versions-in-use.ts'
import { SWEEP_AGE_MS, VERIFY_AT_ONCE, VERSIONS_BATCH } from '../limits.ts'

/** Where a row and its bytes do not agree. */
export interface StoredFault {
  readonly kind:
    /** The row points to bytes that are not there. */
    | 'missing'
    | 'size'
    | 'checksum'
    /** Bytes that nothing uses, and that are older than those of writes under way. */
    | 'unused'
  readonly version: string | null
  /** Of `unused` there is neither. */
  readonly bucket?: string
  readonly key?: string
  /** What the row says, and what the bytes say. */
  readonly expected?: string | number
  readonly found?: string | number
}

export interface StoredReport {
  readonly equal: boolean
  readonly store: string
  /** Whether the store is the one that the database was used with; if not, its bytes are of other rows. */
  readonly isStoreOfDatabase: boolean
  readonly objects: number
  readonly versions: number
  /** Bytes of objects that were read and compared. */
  readonly bytesRead: number
  /** Versions that nothing uses and that are young: writes under way, and what the next sweeps delete. */
  readonly recent: number
  readonly faults: readonly StoredFault[]
}

export interface VerifyOptions {
  /** Reads all rows past their policies. */
  readonly db: Queryable
  readonly backend: Backend
  readonly clock: Clock
  /** Whether bytes are read and their checksums compared. */
  readonly readsBytes: boolean
  /** Called now and then with the number of objects looked at. */
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
 * Compares the rows of objects with the stored bytes, in both directions. While a server writes, only faults that a second look confirms count: a row that was
 * replaced or deleted meanwhile is no fault.
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
  let [objects, bytesRead] = [0, 0]
  for await (const page of pagesOfRows(options.db)) {
    const suspects: Found[] = []
    for (let at = 0; at < page.length; at += VERIFY_AT_ONCE) {
      const looked = await Promise.all(page.slice(at, at + VERIFY_AT_ONCE).map((row) => look(options, row)))
      suspects.push(...looked.filter(({ fault }) => fault !== undefined))
      bytesRead += looked.reduce((sum, one) => sum + one.bytesRead, 0)
    }
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

/** The checksum that an ETag is; that of an upload in parts to S3 is one of checksums. */
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
    // A row goes before its bytes.
    if ((await backend.sizeOf(version)) !== undefined) faults.push({ kind: 'unused', version, found: size })
  }
  return { versions, recent, faults }
}

function namesOf(batch: readonly ListedVersion[]): readonly string[] {
  return batch.map(({ version }) => version)
}
