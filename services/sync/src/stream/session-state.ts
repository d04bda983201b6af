import type { Phase, Step } from './session-phase.ts'

/** What the evaluation of a session's keys is waiting for. */
export type KeyActivity = 'none' | 'evaluating' | 'waiting for the log'

/** The last checkpoint that was sent whole. */
export interface CompletedCheckpoint {
  readonly opId: number
  /** Milliseconds since the epoch. */
  readonly atMs: number
}

/** Size of a device's data. */
export interface HeldSize {
  readonly buckets: number
  readonly operations: number
  /** Operations in buckets that are not sent whole. */
  readonly operationsLeft: number
}

/** The state of a stream session, for operators. Created when it is read: a session that nobody looks at pays nothing. */
export interface SessionState extends HeldSize {
  readonly phase: Phase['kind']
  /** The step in progress, or the last one. */
  readonly step: Step | undefined
  /** When the session last started to work, in milliseconds since the epoch; 0 before. */
  readonly workingSinceMs: number
  readonly keys: KeyActivity
  readonly completed: CompletedCheckpoint | undefined
  /** Whether the last checkpoint could not be completed. */
  readonly isPending: boolean
  /** Whether the device waits for the changes that it uploaded. */
  readonly awaitsOwnChanges: boolean
}
