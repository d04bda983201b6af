/** Ordinary runs try one in this many of the cases that a night tries. */
const ORDINARY_SHARE = 8

export interface RunsOptions {
  /** Environment variable that sets the number for one run. */
  readonly variable?: string
  /** The fewest cases that still reach every kind the test is about. Default: 1. */
  readonly least?: number
}

/**
 * Returns how many cases a random test tries: an eighth of `atNight` in an ordinary run, all of them with `HOLDFAST_NIGHT=1`.
 * Every random test asks here, so that one place weighs the time of a run against its depth.
 */
export function runsOf(atNight: number, { variable, least = 1 }: RunsOptions = {}): number {
  const given = variable === undefined ? undefined : process.env[variable]
  if (given !== undefined) return Number(given)
  return process.env['HOLDFAST_NIGHT'] === '1' ? atNight : Math.max(least, Math.ceil(atNight / ORDINARY_SHARE))
}
