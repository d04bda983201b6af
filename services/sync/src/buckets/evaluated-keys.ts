import type { Lsn } from '@holdfast/replication'
import type { ClassList } from './class-list.ts'
import type { ActiveStream, PlannedDependency } from './active-plan.ts'
import type { Pins } from './dependency-index.ts'
import type { Snapshot } from './snapshot.ts'

/** A stream that a device subscribes to, with the parameters of the subscription. */
export interface StreamSubscription {
  readonly stream: ActiveStream
  /** The parameters as JSON text. */
  readonly parameters: string
}

/** A user's keys for one {@link StreamSubscription}. */
export interface EvaluatedSubscription {
  readonly bucketNames: readonly string[]
  /** Classes evaluated for the user; `undefined` if none are, now or later. */
  readonly asked: AskedClasses | undefined
  /** Why something of it is missing, for the device's log. */
  readonly problem: string | undefined
  /** Prefixes of definitions with too many narrowing keys; nothing of them is included. */
  readonly crowded?: readonly string[]
  /** Tables, by their names on devices, of which a policy fails for the person. */
  readonly failing?: readonly string[]
  /** Tables, by their names on devices, of which rows are still being read. */
  readonly unread?: readonly string[]
  /** Something is missing because it took too long, and may be there the next time. */
  readonly isTimedOut?: boolean
}

/** Which buckets a person has, and what the answer was computed from. */
export interface EvaluatedKeys {
  /** In subscription order. */
  readonly subscriptions: readonly EvaluatedSubscription[]
  readonly dependencies: readonly PlannedDependency[]
  readonly pins: Pins
  /** The transactions that the answer has seen. */
  readonly snapshot: Snapshot
  /** Everything that it has seen committed before this position. */
  readonly upTo: Lsn
  /** Its `now()`, in seconds since 1970, and the time zone of the person's session. */
  readonly now: { readonly at: string; readonly timeZone: string }
}

/** How many of each list's classes have been asked for, those from the first on, and what was reported of those that it leaves out. */
export type AskedClasses = ReadonlyMap<ClassList, { readonly upTo: number; readonly leftOutVersion: number }>
