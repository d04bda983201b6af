import type { SyncPlan } from '@holdfast/policy'
import type { Pool } from '@holdfast/postgres'
import type { Logger } from '@holdfast/foundation'
import type { ChangeTap, TableName } from '@holdfast/replication'
import type { ClassLimits } from '../buckets/active-plan.ts'
import type { DependencyIndex, KeyHolder } from '../buckets/dependency-index.ts'
import type { CheckpointFeed } from '../checkpoints/checkpoint-feed.ts'
import type { Retirement } from '../compaction/retire-buckets.ts'
import type { Fence } from '../lease/fence.ts'
import type { RowEvaluator } from '../rows/row-evaluator.ts'
import type { BatchLimits } from './log-writer.ts'

export interface ReplicatorOptions {
  /** Superuser pool and connection string: the publication, the slot, schema `sync`. What it writes is fenced. */
  readonly pool: Pool
  readonly url: string
  /** Connects as `holdfast_reader`. */
  readonly readerPool: Pool
  readonly readerUrl: string
  /** Gets the epoch of the lease as long as this process has it. */
  readonly fence: Fence
  /** Names this process. */
  readonly instance: string
  /** Another process has the lease: nothing is served here until that is gone. */
  readonly onStandby: () => void
  /** Nothing can be served before transactions of others have ended. */
  readonly onWaiting: () => void
  /** The database does not provide what sync needs to be exact: nothing is served. Called for each new reason. */
  readonly onRefused: (reason: string) => void
  readonly feed: CheckpointFeed
  readonly dependencies: DependencyIndex
  /** Compiles the policies as they are now. Gives up when the signal is aborted. */
  readonly compile: (signal: AbortSignal) => Promise<SyncPlan>
  /**
   * Prepares the database for a plan's key queries (functions that run with their owner's rights).
   *
   * @returns the plan without the tables for which Postgres refuses that
   */
  readonly prepare: (plan: SyncPlan) => Promise<SyncPlan>
  /** Rows in more access classes are left out; a table that has more from the beginning is not synced. */
  readonly classes: ClassLimits
  readonly onPlan: (plan: SyncPlan) => void
  /** Tables that are published besides those of the plan, as they are now. */
  readonly alsoPublished: () => Promise<readonly TableName[]>
  /** Gets every batch of the stream before it is read here. Never throws and never waits. */
  readonly tap: Pick<ChangeTap, 'deliver'>
  readonly logger: Logger
  /** Tables larger than this together are read for the first time in pieces. */
  readonly snapshotBytesMax?: number
  readonly batchLimits?: BatchLimits | undefined
  /** Rows of a table that are read at once while the service serves. */
  readonly fillChunkRows?: number | undefined
  /** How long after the last change of the schema that no device sees policies are compiled, in milliseconds. */
  readonly quietCompileMs: number
  /** Changes of the schema are in a row when there is no more time between them, in milliseconds. */
  readonly changesInARowMs: number
  readonly retirement: Pick<Retirement, 'run'>
  readonly evaluator: RowEvaluator
  /** A row was changed by a person that says what the person of a stream has. */
  readonly onConcerned: (holder: KeyHolder, author: string) => void
}
