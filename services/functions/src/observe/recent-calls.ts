import { Durations, percentileOf } from './durations.ts'

/** The last hour, in steps of five minutes. */
const STEPS = 12
const STEP_MS = 300_000

/** Calls of the last hour, times in ms. */
export interface RecentCalls {
  readonly calls: number
  readonly errors: number
  readonly p50_ms: number | null
  readonly p95_ms: number | null
}

interface Step {
  readonly number: number
  calls: number
  errors: number
  readonly durations: Durations
}

/** Counts the calls of the last hour in constant memory. A step is dropped whole, so up to five minutes less are counted. */
export class CallWindow {
  readonly #steps: (Step | undefined)[] = []

  /** @param nowMs - of a monotonic clock, as for {@link CallWindow.read} */
  add(nowMs: number, { isError, durationMs }: { readonly isError: boolean; readonly durationMs: number | undefined }) {
    const number = Math.floor(nowMs / STEP_MS)
    const kept = this.#steps[number % STEPS]
    const step = kept?.number === number ? kept : { number, calls: 0, errors: 0, durations: new Durations() }
    this.#steps[number % STEPS] = step
    step.calls += 1
    if (isError) step.errors += 1
    if (durationMs !== undefined) step.durations.add(durationMs)
  }

  read(nowMs: number): RecentCalls {
    const current = Math.floor(nowMs / STEP_MS)
    const steps = this.#steps.filter((step) => step !== undefined && step.number > current - STEPS) as Step[]
    const durations = steps.map((step) => step.durations)
    return {
      calls: steps.reduce((sum, { calls }) => sum + calls, 0),
      errors: steps.reduce((sum, { errors }) => sum + errors, 0),
      p50_ms: percentileOf(durations, 0.5) ?? null,
      p95_ms: percentileOf(durations, 0.95) ?? null,
    }
  }
}
