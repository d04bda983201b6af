import type { Clock, Logger } from '@holdfast/foundation'
import type { FairLimit } from '@holdfast/http'
import type { PoolShare } from '@holdfast/postgres'
import type { Backend } from './backend/backend.ts'
import type { SignedUrls } from './signed-urls.ts'

/** What every part of the service is handed. */
export interface StorageContext {
  /** Connections as `authenticator`; statements run under the role of the caller. */
  readonly share: PoolShare
  readonly backend: Backend
  readonly urls: SignedUrls
  /** Bytes of the largest file. A bucket may have a lower limit. */
  readonly fileSizeLimit: number
  readonly uploads: FairLimit
  readonly downloads: FairLimit
  readonly transforms: FairLimit
  /** Milliseconds in which a client takes nothing of a download before it is cut off. */
  readonly stalledMs: number
  readonly logger: Logger
  readonly clock: Clock
}
