/** Milliseconds per unit of Go durations. */
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

/** Largest duration in ms that Go's 64-bit nanoseconds can hold: about 292 years. */
const DURATION_MS_MAX = 2 ** 63 / 1e6

/**
 * Parses a Go duration: `24h`, `1h30m`, `1.5s`, `-2m`, `0`.
 *
 * @returns milliseconds; `undefined` for other text or values out of Go's range
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
