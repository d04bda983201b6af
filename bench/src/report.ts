/** A figure to compare with. */
export interface Compared {
  readonly name: string
  readonly value: number
}

/** One measured figure and what it is compared with. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** What the same machine does for the same in the same run, measured just before. */
  readonly reference?: Compared
  /** What another service needs for the same, published. */
  readonly baseline?: Compared
  /** What it should not be above. It is told beside the figure, and fails nothing: figures depend on the machine. */
  readonly budget?: number
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

const rounded = ({ name, value }: Compared): Compared => ({ name, value: round(value) })

/** Prints figures as JSON lines for machines on standard output and as words for people on standard error. */
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

/** Prints all figures once more on standard error, side by side with the published ones. */
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
