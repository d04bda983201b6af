import type { ActivePlan } from '../buckets/active-plan.ts'
import type { FillProgress } from '../fill/fill-turns.ts'
import type { ReplicationStream } from '@holdfast/replication'
import type { Heartbeat } from './heartbeat.ts'
import { MISSED } from './publish-tables.ts'
import { createReaderProgress, type ReaderState } from './reader-progress.ts'

/** What the replicator is doing and has, as others see it: one object, which each attempt at following the stream changes. */
export class RunState {
  readonly progress = createReaderProgress()
  phase: ReaderState = 'starting'
  /** The served plan. */
  active: ActivePlan | undefined
  /** Why the last attempt failed. */
  failure: string | undefined
  /** Whose open transactions delay the slot. */
  waitsFor: string | undefined
  /** Changes of tables were missed, and are not yet in the log. */
  isMissing = false
  /** Since when this attempt serves, in milliseconds of `performance.now()`. */
  servedSinceMs: number | undefined
  stream: ReplicationStream | undefined
  heartbeat: Heartbeat | undefined
  /** The tables being read for the first time or again. */
  filling: () => FillProgress | undefined = () => undefined
  /** See `PlanSource.isSettled`. */
  isSettled: () => boolean = () => false

  /** Whom the start waits for; why the last attempt failed, while it is being repaired; or which objects are known to be missing. */
  get problem(): string | undefined {
    return this.waitsFor ?? this.failure ?? (this.isMissing ? MISSED : this.heartbeat?.problem)
  }

  get isServing(): boolean {
    return this.servedSinceMs !== undefined && this.problem === undefined
  }

  failed(reason: string): void {
    this.failure = reason
    this.phase = 'being repaired'
  }

  refused(reason: string): void {
    this.failure = reason
    this.phase = 'refused'
    this.active = undefined
  }

  standBy(): void {
    this.phase = 'standing by'
    this.failure = undefined
    this.active = undefined
  }

  served(active: ActivePlan): void {
    this.active = active
    this.failure = undefined
    this.servedSinceMs ??= performance.now()
  }

  /** The attempt has ended. */
  ended(): void {
    this.servedSinceMs = undefined
    this.stream = undefined
  }
}
