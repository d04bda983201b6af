/** A metric with all its samples. */
export interface Family {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: readonly Sample[]
}

export interface Sample {
  /** Suffix of a histogram series: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** Creates a metric with a single sample. */
export function single(type: 'counter' | 'gauge', name: string, help: string, value: number): Family {
  return { name, type, help, samples: [{ value }] }
}

/** Renders the Prometheus text format. @see https://prometheus.io/docs/instrumenting/exposition_formats/ */
export function renderFamilies(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, type, help, samples }) => {
      const lines = samples.map(({ suffix = '', labels, value }) => `${name}${suffix}${renderLabels(labels)} ${value}`)
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`
    })
    .join('')
}

function renderLabels(labels: Sample['labels']): string {
  if (labels === undefined) return ''
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replaceAll(/[\\"\n]/g, escapeOne)}"`)
  return `{${pairs.join(',')}}`
}

function escapeOne(character: string): string {
  return character === '\n' ? '\\n' : `\\${character}`
}
