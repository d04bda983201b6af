import { numberOption } from './arguments.ts'

/** The part of the full size at which everything runs: `--share=0.01` shows that a benchmark runs, and not how fast. */
const share = numberOption('share', 1)

/** A count at the size of this run: at least one. */
export function sized(full: number): number {
  return Math.max(1, Math.round(full * share))
}

/** Enough for a few requests on each connection. */
const SECONDS_MIN = 0.05

/** A duration at the size of this run. */
export function sizedSeconds(full: number): number {
  return Math.max(SECONDS_MIN, full * share)
}
