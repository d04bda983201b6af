const UNITS_MS: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/**
 * Parses a duration in Postgres's format: `8s`, `1.5min`, or milliseconds without a unit.
 *
 * @returns milliseconds; `undefined` for invalid text
 * @see PostgreSQL manual, "Setting Parameters", "Parameter Names and Values"
 */
export function parseDurationMs(text: string): number | undefined {
  const match = /^\s*(-?[0-9]*\.?[0-9]+)\s*([a-z]*)\s*$/.exec(text)
  const unit = UNITS_MS[match?.[2] === '' ? 'ms' : (match?.[2] ?? '')]
  return match && unit !== undefined ? Number(match[1]) * unit : undefined
}
