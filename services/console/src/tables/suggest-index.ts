import type { RowFilter, RowSort } from '@holdfast/protocol'
import { sql, type SqlFragment } from '@holdfast/postgres'
import type { KnownTable } from './read-table.ts'
import { isManagedSchema } from './schemas.ts'

/** What would make a slow page fast. */
export interface IndexSuggestion {
  /** For the message of the timeout. */
  readonly text: string
  /** The statement that creates the index; missing where none would help. */
  readonly sql?: string
}

/** Operators that one value of a column satisfies, and those that a range does. */
const POINTS: ReadonlySet<string> = new Set(['equals', 'is_null'])
const RANGES: ReadonlySet<string> = new Set(['less', 'at_most', 'greater', 'at_least'])

/** Types whose contents a GIN index finds. */
const CONTAINER = /^jsonb$|\[\]$/
const TEXT = /^(?:text|character varying)$/

/**
 * Suggests the index that a page lacks: columns with one value first, then those of the order, or a range without an order. One on a column with few values
 * needs the key too, or Postgres sorts all rows with the same value.
 */
export function suggestIndex(
  table: KnownTable,
  { sort, filters }: { readonly sort: RowSort | undefined; readonly filters: readonly RowFilter[] },
): IndexSuggestion {
  const found = indexFor(table, sort, filters)
  if (!found) return { text: ' No index serves this filter. Add one on a column that has an index.' }
  if (!mayIndex(table)) return { text: ' Narrow the filter.' }
  // A partitioned table takes no concurrent build.
  const how = table.kind === 'partitioned table' ? sql`create index on` : sql`create index concurrently on`
  const { text } = sql`${how} ${sql.identifier(table.schema, table.name)} ${found.definition}`.render()
  return { text: ` An index on ${found.names.join(', ')} may help.`, sql: `${text};` }
}

interface Index {
  readonly names: readonly string[]
  /** As after the table's name. */
  readonly definition: SqlFragment
}

function indexFor(table: KnownTable, sort: RowSort | undefined, filters: readonly RowFilter[]): Index | undefined {
  const columnsWith = (operators: ReadonlySet<string>): readonly string[] =>
    filters.filter(({ operator }) => operators.has(operator)).map(({ column }) => column)
  const points = columnsWith(POINTS)
  if (sort) return plain([...points, sort.column, ...(table.key ?? []).map(({ name }) => name)])
  const wanted = [...points, ...columnsWith(RANGES).slice(0, 1)]
  if (wanted.some((column) => !table.indexed.includes(column))) return plain(wanted)
  return special(table, filters)
}

function plain(columns: readonly string[]): Index {
  const names = [...new Set(columns)]
  return { names, definition: sql`(${sql.join(names.map((name) => sql.identifier(name)))})` }
}

/** An index for the first filter that only another kind of index serves. */
function special(table: KnownTable, filters: readonly RowFilter[]): Index | undefined {
  for (const { column, operator } of filters) {
    const type = table.columns.find(({ name }) => name === column)?.type ?? ''
    const name = sql.identifier(column)
    if (operator === 'includes' && CONTAINER.test(type))
      return { names: [column], definition: sql`using gin (${name})` }
    if (operator === 'starts_with' && TEXT.test(type))
      return { names: [column], definition: sql`(${name} text_pattern_ops)` }
  }
  return undefined
}

/** Whether the project can create an index: views have none, and Holdfast's tables are not the project's. */
function mayIndex({ kind, schema }: Pick<KnownTable, 'kind' | 'schema'>): boolean {
  return kind !== 'view' && kind !== 'foreign table' && !isManagedSchema(schema)
}
