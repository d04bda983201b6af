import type { Readable } from 'node:stream'
import { assert } from '@holdfast/foundation'

/** The facts about bytes once all of them are stored. */
export interface StoredBytes {
  readonly size: number
  /** Changes with every content; in quotes, as HTTP has it. */
  readonly eTag: string
}

/** Bytes of a version, from the first to the last, both included. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

/** A version in a listing. */
export interface ListedVersion {
  readonly version: string
  readonly size: number
  /** When its last byte was written, in milliseconds since the epoch. */
  readonly writtenAt: number
}

/**
 * Where bytes are kept. They are found by the random name of a version that never changes: keys and names of buckets never reach a backend, so nothing that a user
 * writes is a path. Which version is whose, the rows in `storage.objects` say.
 *
 * Every implementation passes the cases in `test/backend/backend-cases.ts`.
 */
export interface Backend extends AsyncDisposable {
  /** What kind it is and where, for logs and reports. No secrets. */
  readonly description: string
  /**
   * Stores all bytes of `source` under a name that nothing has. They survive a loss of power once this resolves. When it rejects, nothing is left of them, and
   * `source` is destroyed. Memory stays flat: `source` is read no faster than the bytes are written.
   *
   * @throws what `source` failed with; {@link HoldfastError} `InsufficientStorage`
   */
  write(version: string, source: Readable): Promise<StoredBytes>
  /** @returns the bytes, to be consumed or destroyed, or `undefined` when the version has none */
  read(version: string, range?: ByteRange): Promise<Readable | undefined>
  /** Reads a short range at once. @returns its bytes, fewer when the version has fewer, or `undefined` when it has none at all */
  readPart(version: string, range: ByteRange): Promise<Buffer | undefined>
  /** @returns the size, or `undefined` when the version has no bytes */
  sizeOf(version: string): Promise<number | undefined>
  /** Gives a second version the same bytes, without reading them into this process. @returns false when `from` has none */
  copy(from: string, to: string): Promise<boolean>
  /** Running reads finish. Absent bytes are no error. */
  remove(version: string): Promise<void>
  /** All versions, in no order. Versions stored meanwhile may be missing. */
  list(): AsyncIterable<ListedVersion>
  /** Deletes what writes that never ended have left, if its last byte is older than `before`. @returns how many */
  removeUnfinished(before: number): Promise<number>
  /** The name that this store was given, and that stays with its bytes. */
  readStoreId(): Promise<string | undefined>
  writeStoreId(id: string): Promise<void>
}

const VERSION = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Rows that came with a dump may name versions that no backend has made. */
export function isVersion(text: string | null | undefined): text is string {
  return typeof text === 'string' && VERSION.test(text)
}

/** To be asserted wherever a name of a file or of an S3 object is made. */
export function assertVersion(version: string): void {
  assert(VERSION.test(version), 'bytes are named by random versions only')
}
