import { HoldfastError } from '@holdfast/foundation'
import { sql, type SqlFragment } from '@holdfast/postgres'

/** A column or computed field of the shared table. */
export interface Column {
  readonly name: string
  /** As `format_type` writes it. */
  readonly type: string
  /** Target of its foreign key. */
  readonly schema: string | null
  readonly target: string | null
  /** Whether it is a function of the row. */
  readonly isComputed: boolean
}

export interface ShownField {
  readonly field: string
  readonly label: string
  /** Labels of the choices. */
  readonly choices?: Readonly<Record<string, string>>
}

export interface ViewDefinition {
  readonly fields: readonly ShownField[]
  /** By link field: the column of the linked table that names its records. Without it a link shows nothing. */
  readonly titles?: Readonly<Record<string, string>>
  readonly filter?: unknown
  readonly sort?: unknown
}

/** The columns, and what relative days depend on. */
export interface ViewContext {
  readonly columns: ReadonlyMap<string, Column>
  /** IANA name. */
  readonly zone: string
  /** Title columns by link column. */
  readonly titles: ReadonlyMap<string, string>
}

const NODES_MAX = 60
const SORTS_MAX = 3
const NUMERIC = /^(?:smallint|integer|bigint|numeric|real|double precision)/
const DAY = /^\d{4}-\d{2}-\d{2}$/
/** A day or the first one of a week or month, as the app's filters write it (`resolveDays`). */
const RELATIVE_DAY = /^(today|week|month)([+-]\d{1,4})?$/

/** Refuses what the page cannot show exactly, instead of showing more or less than the view. */
function unsupported(): HoldfastError {
  return new HoldfastError('view_changed', 410, 'This page can no longer be shown. Ask for a new link.')
}

function columnOf({ columns }: ViewContext, name: unknown): Column {
  const column = typeof name === 'string' ? columns.get(name) : undefined
  if (!column) throw unsupported()
  return column
}

/** Returns the value in a row of the table, which is `t`. */
export function valueSql({ name, isComputed }: Column): SqlFragment {
  return isComputed ? sql`${sql.identifier('public', name)}(t.*)` : sql.identifier('t', name)
}

/** Returns the title of the linked record, as the maker reads it. */
export function titleOf(column: Column, title: string): SqlFragment {
  const { schema, target } = column
  if (schema === null || target === null) throw unsupported()
  return sql`(select l.${sql.identifier(title)}::text from ${sql.identifier(schema, target)} l where l.id = ${valueSql(column)})`
}

/** Renders a filter; every value is a parameter, and Postgres compares. @throws {HoldfastError} `view_changed` */
export function filterSql(filter: unknown, context: ViewContext): SqlFragment {
  const counter = { nodes: 0 }
  return filter === undefined || filter === null ? sql`true` : nodeSql(filter, context, counter)
}

function nodeSql(node: unknown, context: ViewContext, counter: { nodes: number }): SqlFragment {
  counter.nodes += 1
  if (typeof node !== 'object' || node === null || counter.nodes > NODES_MAX) throw unsupported()
  const { kind, nodes, field, operator, values } = node as Readonly<Record<string, unknown>>
  if (kind === 'all' || kind === 'any') {
    if (!Array.isArray(nodes)) throw unsupported()
    if (nodes.length === 0) return sql`true`
    const parts = nodes.map((inner) => nodeSql(inner, context, counter))
    return sql`(${sql.join(parts, kind === 'all' ? ' and ' : ' or ')})`
  }
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) throw unsupported()
  return conditionSql(columnOf(context, field), operator, values as readonly string[], context)
}

function conditionSql(column: Column, operator: unknown, values: readonly string[], context: ViewContext): SqlFragment {
  const own = valueSql(column)
  const [value = ''] = values
  switch (operator) {
    case 'empty':
      return sql`(${own} is null or ${own}::text = '')`
    case 'filled':
      return sql`(${own} is not null and ${own}::text <> '')`
    case 'yes':
    case 'no':
      if (column.type !== 'boolean') throw unsupported()
      return operator === 'yes' ? sql`${own} is true` : sql`${own} is false`
    case 'in':
      return sql`coalesce(${own}::text, '') = any (${values}::text[])`
    case 'notin':
      return sql`coalesce(${own}::text, '') <> all (${values}::text[])`
    case 'has':
      return matchSql(column, `%${likeText(value)}%`, context)
    case 'hasnt':
      return sql`not ${matchSql(column, `%${likeText(value)}%`, context)}`
    case 'starts':
      return matchSql(column, `${likeText(value)}%`, context)
    default:
      return comparisonSql(column, operator, value, context)
  }
}

function matchSql(column: Column, pattern: string, { titles }: ViewContext): SqlFragment {
  const title = titles.get(column.name)
  if (column.target !== null && title === undefined) throw unsupported()
  const text = title === undefined ? sql`${valueSql(column)}::text` : titleOf(column, title)
  return sql`(coalesce(${text}, '') ilike ${pattern}::text)`
}

function likeText(value: string): string {
  return value.replace(/[\\%_]/g, String.raw`\$&`)
}

function comparisonSql(column: Column, operator: unknown, value: string, context: ViewContext): SqlFragment {
  const own = valueSql(column)
  if (NUMERIC.test(column.type)) {
    const sign = { is: '=', isnt: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' }[String(operator)]
    if (sign === undefined || !/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(value)) throw unsupported()
    return sql`coalesce(${own} ${sql.trusted(sign)} ${value}::numeric, ${operator === 'isnt'})`
  }
  if (column.type === 'date' || column.type === 'timestamp with time zone') {
    const [from, to] = [bound(column, value, 0, context), bound(column, value, 1, context)]
    if (operator === 'is') return sql`coalesce(${own} >= ${from} and ${own} < ${to}, false)`
    if (operator === 'before') return sql`coalesce(${own} < ${from}, false)`
    if (operator === 'after') return sql`coalesce(${own} >= ${to}, false)`
    throw unsupported()
  }
  if (operator === 'is') return sql`coalesce(lower(${own}::text) = lower(${value}), false)`
  if (operator === 'isnt') return sql`coalesce(lower(${own}::text) <> lower(${value}), true)`
  throw unsupported()
}

/**
 * Returns the start of a day, week or month, or of the next one (`plus` 1): the day itself or, for moments, its midnight in the workspace's time zone.
 */
function bound({ type }: Column, value: string, plus: 0 | 1, { zone }: ViewContext): SqlFragment {
  const day = dayOf(value, plus, zone)
  return type === 'date' ? day : sql`(${day}::timestamp at time zone ${zone})`
}

function dayOf(value: string, plus: 0 | 1, zone: string): SqlFragment {
  const [, unit, by = '0'] = RELATIVE_DAY.exec(value) ?? []
  const today = sql`(now() at time zone ${zone})::date`
  const units = Number(by) + plus
  if (unit === 'today') return sql`(${today} + ${units}::integer)`
  if (unit === 'week') return sql`(date_trunc('week', ${today})::date + ${7 * units}::integer)`
  if (unit === 'month') return sql`(date_trunc('month', ${today}) + make_interval(months => ${units}::integer))::date`
  if (!DAY.test(value)) throw unsupported()
  return sql`(${value}::date + ${plus}::integer)`
}

interface Key {
  readonly sql: SqlFragment
  /** In the row of the cursor, which has all columns and computed fields. */
  readonly last: SqlFragment
  readonly isDescending: boolean
}

/** Returns the order of the page: the view's, records without a value last, then by id. */
export function orderOf(
  sort: unknown,
  context: ViewContext,
): { readonly order: SqlFragment; readonly after: SqlFragment } {
  const given = sort === undefined || sort === null ? [] : sort
  if (!Array.isArray(given) || given.length > SORTS_MAX) throw unsupported()
  const keys = given.map((one: unknown): Key => {
    const { field, isDescending } = (one ?? {}) as Readonly<Record<string, unknown>>
    const column = columnOf(context, field)
    return {
      sql: valueSql(column),
      last: sql.identifier('c', column.name),
      isDescending: isDescending === true,
    }
  })
  const order = [
    ...keys.map(({ sql: own, isDescending }) => sql`${own} ${sql.trusted(isDescending ? 'desc' : 'asc')} nulls last`),
    sql`t.id`,
  ]
  return { order: sql.join(order, ', '), after: afterSql(keys) }
}

/** Whether a row follows the row `c` of the cursor: keyset pagination over keys that may be null. */
function afterSql(keys: readonly Key[]): SqlFragment {
  const isEqual = ({ sql: own, last }: Key): SqlFragment => sql`${own} is not distinct from ${last}`
  const steps = keys.map(({ sql: own, last, isDescending }, at) => {
    const equal = keys.slice(0, at).map(isEqual)
    const sign = sql.trusted(isDescending ? '<' : '>')
    const follows = sql`(${last} is not null and (${own} is null or ${own} ${sign} ${last}))`
    return sql.join([...equal, follows], ' and ')
  })
  const byId = sql.join([...keys.map(isEqual), sql`t.id > c.id`], ' and ')
  return sql.join(
    [...steps, byId].map((step) => sql`(${step})`),
    ' or ',
  )
}
