/** Milliseconds of each unit of Go's durations. */
const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}

/** Milliseconds that Go's 64 bits of nanoseconds hold: some 292 years. */
const DURATION_MS_MAX = 2 ** 63 / 1e6

/**
 * Reads a duration as Go writes it: `24h`, `1h30m`, `1.5s`, `-2m`, `0`.
 *
 * @returns milliseconds, or `undefined` for anything else, or more than Go can hold
 * @see Go documentation, `time.ParseDuration`
 */
export function parseGoDuration(text: string): number | undefined {
  const parts = /^([+-]?)(.*)$/s.exec(text)
  const rest = parts?.[2] ?? ''
  if (rest === '0') return 0
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return undefined
  let totalMs = 0
  for (const [, number = '', unit = ''] of rest.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    totalMs += Number(number) * (UNITS_MS[unit] ?? Number.NaN)
  }
  if (!(totalMs < DURATION_MS_MAX)) return undefined
  return parts?.[1] === '-' ? -totalMs : totalMs
}
