import type { Field } from '../../../lib/fields/field.ts'
import { labelSql } from '../../../lib/fields/label-sql.ts'
import { sortKeySql } from '../../../lib/fields/sort-key-sql.ts'
import type { FilterGroup } from '../../../lib/filters/filter.ts'
import type { FindCandidates } from '../../../lib/search/candidates-of.ts'
import { searchedColumns, wordsOf, wordSql } from '../../../lib/search/word-sql.ts'
import { tableSql } from '../../../lib/fields/table-sql.ts'
import { quoteName, type SqlPart } from '../../../lib/sql.ts'
import type { Grouping } from '../row-groups.ts'
import { filterSql } from '../../../lib/filters/filter-sql.ts'
import type { Sort } from './sort.ts'

/** Determines a view's rows and their order. */
export interface GridQuery {
  readonly table: string
  readonly fields: readonly Field[]
  readonly search: string
  /** Finds rows that may contain a word, by the text index. `undefined`, also as its result: all rows are compared. */
  readonly candidates?: FindCandidates | undefined
  readonly filter: FilterGroup
  readonly sorts: readonly Sort[]
  readonly grouping?: Grouping<GridQuery> | undefined
  /** Evaluated per row, each in a column named {@link RULE_PREFIX} plus its index. */
  readonly rules?: readonly { readonly filter: FilterGroup }[] | undefined
  /** Base of relative days, `YYYY-MM-DD`. */
  readonly today: string
}

/** Prefix of the columns that say whether a row matches a rule. */
export const RULE_PREFIX = '~'

/** Prefix of the columns with the titles of links. */
export const LABEL_PREFIX = '@'

/** Counts the rows of the view. */
export function countSql(query: GridQuery): SqlPart {
  const where = whereSql(query, undefined, true)
  return { text: `select count(*) as rows from ${tableSql(query)}${where.text}`, values: where.values }
}

/**
 * Selects a window of the view, with the titles of links in columns named `@<column>`. The inner query finds the ids by index alone; only the window's rows are
 * read in full. A cross join forces SQLite into that order.
 */
export function windowSql(query: GridQuery, offset: number, limit: number): SqlPart {
  return rowsSql(query, undefined, limit, offset)
}

/**
 * @param only - narrows the view further; over the table named `t`
 * @param groups - fields that sort before the view's own order
 */
export function rowsSql(
  query: GridQuery,
  only: SqlPart | undefined,
  limit: number,
  offset: number,
  groups: readonly Sort[] = [],
): SqlPart {
  // An index for the order yields the first rows at once; one for the filter would require sorting all matches first.
  const where = whereSql(query, only, query.sorts.length === 0 && groups.length === 0)
  const order = orderSql(query, groups)
  const columns = columnsSql(query)
  const page = `select t.id from ${tableSql(query)}${where.text} order by ${order} limit ? offset ?`
  return {
    text: `select ${columns.text} from (${page}) page cross join ${tableSql(query)} on t.id = page.id order by ${order}`,
    values: [...columns.values, ...where.values, limit, offset],
  }
}

/** Returns the tables whose changes can affect the view: its table, those with the titles of its links, and those that its computed fields read. */
export function tablesOfQuery({ table, fields }: GridQuery): readonly string[] {
  const others = fields.flatMap(({ link, computed }) => [
    ...(link?.titleColumn === undefined ? [] : [link.table]),
    ...(computed?.tables ?? []),
  ])
  return [...new Set([table, ...others])]
}

/** Returns the columns of a row: all columns of the table `t`, the titles of its links, and which rules match. */
export function columnsSql({
  fields,
  rules = [],
  today = '',
}: Pick<GridQuery, 'fields' | 'rules'> & Partial<Pick<GridQuery, 'today'>>): SqlPart {
  const byName = new Map(fields.map((field) => [field.name, field]))
  const asked = rules.map(({ filter }) => filterSql(filter, { fields: byName, today }))
  const columns = [
    't.id as id',
    ...fields.filter(({ name }) => name !== 'id').map(({ name }) => `t.${quoteName(name)} as ${quoteName(name)}`),
    ...fields
      .filter(({ link }) => link?.titleColumn !== undefined)
      .map((field) => `${labelSql(field, `t.${quoteName(field.name)}`)} as ${quoteName(LABEL_PREFIX + field.name)}`),
    ...asked.map(({ text }, index) => `(${text === '' ? 0 : text}) as ${quoteName(RULE_PREFIX + index)}`),
  ]
  return { text: columns.join(', '), values: asked.flatMap(({ values }) => values) }
}

/**
 * Returns ` where …` over the table named `t`, or nothing.
 *
 * @param isIndexed - rows may be found by an index on a field of the filter, because nothing else in the query requires another index
 */
export function whereSql(query: GridQuery, only?: SqlPart, isIndexed = false): SqlPart {
  const fields = new Map(query.fields.map((field) => [field.name, field]))
  const filter = filterSql(query.filter, { fields, today: query.today, isIndexed })
  const searches = wordsOf(query.search).map((word) =>
    wordSql(searchedColumns(query.fields), word, query.candidates?.(word)),
  )
  const parts = [
    ...(only === undefined ? [] : [only]),
    ...(filter.text === '' ? [] : [{ ...filter, text: `(${filter.text})` }]),
    ...searches,
  ]
  if (parts.length === 0) return { text: '', values: [] }
  return {
    text: ` where ${parts.map(({ text }) => text).join(' and ')}`,
    values: parts.flatMap(({ values }) => values),
  }
}

/** The last key of every order. Never NULL, so SQLite can use an index regardless of the order of NULLs. */
export const ID_KEY = 't.id'

/** A sort key of a view, over the table named `t`. */
export interface OrderKey {
  readonly key: string
  readonly isDescending: boolean
}

/** Returns the sort keys of a view. The id makes the order total, so that windows neither overlap nor miss rows. */
export function orderKeys({ fields, sorts }: GridQuery): readonly OrderKey[] {
  const keys = sorts.flatMap(({ field: name, isDescending }) => {
    const field = fields.find((one) => one.name === name)
    return field ? [{ key: sortKeySql(field, `t.${quoteName(field.name)}`), isDescending }] : []
  })
  // In the first field's direction, so that one index on field and id serves both directions.
  return [...keys, { key: ID_KEY, isDescending: sorts[0]?.isDescending === true }]
}

/** Returns the keys that a grouped view sorts by first. Groups with the same name stay separate. */
export function groupKeys({ fields }: Pick<GridQuery, 'fields'>, groups: readonly Sort[]): readonly OrderKey[] {
  return groups.flatMap(({ field: name, isDescending }) => {
    const field = fields.find((one) => one.name === name)
    if (!field) return []
    const column = `t.${quoteName(name)}`
    return [
      { key: sortKeySql(field, column), isDescending },
      { key: column, isDescending: false },
    ]
  })
}

/** Returns the ORDER BY clause. NULLs come last in both directions. */
export function orderSql(query: GridQuery, groups: readonly Sort[] = []): string {
  const outer = groups.flatMap((sort) => {
    const field = query.fields.find(({ name }) => name === sort.field)
    return field ? [groupOrderSql(field, sort, `t.${quoteName(field.name)}`)] : []
  })
  const own = orderKeys(query).map(
    ({ key, isDescending }) => `${key} ${isDescending ? 'desc' : 'asc'}${key === ID_KEY ? '' : ' nulls last'}`,
  )
  return [...outer, ...own].join(', ')
}

/** Orders groups by their field. Groups with the same name stay separate. */
export function groupOrderSql(field: Field, { isDescending }: Sort, column: string): string {
  return `${sortKeySql(field, column)} ${isDescending ? 'desc' : 'asc'} nulls last, ${column} nulls last`
}
