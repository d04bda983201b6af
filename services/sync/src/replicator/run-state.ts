import type { ActivePlan } from '../buckets/active-plan.ts'
import type { FillProgress } from '../fill/fill-turns.ts'
import type { ReplicationStream } from '@holdfast/replication'
import type { Heartbeat } from './setup/heartbeat.ts'
import { MISSED } from './plan/publish-tables.ts'
import { createReaderProgress } from './read/reader-progress.ts'
import { STARTING, transition, type ReplicatorEvent, type ReplicatorState } from './replicator-state.ts'

/** What the newest attempt at following the stream has opened so far. */
interface AttemptParts {
  readonly stream?: ReplicationStream | undefined
  readonly heartbeat?: Heartbeat
  /** The tables being read for the first time or again. */
  readonly filling?: () => FillProgress | undefined
  /** See `PlanSource.isSettled`. */
  readonly isSettled?: () => boolean
}

/** Mutable state of the replicator for other components, shared by all attempts. */
export class RunState {
  readonly progress = createReaderProgress()
  #value = STARTING
  #active: ActivePlan | undefined
  #parts: AttemptParts = {}

  get value(): ReplicatorState {
    return this.#value
  }

  /** The served plan. */
  get active(): ActivePlan | undefined {
    return this.#active
  }

  get parts(): AttemptParts {
    return this.#parts
  }

  /** The transactions that the start waits for; why the last attempt failed, while it is retried; or which objects are missing. */
  get problem(): string | undefined {
    const { waitsFor, failure, isMissing } = this.#value
    return waitsFor ?? failure ?? (isMissing ? MISSED : this.#parts.heartbeat?.problem)
  }

  get isServing(): boolean {
    return this.#value.servedSinceMs !== undefined && this.problem === undefined
  }

  dispatch(event: ReplicatorEvent): void {
    this.#value = transition(this.#value, event)
    if (event.kind === 'refused' || event.kind === 'stood by') this.#active = undefined
  }

  /** Sets the served plan; `undefined` serves nothing. */
  serve(active: ActivePlan | undefined): void {
    this.#active = active
    if (active) this.dispatch({ kind: 'served', nowMs: performance.now() })
  }

  /** Adds what the attempt has opened. */
  opened(parts: AttemptParts): void {
    this.#parts = { ...this.#parts, ...parts }
  }

  /** Called when the attempt's stream is closed. */
  closedStream(): void {
    this.#parts = { ...this.#parts, stream: undefined }
  }
}
