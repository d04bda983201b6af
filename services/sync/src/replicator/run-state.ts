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

/** What the replicator is doing and has, as others see it: one object, which each attempt at following the stream changes. */
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

  /** Whom the start waits for; why the last attempt failed, while it is being repaired; or which objects are known to be missing. */
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

  /** Sets the served plan; `undefined`: nothing is served. */
  serve(active: ActivePlan | undefined): void {
    this.#active = active
    if (active) this.dispatch({ kind: 'served', nowMs: performance.now() })
  }

  /** The attempt has opened something. */
  opened(parts: AttemptParts): void {
    this.#parts = { ...this.#parts, ...parts }
  }

  /** The stream of the attempt is closed. */
  closedStream(): void {
    this.#parts = { ...this.#parts, stream: undefined }
  }
}
