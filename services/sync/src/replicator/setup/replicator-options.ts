import type { SyncPlan } from '@holdfast/policy'
import type { Pool } from '@holdfast/postgres'
import type { Logger } from '@holdfast/foundation'
import type { ChangeTap, TableName } from '@holdfast/replication'
import type { ClassLimits } from '../../buckets/active-plan.ts'
import type { DependencyIndex, KeyHolder } from '../../buckets/dependency-index.ts'
import type { CheckpointFeed } from '../../checkpoints/checkpoint-feed.ts'
import type { Retirement } from '../../compaction/retire-buckets.ts'
import type { NotePublisher } from '../../followers/note-publisher.ts'
import type { Fence } from '../../lease/fence.ts'
import type { RowEvaluator } from '../../rows/row-evaluator.ts'
import type { BatchLimits } from '../log/log-writer.ts'

export interface ReplicatorOptions {
  /** Superuser pool and connection string, for the publication, the slot and schema `sync`. Its writes are fenced. */
  readonly pool: Pool
  readonly url: string
  /** Connects as `holdfast_reader`. */
  readonly readerPool: Pool
  readonly readerUrl: string
  /** Receives the epoch of the lease while this process holds it. */
  readonly fence: Fence
  /** Name of this process. */
  readonly instance: string
  /** Called when another process holds the lease: this one follows. */
  readonly onStandby: () => void
  /** Called before this process reads the change stream. */
  readonly onLeading: () => Promise<void>
  readonly notes: NotePublisher
  /** Called when serving has to wait for other transactions to end. */
  readonly onWaiting: () => void
  /** Called for each new reason why the database does not meet the prerequisites of sync. Nothing is served. */
  readonly onRefused: (reason: string) => void
  readonly feed: CheckpointFeed
  readonly dependencies: DependencyIndex
  /** Compiles the current policies. Gives up when the signal aborts. */
  readonly compile: (signal: AbortSignal) => Promise<SyncPlan>
  /**
   * Prepares the database for a plan's key queries (functions that run with their owner's rights).
   *
   * @returns the plan without the tables for which Postgres refuses that
   */
  readonly prepare: (plan: SyncPlan) => Promise<SyncPlan>
  /** Limits of access classes. Rows of excess classes are omitted; a table that exceeds the limit from the beginning is not synced. */
  readonly classes: ClassLimits
  readonly onPlan: (plan: SyncPlan) => void
  /** Returns the tables that other services currently follow, which are published too. */
  readonly alsoPublished: () => Promise<readonly TableName[]>
  /** Receives every batch of the stream before it is read here. Never throws and never waits. */
  readonly tap: Pick<ChangeTap, 'deliver'>
  readonly logger: Logger
  /** Tables larger than this together are first read in chunks. */
  readonly snapshotBytesMax?: number
  readonly batchLimits?: BatchLimits | undefined
  /** Rows per backfill chunk while the service is serving. */
  readonly fillChunkRows?: number | undefined
  /** Delay in ms between the last schema change that no device sees and compiling policies. */
  readonly quietCompileMs: number
  /** Maximum gap in ms between schema changes of one series. */
  readonly changesInARowMs: number
  readonly retirement: Pick<Retirement, 'run'>
  readonly evaluator: RowEvaluator
  /** Called when a user changed a row that determines the buckets of a stream's user. */
  readonly onConcerned: (holder: KeyHolder, author: string) => void
}
