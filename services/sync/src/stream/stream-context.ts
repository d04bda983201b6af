import type { Logger, Semaphore } from '@holdfast/foundation'
import type { Session } from '@holdfast/postgres'
import type { ActivePlan } from '../buckets/active-plan.ts'
import type { DependencyIndex, KeyHolder } from '../buckets/dependency-index.ts'
import type { KeyEvaluator } from '../buckets/key-evaluator.ts'
import type { CheckpointFeed, ReadBuckets } from '../checkpoints/checkpoint-feed.ts'
import type { KeyMoments } from '../buckets/key-moments.ts'
import type { WalBarrier } from '../checkpoints/wal-barrier.ts'
import type { Device, WriteCheckpoint } from '../checkpoints/write-checkpoints.ts'
import type { Compactions } from '../compaction/compactions.ts'
import type { LogReader } from '../storage/log-reader.ts'
import type { Downloads } from './downloads.ts'
import type { OmittedTables } from './omitted-tables.ts'
import type { LineSink } from './line-sink.ts'
import type { SessionState } from './session-state.ts'
import type { SharedLines } from './shared-lines.ts'
import type { RequestedStreams } from './wanted-streams.ts'

/** Dependencies shared by all streams. */
export interface StreamContext {
  readonly feed: CheckpointFeed
  readonly walBarrier: WalBarrier
  readonly dependencies: DependencyIndex
  readonly log: LogReader
  /** Whether another process writes the log. */
  readonly isFollowing: () => boolean
  readonly downloads: Downloads
  /** A single permit, which each large line of any stream holds for one turn of the event loop, so that other work runs in between. */
  readonly bulkLines: Semaphore
  readonly sharedLines: SharedLines
  readonly compactions: Compactions
  readonly omittedTables: OmittedTables
  /** Maximum buckets per user; definitions that do not fit are omitted. */
  readonly bucketsMax: number
  readonly keys: KeyEvaluator
  readonly keyMoments: KeyMoments
  /** Reads buckets from the log. */
  readonly readBuckets: ReadBuckets
  /** Reads the device's newest write checkpoint. */
  readonly readWriteCheckpoint: (device: Device) => Promise<WriteCheckpoint | undefined>
  readonly logger: Logger
  /** Returns the served plan; `undefined` while policies are being compiled. Without a plan no checkpoint is sent. */
  plan(): ActivePlan | undefined
}

export interface StreamSession extends KeyHolder {
  /** Runs until the signal aborts or an error occurs. An idle session holds no task. */
  start(): void
  /** The device has uploaded changes, and may upload more until it asks for a write checkpoint. */
  uploaded(): void
  /** Adds a write checkpoint that the device wants to be told about. */
  addWriteCheckpoint(checkpoint: WriteCheckpoint): void
  /** Whether the device has a complete checkpoint and nothing is in progress. */
  readonly isResting: boolean
  /** Checks again for something to send. */
  wake(): void
  /** Makes the device clear its buckets and download them again. Its unsent changes stay. */
  resync(): void
  state(): SessionState
  /** Role and claims that its rows are read with. */
  readonly caller: Session
  /** Ids of the buckets that the device knows. */
  bucketIds(): readonly number[]
}

export interface StreamSessionOptions {
  readonly context: StreamContext
  readonly session: Session
  /** Identifies the device across connections. */
  readonly device: string
  readonly sink: LineSink
  readonly signal: AbortSignal
  /** Positions that the device reported, by bucket name. */
  readonly positions: ReadonlyMap<string, number>
  /** The streams that the device requested. */
  readonly wanted: RequestedStreams
  /** Called once with the abort reason or the error. The connection is closed afterwards. */
  readonly onEnd: (reason: unknown) => void
  /** The device whose write checkpoints it gets. Earlier ones are read from the database; it is notified of later ones. */
  readonly writer: Device
}
