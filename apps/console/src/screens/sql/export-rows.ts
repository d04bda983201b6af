import type { SqlResult } from '@holdfast/protocol'

/** Renders a result as CSV (RFC 4180) with a header. NULL is an empty field, an empty text is `""`. */
export function toCsv({ columns = [], rows }: Pick<SqlResult, 'columns' | 'rows'>): string {
  const field = (value: string | null): string => {
    if (value === null) return ''
    return value === '' || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
  }
  const lines = [columns.map(({ name }) => name), ...rows].map((row) => row.map(field).join(','))
  return `${lines.join('\r\n')}\r\n`
}

/** Renders a result as a JSON array of objects. Values are texts as Postgres prints them; of columns with equal names, the later ones get a number. */
export function toJson({ columns = [], rows }: Pick<SqlResult, 'columns' | 'rows'>): string {
  const seen = new Map<string, number>()
  const names = columns.map(({ name }) => {
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return count === 1 ? name : `${name}_${count}`
  })
  const objects = rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? null])))
  return `${JSON.stringify(objects, undefined, 2)}\n`
}
