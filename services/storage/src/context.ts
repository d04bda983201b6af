import type { Clock, Logger, Semaphore } from '@holdfast/foundation'
import type { PoolShare } from '@holdfast/postgres'
import type { Backend } from './backend/backend.ts'
import type { SignedUrls } from './signed-urls.ts'

/** Shared dependencies of the storage routes. */
export interface StorageContext {
  /** Connections as `authenticator`; statements run under the caller's role. */
  readonly share: PoolShare
  readonly backend: Backend
  readonly urls: SignedUrls
  /** Global file size limit in bytes. Buckets may set a lower one. */
  readonly fileSizeLimit: number
  readonly uploads: Semaphore
  readonly downloads: Semaphore
  readonly transforms: Semaphore
  /** Timeout in ms for a client that stops reading a download. */
  readonly stalledMs: number
  readonly logger: Logger
  readonly clock: Clock
}
