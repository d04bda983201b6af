import type { Readable } from 'node:stream'
import { assert } from '@holdfast/foundation'

/** Facts about a version whose bytes are completely stored. */
export interface StoredBytes {
  readonly size: number
  /** Derived from the content; quoted, as in the HTTP header. */
  readonly eTag: string
}

/** Byte range of a version, both ends inclusive. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

export interface ListedVersion {
  readonly version: string
  readonly size: number
  /** Time of the last write, in ms since the epoch. */
  readonly writtenAt: number
}

/**
 * Stores bytes under the random name of an immutable version. Object keys and bucket names never reach a backend, so no user input becomes a path. The rows in
 * `storage.objects` map objects to versions.
 *
 * Every implementation passes the cases in `test/backend/backend-cases.ts`.
 */
export interface Backend extends AsyncDisposable {
  /** Kind and location, for logs and reports. Contains no secrets. */
  readonly description: string
  /**
   * Stores all bytes of `source` under an unused name. They survive a power loss once this resolves. On rejection nothing remains and `source` is destroyed.
   * Memory use is constant: `source` is read no faster than the bytes are written.
   *
   * @throws the error of `source`; {@link HoldfastError} `InsufficientStorage`
   */
  write(version: string, source: Readable): Promise<StoredBytes>
  /** @returns the bytes, which the caller must consume or destroy; `undefined` if the version has none */
  read(version: string, range?: ByteRange): Promise<Readable | undefined>
  /** Reads a short range into memory. @returns fewer bytes if the version is shorter, `undefined` if it has no bytes */
  readPart(version: string, range: ByteRange): Promise<Buffer | undefined>
  /** @returns the size, or `undefined` when the version has no bytes */
  sizeOf(version: string): Promise<number | undefined>
  /** Copies the bytes inside the store, not through this process. @returns false if `from` has none */
  copy(from: string, to: string): Promise<boolean>
  /** Deletes the bytes of a version, if any. Reads in progress finish. */
  remove(version: string): Promise<void>
  /** Lists all versions in no particular order. Versions stored during the listing may be missing. */
  list(): AsyncIterable<ListedVersion>
  /** Deletes unfinished writes whose last byte is older than `before`. @returns how many */
  removeUnfinished(before: number): Promise<number>
  /** The store's identity, persisted beside its bytes. */
  readStoreId(): Promise<string | undefined>
  writeStoreId(id: string): Promise<void>
}

const VERSION = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Checks the form of a version name. Rows restored from a dump may hold names no backend created. */
export function isVersion(text: string | null | undefined): text is string {
  return typeof text === 'string' && VERSION.test(text)
}

/** Call before deriving a file name or S3 key from a version. */
export function assertVersion(version: string): void {
  assert(VERSION.test(version), 'bytes are named by random versions only')
}
