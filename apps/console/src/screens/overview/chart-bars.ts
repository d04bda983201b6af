import type { ServiceHistory } from '@holdfast/protocol'

/** Requests of a stretch of time. */
export interface Bar {
  readonly ok: number
  readonly refused: number
  readonly failed: number
}

/**
 * Sums the steps of a service into at most `count` bars of equal length, oldest first.
 *
 * @param count - the newest bar may be shorter than the others if it does not divide the steps
 */
export function barsOf({ requests, refused, failed }: ServiceHistory, count: number): readonly Bar[] {
  const width = Math.max(1, Math.ceil(requests.length / count))
  return Array.from({ length: Math.ceil(requests.length / width) }, (_, index) => {
    const sum = (values: readonly number[]): number =>
      values.slice(index * width, (index + 1) * width).reduce((total, value) => total + value, 0)
    const [all, refusals, failures] = [sum(requests), sum(refused), sum(failed)]
    return { ok: all - refusals - failures, refused: refusals, failed: failures }
  })
}

export interface Totals {
  readonly requests: number
  readonly refused: number
  readonly failed: number
  /** Mean duration in ms; 0 without requests. */
  readonly meanMs: number
}

export function totalsOf({ requests, refused, failed, meanMs }: ServiceHistory): Totals {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
  const all = sum(requests)
  const ms = requests.reduce((total, count, index) => total + count * (meanMs[index] ?? 0), 0)
  return { requests: all, refused: sum(refused), failed: sum(failed), meanMs: all === 0 ? 0 : ms / all }
}
