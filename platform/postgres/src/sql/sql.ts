import { quoteName } from './identifier.ts'

/** SQL text with parameters. Created only by {@link sql}, so a value never becomes text. */
export class SqlFragment {
  readonly strings: readonly string[]
  /** One fewer than `strings`. */
  readonly values: readonly unknown[]

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings
    this.values = values
  }

  /** Renders the statement for the wire: `$1`, `$2`, … in order of appearance. */
  render(): { readonly text: string; readonly values: readonly unknown[] } {
    let text = this.strings[0] ?? ''
    for (let index = 0; index < this.values.length; index++) text += `$${index + 1}${this.strings[index + 1] ?? ''}`
    return { text, values: this.values }
  }
}

/**
 * Builds a statement. Every `${value}` becomes a parameter, except fragments, which are spliced in.
 *
 * @example sql`select * from ${sql.identifier('public', 'sites')} where id = ${id}`
 */
export function sql(strings: TemplateStringsArray, ...values: readonly unknown[]): SqlFragment {
  const outStrings: string[] = [strings[0] ?? '']
  const outValues: unknown[] = []
  values.forEach((value, index) => {
    const after = strings[index + 1] ?? ''
    if (value instanceof SqlFragment) {
      outStrings[outStrings.length - 1] += value.strings[0] ?? ''
      for (let inner = 0; inner < value.values.length; inner++) {
        outValues.push(value.values[inner])
        outStrings.push(value.strings[inner + 1] ?? '')
      }
      outStrings[outStrings.length - 1] += after
    } else {
      outValues.push(value)
      outStrings.push(after)
    }
  })
  return new SqlFragment(outStrings, outValues)
}

/** A quoted, optionally qualified name. */
sql.identifier = (...parts: readonly string[]): SqlFragment => new SqlFragment([quoteName(...parts)], [])

/** Trusted text: printed by Postgres (a catalog expression) or a constant. */
sql.trusted = (text: string): SqlFragment => new SqlFragment([text], [])

/** Joins fragments with a separator such as `, ` or ` and `. */
sql.join = (fragments: readonly SqlFragment[], separator = ', '): SqlFragment =>
  fragments.reduce(
    (joined, fragment, index) => (index === 0 ? fragment : sql`${joined}${sql.trusted(separator)}${fragment}`),
    new SqlFragment([''], []),
  )
