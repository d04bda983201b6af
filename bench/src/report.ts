/** One measured figure with the reference of the same run that it is compared with. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** What the same machine does at best for the same rows, measured just before. */
  readonly baseline?: { readonly name: string; readonly value: number }
}

const round = (value: number): number => (value >= 100 ? Math.round(value) : Math.round(value * 100) / 100)

/** The middle value; of an even number the lower one. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** @param share - 0.99 for the 99th percentile */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** Prints figures as JSON lines for machines on standard output and as words for people on standard error. */
export function report(figures: readonly Figure[]): void {
  for (const { name, value, unit, baseline } of figures) {
    const ratio = baseline ? value / baseline.value : undefined
    console.log(
      JSON.stringify({
        name,
        value: round(value),
        unit,
        ...(baseline ? { baseline: { ...baseline, value: round(baseline.value) }, ratio: round(ratio ?? 0) } : {}),
      }),
    )
    const compared = baseline ? `   ${round(ratio ?? 0)} × ${baseline.name} (${round(baseline.value)} ${unit})` : ''
    console.error(`${name.padEnd(52)} ${String(round(value)).padStart(10)} ${unit}${compared}`)
  }
}
