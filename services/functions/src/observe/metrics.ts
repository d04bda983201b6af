import { MEASURED_FUNCTIONS_MAX } from '../limits.ts'
import { Durations } from './durations.ts'
import { CallWindow, type RecentCalls } from './recent-calls.ts'

/** Metrics of a function since the server's start, times in ms. */
export interface FunctionMetrics {
  readonly function: string
  readonly calls: number
  /** Responses of 500 and above, from function or platform. */
  readonly errors: number
  /** From request to end of response. Excludes WebSockets and aborted requests. */
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  /** Calls that waited for a process to start. */
  readonly cold_starts: number
  readonly cold_start_p50_ms: number | null
  readonly open_requests: number
  readonly processes: number
  /** Resident memory of its processes. */
  readonly memory_bytes: number
  readonly last_hour: RecentCalls
}

/** Current resources of its processes. */
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
  readonly recent: CallWindow
}

/** Collects metrics in bounded memory, evicting the least recently called function. */
export class Metrics {
  readonly #counters = new Map<string, Counters>()
  readonly #now: () => number

  /** @param now - monotonic clock in ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  recordCall(name: string, call: { readonly status: number; readonly durationMs: number }): void {
    const counters = this.#of(name)
    const isError = call.status >= 500
    const durationMs = call.status === SWITCHED ? undefined : call.durationMs
    counters.calls += 1
    if (isError) counters.errors += 1
    if (durationMs !== undefined) counters.durations.add(durationMs)
    counters.recent.add(this.#now(), { isError, durationMs })
  }

  /** @param durationMs - from the request until the process served */
  recordColdStart(name: string, durationMs: number): void {
    const counters = this.#of(name)
    counters.coldStarts += 1
    counters.starts.add(durationMs)
  }

  read(usage: ReadonlyMap<string, ProcessUsage>): readonly FunctionMetrics[] {
    return [...this.#counters]
      .map(([name, { calls, errors, coldStarts, durations, starts, recent }]) => {
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
          last_hour: recent.read(this.#now()),
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
      recent: new CallWindow(),
    }
    this.#counters.set(name, counters)
    const [oldest] = this.#counters.keys()
    if (this.#counters.size > MEASURED_FUNCTIONS_MAX && oldest !== undefined) this.#counters.delete(oldest)
    return counters
  }
}

/** Recorded for WebSockets and for requests aborted before a response. */
export const SWITCHED = 101
