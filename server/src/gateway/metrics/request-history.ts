import type { RequestHistory as History, ServiceHistory } from '@holdfast/protocol'

/** Length of a step in seconds, and steps kept: a day in about 50 KB per service. */
const STEP_S = 60
const STEPS = 24 * 60

interface Series {
  readonly requests: Uint32Array
  readonly refused: Uint32Array
  readonly failed: Uint32Array
  readonly msSum: Float64Array
}

/** Requests per service and minute of the last day, in memory of fixed size. */
export class RequestHistory {
  readonly #series = new Map<string, Series>()
  readonly #now: () => number
  #step: number

  /** @param now - ms since the epoch */
  constructor(now: () => number) {
    this.#now = now
    this.#step = this.#currentStep()
  }

  /** @param service - one of a fixed set */
  record(service: string, { status, ms }: { readonly status: number; readonly ms: number }): void {
    this.#advance()
    let series = this.#series.get(service)
    if (!series) {
      series = {
        requests: new Uint32Array(STEPS),
        refused: new Uint32Array(STEPS),
        failed: new Uint32Array(STEPS),
        msSum: new Float64Array(STEPS),
      }
      this.#series.set(service, series)
    }
    const index = this.#step % STEPS
    add(series.requests, index, 1)
    add(series.msSum, index, ms)
    if (status >= 500) add(series.failed, index, 1)
    else if (status >= 400) add(series.refused, index, 1)
  }

  /** Returns the last hours, oldest step first. */
  read(hours: number): History {
    this.#advance()
    const steps = Math.min(STEPS, hours * 60)
    const indexes = Array.from({ length: steps }, (_, position) => (this.#step - steps + 1 + position + STEPS) % STEPS)
    const services = [...this.#series].map(([service, series]): ServiceHistory => {
      const pick = (values: Uint32Array | Float64Array): number[] => indexes.map((index) => values[index] ?? 0)
      const requests = pick(series.requests)
      const meanMs = pick(series.msSum).map((sum, index) => {
        const count = requests[index] ?? 0
        return count === 0 ? 0 : Math.round((sum / count) * 10) / 10
      })
      return { service, requests, refused: pick(series.refused), failed: pick(series.failed), meanMs }
    })
    return { untilMs: (this.#step + 1) * STEP_S * 1_000, stepSeconds: STEP_S, services }
  }

  #currentStep(): number {
    return Math.floor(this.#now() / (STEP_S * 1_000))
  }

  /** Clears the steps since the last call. A clock that was set back stays in the newest step. */
  #advance(): void {
    const current = this.#currentStep()
    for (let cleared = Math.max(this.#step + 1, current - STEPS + 1); cleared <= current; cleared += 1) {
      const index = cleared % STEPS
      for (const { requests, refused, failed, msSum } of this.#series.values())
        for (const values of [requests, refused, failed, msSum]) values[index] = 0
    }
    this.#step = Math.max(this.#step, current)
  }
}

function add(values: Uint32Array | Float64Array, index: number, amount: number): void {
  values[index] = (values[index] ?? 0) + amount
}
