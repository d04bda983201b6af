import type { FilterOperator, RowFilter, RowSort } from '@holdfast/protocol'
import { sql, type SqlFragment } from '@holdfast/postgres'
import { invalidRequest } from '../errors.ts'
import { CELL_BYTES_MAX, CELL_CHARS_SHOWN } from '../limits.ts'
import type { KnownColumn, KnownTable } from './read-table.ts'

/** Position after the last row of a page. */
export interface PagePosition {
  /** Value of the sorted column; missing without one. */
  readonly sorted?: string | null
  /** Address of the row; missing if the relation has none. */
  readonly address: readonly string[]
}

export interface PageRequest {
  readonly filters: readonly RowFilter[]
  readonly sort: RowSort | undefined
  readonly after: PagePosition | undefined
  readonly limit: number
}

/** A row as {@link pageQueries} return it. */
export interface PageRow {
  readonly address: string[] | null
  readonly version: string | null
  /** Whole value of the sorted column. */
  readonly sorted: string | null
  readonly cells: (string | null)[]
  /** Bytes of the values that were cut. */
  readonly sizes: (number | null)[]
}

/** How rows of a relation are found again. */
export type AddressKind = 'key' | 'place' | 'none'

export function addressKindOf({ key, kind }: Pick<KnownTable, 'key' | 'kind'>): AddressKind {
  if (key) return 'key'
  return kind === 'table' || kind === 'materialized view' ? 'place' : 'none'
}

/** Returns a column by its name. @throws {HoldfastError} `invalid_request` */
export function columnOf({ columns }: Pick<KnownTable, 'columns'>, name: string): KnownColumn {
  const found = columns.find((column) => column.name === name)
  if (!found) throw invalidRequest(`There is no readable column "${name}".`)
  return found
}

/**
 * Renders the queries for a page: the second one is run if the first one returns fewer rows than asked for.
 *
 * Rows are ordered by the sorted column and then by address in the same direction, so that one comparison of rows, which an index serves, continues after any
 * row. NULL compares with nothing, so NULLs are a part of their own: the last one in ascending order and the first one in descending order, as in an index.
 * Their query is ordered by address alone.
 *
 * @throws {HoldfastError} `invalid_request` for unknown columns
 */
export function pageQueries(table: KnownTable, request: PageRequest): readonly SqlFragment[] {
  const { sort, after } = request
  const kind = addressKindOf(table)
  const filters = request.filters.map((filter) => filterOf(table, filter))
  const address = kind === 'none' ? undefined : addressOf(table)
  const addressAfter = after && address ? addressValuesOf(table, after.address) : undefined
  const symbol = sql.trusted(sort?.isDescending ? '<' : '>')
  const isAfter = addressAfter && sql`(${address}) ${symbol} (${addressAfter})`
  const page = (conditions: readonly SqlFragment[], isTied = false): SqlFragment =>
    render(table, { ...request, isTied }, [...filters, ...conditions])
  if (!sort) return [page(isAfter ? [isAfter] : [])]
  const { type, isNullable } = columnOf(table, sort.column)
  const column = named(sort.column)
  if (!isAfter) {
    if (!isNullable || !sort.isDescending || kind === 'none') return [page([])]
    return [page([sql`${column} is null`], true), page([sql`${column} is not null`])]
  }
  const { sorted = null } = after ?? {}
  const nulls = page([sql`${column} is null`, ...(sorted === null ? [isAfter] : [])], true)
  const values = page([
    sql`${column} is not null`,
    ...(sorted === null
      ? []
      : [sql`(${column}, ${address}) ${symbol} (${sorted}::${sql.trusted(type)}, ${addressAfter})`]),
  ])
  if (sort.isDescending) return sorted === null ? [nulls, values] : [values]
  if (sorted === null) return [nulls]
  return isNullable ? [values, nulls] : [values]
}

/** Renders the query for the row with an address, in the form of a page. */
export function rowQuery(table: KnownTable, address: readonly string[]): SqlFragment {
  return render(table, { sort: undefined, limit: 1, isTied: false }, [addressCondition(table, address)])
}

/** The condition that finds a row by its address. */
export function addressCondition(table: KnownTable, address: readonly string[]): SqlFragment {
  return sql`(${addressOf(table)}) = (${addressValuesOf(table, address)})`
}

function addressOf(table: KnownTable): SqlFragment {
  return table.key ? sql.join(table.key.map(({ name }) => named(name))) : sql`t.ctid`
}

function addressValuesOf(table: KnownTable, address: readonly string[]): SqlFragment {
  const types = table.key?.map(({ type }) => type) ?? ['tid']
  if (addressKindOf(table) === 'none' || address.length !== types.length)
    throw invalidRequest('The address does not fit the key of the table.')
  return sql.join(types.map((type, at) => sql`${address[at]}::${sql.trusted(type)}`))
}

function named(column: string): SqlFragment {
  return sql`t.${sql.identifier(column)}`
}

const SHOWN = sql.trusted(String(CELL_CHARS_SHOWN))
const BYTES_SHOWN = sql.trusted(String(CELL_CHARS_SHOWN / 2))
const LARGE = sql.trusted(String(CELL_BYTES_MAX))

/** Types whose values are cut before they are printed, because printing doubles them. */
const BYTES = 'bytea'

interface RenderOptions extends Pick<PageRequest, 'sort' | 'limit'> {
  /** All rows have the same sorted value, NULL: ordering by it would keep Postgres from reading them in the order of the key. */
  readonly isTied: boolean
}

/**
 * Three levels: the innermost finds the rows, the middle one prints their values once, and the outer one cuts them. `offset 0` keeps Postgres from merging
 * them, which would print each value several times.
 */
function render(
  table: KnownTable,
  { sort, limit, isTied }: RenderOptions,
  conditions: readonly SqlFragment[],
): SqlFragment {
  const { columns, key, schema, name } = table
  const kind = addressKindOf(table)
  const place = (column: string): number => columns.findIndex((one) => one.name === column)
  const field = (letter: string, at: number): SqlFragment => sql.trusted(`"${letter}${at}"`)
  const inner = sql.join([
    ...columns.map((column, at) => sql`${named(column.name)} as ${field('c', at)}`),
    ...(hasVersion(table) ? [sql`t.xmin::text as version`] : [sql`null::text as version`]),
    ...(kind === 'place' ? [sql`t.ctid::text as place`] : []),
  ])
  const address =
    kind === 'key' && key
      ? sql`array[${sql.join(key.map((one) => sql`${field('c', place(one.name))}::text`))}]`
      : kind === 'place'
        ? sql`array[place]`
        : sql`null::text[]`
  const printed = columns.map(({ type }, at) =>
    type === BYTES
      ? sql`chr(92) || 'x' || encode(substring(${field('c', at)} from 1 for ${BYTES_SHOWN}), 'hex') as ${field('t', at)},
            case when octet_length(${field('c', at)}) > ${BYTES_SHOWN} then octet_length(${field('c', at)}) end as ${field('n', at)}`
      : sql`${field('c', at)}::text as ${field('t', at)}`,
  )
  const cells = columns.map(({ type }, at) =>
    type === BYTES
      ? field('t', at)
      : sql`case when octet_length(${field('t', at)}) > ${LARGE} then left(${field('t', at)}, ${SHOWN}) else ${field('t', at)} end`,
  )
  const sizes = columns.map(({ type }, at) =>
    type === BYTES
      ? field('n', at)
      : sql`case when octet_length(${field('t', at)}) > ${LARGE} then octet_length(${field('t', at)}) end`,
  )
  const sorted = sort ? field('t', place(columnOf(table, sort.column).name)) : sql`null::text`
  const order = orderOf(table, sort, isTied)
  return sql`
    select version, address, ${sorted} as sorted, array[${sql.join(cells)}]::text[] as cells, array[${sql.join(sizes)}]::int[] as sizes
      from (select version, ${address} as address${printed.length === 0 ? sql`` : sql`, ${sql.join(printed)}`}
              from (select ${inner} from ${sql.identifier(schema, name)} t
                     ${conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, ' and ')}`}
                     ${order} limit ${limit}) found offset 0) printed`
}

/** Rows of views and foreign tables have no version, and those of partitioned tables have one only while Postgres finds a single table. */
export function hasVersion({ kind }: Pick<KnownTable, 'kind'>): boolean {
  return kind === 'table' || kind === 'partitioned table' || kind === 'materialized view'
}

function orderOf(table: KnownTable, sort: RowSort | undefined, isTied: boolean): SqlFragment {
  const kind = addressKindOf(table)
  const direction = sort?.isDescending ? sql` desc` : sql``
  // Without a sorted column, rows come in the order of their places; sorting by place would read the whole table.
  const keys =
    kind === 'key' && table.key
      ? table.key.filter(({ name }) => name !== sort?.column).map(({ name }) => sql`${named(name)}${direction}`)
      : kind === 'place' && sort
        ? [sql`t.ctid${direction}`]
        : []
  const all = [...(sort && !isTied ? [sql`${named(columnOf(table, sort.column).name)}${direction}`] : []), ...keys]
  return all.length === 0 ? sql`` : sql`order by ${sql.join(all)}`
}

const COMPARISONS: Partial<Readonly<Record<FilterOperator, string>>> = {
  equals: '=',
  not_equals: '<>',
  less: '<',
  at_most: '<=',
  greater: '>',
  at_least: '>=',
  includes: '@>',
}

/** Renders a filter. The value is a parameter, read as the column's type, so that an index serves it. */
function filterOf(table: KnownTable, { column, operator, value }: RowFilter): SqlFragment {
  const { name, type } = columnOf(table, column)
  const left = named(name)
  if (operator === 'is_null') return sql`${left} is null`
  if (operator === 'is_not_null') return sql`${left} is not null`
  if (value === undefined) throw invalidRequest(`The filter of "${column}" has no value.`)
  if (operator === 'contains') return sql`strpos(lower(${left}::text), lower(${value}::text)) > 0`
  if (operator === 'starts_with') return sql`starts_with(${left}::text, ${value}::text)`
  return sql`${left} ${sql.trusted(COMPARISONS[operator] ?? '=')} ${value}::${sql.trusted(type)}`
}
