import { numberOption } from './arguments.ts'

/** The size of this run as a part of the full size. `--share=0.01` only shows that the benchmarks work, not how fast the server is. */
const share = numberOption('share', 1)

/** Scales a count to the size of this run, at least 1. */
export function sized(full: number): number {
  return Math.max(1, Math.round(full * share))
}

/** Enough for a few requests on each connection. */
const SECONDS_MIN = 0.05

/** Scales a duration to the size of this run. */
export function sizedSeconds(full: number): number {
  return Math.max(SECONDS_MIN, full * share)
}
