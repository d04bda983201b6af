import { MEASURED_FUNCTIONS_MAX } from '../limits.ts'
import { Durations } from './durations.ts'

/** What is known of one function since the server started. Times are in milliseconds. */
export interface FunctionMetrics {
  readonly function: string
  readonly calls: number
  /** Answers of 500 and above, be they of the function or of the platform. */
  readonly errors: number
  /** From the request to the end of its answer. WebSockets and requests whose callers went away are not counted. */
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  /** Calls that had to wait for a process. */
  readonly cold_starts: number
  readonly cold_start_p50_ms: number | null
  readonly open_requests: number
  readonly processes: number
  /** Resident memory of its processes. */
  readonly memory_bytes: number
}

/** What its processes have at the moment. */
export interface ProcessUsage {
  readonly openRequests: number
  readonly processes: number
  readonly memoryBytes: number
}

interface Counters {
  calls: number
  errors: number
  coldStarts: number
  readonly durations: Durations
  readonly starts: Durations
}

/** Counts what functions did, in bounded memory: the function called longest ago is forgotten when there are too many. */
export class Metrics {
  readonly #counters = new Map<string, Counters>()

  recordCall(name: string, call: { readonly status: number; readonly durationMs: number }): void {
    const counters = this.#of(name)
    counters.calls += 1
    if (call.status >= 500) counters.errors += 1
    if (call.status !== SWITCHED) counters.durations.add(call.durationMs)
  }

  /** @param durationMs - from the request that needed the process to when it served */
  recordColdStart(name: string, durationMs: number): void {
    const counters = this.#of(name)
    counters.coldStarts += 1
    counters.starts.add(durationMs)
  }

  read(usage: ReadonlyMap<string, ProcessUsage>): readonly FunctionMetrics[] {
    return [...this.#counters]
      .map(([name, { calls, errors, coldStarts, durations, starts }]) => {
        const now = usage.get(name)
        return {
          function: name,
          calls,
          errors,
          p50_ms: durations.percentile(0.5) ?? null,
          p95_ms: durations.percentile(0.95) ?? null,
          cold_starts: coldStarts,
          cold_start_p50_ms: starts.percentile(0.5) ?? null,
          open_requests: now?.openRequests ?? 0,
          processes: now?.processes ?? 0,
          memory_bytes: now?.memoryBytes ?? 0,
        }
      })
      .toSorted((one, other) => one.function.localeCompare(other.function))
  }

  #of(name: string): Counters {
    const known = this.#counters.get(name)
    this.#counters.delete(name)
    const counters = known ?? {
      calls: 0,
      errors: 0,
      coldStarts: 0,
      durations: new Durations(),
      starts: new Durations(),
    }
    this.#counters.set(name, counters)
    const [oldest] = this.#counters.keys()
    if (this.#counters.size > MEASURED_FUNCTIONS_MAX && oldest !== undefined) this.#counters.delete(oldest)
    return counters
  }
}

/** The status of a request that became a WebSocket, or whose caller went away before it was answered. */
export const SWITCHED = 101
