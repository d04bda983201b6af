/** Upper bound of the first bucket in ms. Each later bound is FACTOR times the previous one. */
const FIRST_MS = 0.25
const FACTOR = Math.SQRT2
/** The last bucket ends at about 25 minutes and includes everything above. */
const BUCKETS = 46

/** A histogram of durations in constant memory. Percentiles are off by at most 19 %. */
export class Durations {
  readonly #counts = new Uint32Array(BUCKETS)

  add(ms: number): void {
    const index = Math.ceil(Math.log(Math.max(ms, FIRST_MS) / FIRST_MS) / Math.log(FACTOR))
    const bucket = Math.min(index, BUCKETS - 1)
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
  }

  /** @returns the middle of the bucket in ms; `undefined` if empty */
  percentile(share: number): number | undefined {
    return percentileOf([this], share)
  }

  /** Adds these counts to those of `counts`, bucket by bucket. */
  addTo(counts: Uint32Array): void {
    for (const [bucket, count] of this.#counts.entries()) counts[bucket] = (counts[bucket] ?? 0) + count
  }
}

/** Returns the percentile of several histograms together, as {@link Durations.percentile}. */
export function percentileOf(histograms: readonly Durations[], share: number): number | undefined {
  const counts = new Uint32Array(BUCKETS)
  for (const histogram of histograms) histogram.addTo(counts)
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return undefined
  const wanted = Math.max(1, Math.ceil(share * total))
  let seen = 0
  const bucket = counts.findIndex((count) => (seen += count) >= wanted)
  const upper = FIRST_MS * FACTOR ** bucket
  return Math.round((bucket === 0 ? upper : upper / Math.sqrt(FACTOR)) * 100) / 100
}
