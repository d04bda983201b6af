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
import type { SharedLines } from './shared-lines.ts'
import type { RequestedStreams } from './wanted-streams.ts'

/** What all streams share. */
export interface StreamContext {
  readonly feed: CheckpointFeed
  readonly walBarrier: WalBarrier
  readonly dependencies: DependencyIndex
  readonly log: LogReader
  readonly downloads: Downloads
  /** One permit: each large line of all streams holds it for one turn of the event loop, so that everything else runs in between. */
  readonly bulkLines: Semaphore
  readonly sharedLines: SharedLines
  readonly compactions: Compactions
  readonly omittedTables: OmittedTables
  /** Buckets of one person; what does not fit is left out. */
  readonly bucketsMax: number
  readonly keys: KeyEvaluator
  readonly keyMoments: KeyMoments
  /** What the log has of some buckets. */
  readonly readBuckets: ReadBuckets
  /** The device's newest write checkpoint, whenever it was made. */
  readonly readWriteCheckpoint: (device: Device) => Promise<WriteCheckpoint | undefined>
  readonly logger: Logger
  /** The plan being served; `undefined` while policies are being compiled again: no checkpoint leaves meanwhile. */
  plan(): ActivePlan | undefined
}

export interface StreamSession extends KeyHolder {
  /** Runs until the signal aborts or something fails. While nothing is to be done, nothing of it waits. */
  start(): void
  /** Adds a write checkpoint that the device wants to be told about. */
  addWriteCheckpoint(checkpoint: WriteCheckpoint): void
  /** Whether the device has a whole checkpoint and nothing is under way. */
  readonly isResting: boolean
  /** Looks again whether there is something to send. */
  wake(): void
}

export interface StreamSessionOptions {
  readonly context: StreamContext
  readonly session: Session
  /** Tells the device from others, across its connections. */
  readonly device: string
  readonly sink: LineSink
  readonly signal: AbortSignal
  /** What the device holds already: position by bucket name. */
  readonly positions: ReadonlyMap<string, number>
  /** The streams that the device requested. */
  readonly wanted: RequestedStreams
  /** Called once, with the signal's reason or with what failed: the connection is then closed. */
  readonly onEnd: (reason: unknown) => void
  /** The device whose write checkpoints it gets. Earlier ones are read from the database; it is notified of later ones. */
  readonly writer: Device
}
