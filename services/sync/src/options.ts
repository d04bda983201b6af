import {
  type Clock,
  flag,
  integer,
  type Logger,
  type OptionDeclarations,
  type OptionValues,
} from '@holdfast/foundation'
import type { Caller } from '@holdfast/http'
import type { SyncPlan, WriteInput } from '@holdfast/policy'
import type { PoolShare } from '@holdfast/postgres'
import type { ChangeTap, TableName } from '@holdfast/replication'
import type { FindUser } from './inspect/inspected-user.ts'
import type { BatchLimits } from './replicator/log/log-writer.ts'
import type { RowLimits } from './rows/row-evaluator.ts'
import type { FindHiddenTables } from './schema/describe-schema.ts'
import type { WatchSession } from './stream/serve-stream.ts'

/** Settings of sync, as command-line options, environment variables and keys of the config file. */
export const syncOptions = {
  syncConnectionsMax: integer('Maximum devices connected for sync. Others get 429 and retry.', {
    default: 20_000,
    min: 1,
    max: 1_000_000,
  }),
  syncStreamsPerPersonMax: integer(
    'Maximum streams per user, at most a quarter of `syncConnectionsMax`. Others get 429 and retry; a reconnecting device replaces its older stream.',
    { default: 100, min: 1, max: 1_000_000 },
  ),
  syncClassesMax: integer(
    'Maximum access classes per policy, which are evaluated one by one. Rows of excess classes are left out; a table that exceeds it when its policy is first followed does not sync.',
    { default: 10_000, min: 1, max: 1_000_000 },
  ),
  syncClassesPerPersonMax: integer(
    'Maximum access classes per policy that one user’s writes may add, so that no user fills the list. Rows of excess ones are left out, and the user is told.',
    { default: 2_500, min: 1, max: 1_000_000 },
  ),
  syncCompress: flag('Compresses streams, schema and write rules with gzip. Off saves time on fast networks.', {
    default: true,
  }),
  syncCompactIntervalS: integer(
    'Seconds between compactions of the operation log. 0 disables them; the log then grows with every change.',
    { default: 60, min: 0, max: 86_400 },
  ),
  syncCompactOpsPerSecond: integer(
    'Maximum operations that compaction drops per second, to leave disk bandwidth for sync.',
    { default: 20_000, min: 100, max: 10_000_000 },
  ),
  syncUploadsPerPersonMax: integer(
    'Maximum concurrent uploads per user; each device sends one at a time. Others get 429 and are retried.',
    { default: 10, min: 1, max: 10_000 },
  ),
  syncUploadsMax: integer(
    'Maximum concurrent uploads, most of which wait for a connection. Others get 503 and are retried.',
    { default: 500, min: 1, max: 100_000 },
  ),
  syncUploadConnectionsMax: integer('Maximum connections for uploads, out of requestConnectionsMax.', {
    default: 6,
    min: 1,
    max: 500,
  }),
  syncUploadStatementTimeoutMs: integer(
    'Statement timeout of uploads in ms, unless the role has its own statement_timeout; 0 for none.',
    { default: 8000, min: 0, max: 3_600_000 },
  ),
  syncUploadTimeoutMs: integer(
    'Maximum ms for which an uploaded transaction holds a connection and locks. Then it is rolled back and retried.',
    { default: 30_000, min: 100, max: 3_600_000 },
  ),
} satisfies OptionDeclarations

/** URLs must come from `withOwnSettings`, so that a project's settings for its sessions do not end ours. */
export interface SyncOptions {
  /** Superuser URL: for schema `sync`, replication, and reading tables past their policies. */
  readonly url: string
  /** A physical replica, which operations of the log are read from while it has all of them. */
  readonly replicaUrl?: string | undefined
  /** Connections as `authenticator`, for everything that runs as a user: reads of streams and devices, and uploads. */
  readonly shares: { readonly streams: PoolShare; readonly uploads: PoolShare }
  /** Returns the schemas whose tables devices may currently write. {@link compile} uses the same. */
  readonly exposedSchemas: () => readonly string[]
  /** Connects as `holdfast_reader`, which reads tables past their policies and cannot write. */
  readonly readerUrl: string
  /** Connects as `holdfast_evaluator`, which evaluates user-written expressions with the rights of the API roles. */
  readonly evaluatorUrl: string
  /** Compiles the current policies. Gives up when the signal aborts. */
  readonly compile: (signal: AbortSignal) => Promise<SyncPlan>
  /** Reads the input for write rules. */
  readonly readWrites: () => Promise<WriteInput>
  /** Prepares the database for a plan. @returns the plan without tables for which Postgres refuses that */
  readonly prepare: (plan: SyncPlan) => Promise<SyncPlan>
  /**
   * Identifies a device on a WebSocket.
   *
   * @param authorization - like the header: `Token …` or `Bearer …`
   * @throws {HoldfastError} the refusal in the PowerSync service's vocabulary
   */
  readonly readCaller: (authorization: string) => Promise<Caller>
  /** Ends the streams of users whose session has ended. */
  readonly watchSession: WatchSession
  /** Returns tables whose names are hidden from a user's device, because they were created for others. Their rows depend only on policies. Default: none. */
  readonly findHiddenTables?: FindHiddenTables | undefined
  /** For operators inspecting a user's data. */
  readonly findUser: FindUser
  readonly options: OptionValues<typeof syncOptions>
  /** Returns the tables that other services currently follow in the same stream. */
  readonly alsoPublished?: () => Promise<readonly TableName[]>
  /** Receives every batch of the slot, with {@link alsoPublished} and the tables of the plan. */
  readonly tap?: Pick<ChangeTap, 'deliver'>
  readonly logger: Logger
  readonly clock?: Clock
  /** Tables larger than this together are first read in chunks. */
  readonly snapshotBytesMax?: number
  readonly batchLimits?: BatchLimits
  /** Rows per backfill chunk while the service is serving; 16,000 by default. */
  readonly fillChunkRows?: number
  /** Delay in ms between the last schema change that no device sees and compiling policies. */
  readonly quietCompileMs?: number
  /** Maximum gap in ms between schema changes of one series. */
  readonly changesInARowMs?: number
  readonly rowLimits?: RowLimits
  /** Interval in ms for counting omitted access classes again; 30 s by default. */
  readonly classRecountMs?: number
  /** Maximum buckets per user; 50,000 by default. */
  readonly bucketsPerClientMax?: number
  /** Time in ms for devices to reconnect elsewhere when the service is disposed; 1500 by default. */
  readonly drainMs?: number
  /** Compaction threshold in superseded operations per bucket, regardless of its size. */
  readonly compactSlackOps?: number
}
