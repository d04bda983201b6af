import type { Lsn } from '@holdfast/replication'
import type { ClassList } from './class-list.ts'
import type { ActiveStream, PlannedDependency } from './active-plan.ts'
import type { Pins } from './dependency-index.ts'
import type { Snapshot } from './snapshot.ts'

/** A subscription of a device to a stream. */
export interface StreamSubscription {
  readonly stream: ActiveStream
  /** The subscription's parameters as JSON text. */
  readonly parameters: string
}

/** A user's buckets for one {@link StreamSubscription}. */
export interface EvaluatedSubscription {
  readonly bucketNames: readonly string[]
  /** Classes evaluated for the user; `undefined` if none are, now or later. */
  readonly asked: AskedClasses | undefined
  /** Why data is missing, for the device's log. */
  readonly problem: string | undefined
  /** Prefixes of definitions with too many link keys, which are omitted. */
  readonly crowded?: readonly string[]
  /** Local names of tables for which a policy fails for the user. */
  readonly failing?: readonly string[]
  /** Local names of tables whose rows are still being read. */
  readonly unread?: readonly string[]
  /** Whether data is missing because of a timeout. A later evaluation may return it. */
  readonly isTimedOut?: boolean
}

/** A user's buckets, and what they were computed from. */
export interface EvaluatedKeys {
  /** In subscription order. */
  readonly subscriptions: readonly EvaluatedSubscription[]
  readonly dependencies: readonly PlannedDependency[]
  readonly pins: Pins
  /** The transactions visible to the evaluation. */
  readonly snapshot: Snapshot
  /** Everything visible to the evaluation committed before this position. */
  readonly upTo: Lsn
  /** The evaluation's `now()`, in seconds since 1970, and the time zone of the user's session. */
  readonly now: { readonly at: string; readonly timeZone: string }
}

/** How many classes of each list have been evaluated, from the first on, and which of its omissions were reported. */
export type AskedClasses = ReadonlyMap<ClassList, { readonly upTo: number; readonly leftOutVersion: number }>
