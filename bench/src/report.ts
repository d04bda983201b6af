/** A figure to compare with. */
export interface Compared {
  readonly name: string
  readonly value: number
}

/** A measured figure and what it is compared with. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** The result of a reference on the same machine, measured in the same run just before. */
  readonly reference?: Compared
  /** The published result of another service. */
  readonly baseline?: Compared
  /** The value that it should not exceed. It is printed with the figure; exceeding it is no error, because figures depend on the machine. */
  readonly budget?: number
}

const round = (value: number): number => (value >= 100 ? Math.round(value) : Math.round(value * 100) / 100)

/** The median; for an even number of values, the lower of the two in the middle. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** @param share - 0.99 for the 99th percentile */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

const rounded = ({ name, value }: Compared): Compared => ({ name, value: round(value) })

/** Prints figures as JSON lines on standard output, and as text on standard error. */
export function report(figures: readonly Figure[]): void {
  for (const { name, value, unit, reference, baseline, budget } of figures) {
    const line = {
      name,
      value: round(value),
      unit,
      ...(reference ? { reference: rounded(reference), ratio: round(value / reference.value) } : {}),
      ...(baseline ? { baseline: rounded(baseline) } : {}),
      ...(budget === undefined ? {} : { budget }),
    }
    console.log(JSON.stringify(line))
    const compared = [reference, baseline].flatMap((other) =>
      other ? `   ${round(value / other.value)} × ${other.name} (${round(other.value)} ${unit})` : [],
    )
    if (budget !== undefined) compared.push(`   ${value > budget ? 'ABOVE' : 'within'} its budget of ${budget} ${unit}`)
    console.error(`${name.padEnd(WIDTH)} ${String(round(value)).padStart(10)} ${unit}${compared.join('')}`)
  }
}

const WIDTH = 72

/** Prints all figures again on standard error, side by side with the published ones. */
export function printTable(figures: readonly Figure[]): void {
  const other = figures.find(({ baseline }) => baseline)?.baseline?.name ?? 'baseline'
  const cell = (text: string): string => text.padStart(12)
  console.error(
    `\n${''.padEnd(WIDTH)} ${cell('Holdfast')} ${cell('baseline')} ${cell('better by')}    (baseline: ${other})`,
  )
  for (const { name, value, unit, baseline } of figures) {
    const times = baseline ? (unit.endsWith('/s') ? value / baseline.value : baseline.value / value) : undefined
    const compared = baseline && times ? `${cell(String(round(baseline.value)))} ${cell(`${round(times)} ×`)}` : ''
    console.error(`${name.padEnd(WIDTH)} ${cell(String(round(value)))} ${compared.padEnd(25)}    ${unit}`)
  }
}
