import type { Field } from '../../../lib/fields/field.ts'
import { isNumeric, isTextual } from '../../../lib/fields/field-kind.ts'
import { labelSql } from '../../../lib/fields/label-sql.ts'
import type { FilterGroup } from '../../../lib/filters/filter.ts'
import type { FindCandidates } from '../../../lib/search/candidates-of.ts'
import { searchedColumns, wordsOf, wordSql } from '../../../lib/search/word-sql.ts'
import { quoteName, quoteText, type SqlPart } from '../../../lib/sql.ts'
import type { Grouping } from '../row-groups.ts'
import { filterSql } from './filter-sql.ts'
import type { Sort } from './sort.ts'

/** Everything that decides which rows a view has and in which order. */
export interface GridQuery {
  readonly table: string
  readonly fields: readonly Field[]
  readonly search: string
  /** The rows that may have a word, by an index of texts. `undefined`, also as its answer: all rows are compared. */
  readonly candidates?: FindCandidates | undefined
  readonly filter: FilterGroup
  readonly sorts: readonly Sort[]
  readonly grouping?: Grouping<GridQuery> | undefined
  /** Each is answered for each row, in a column of {@link RULE_PREFIX} and its place. */
  readonly rules?: readonly { readonly filter: FilterGroup }[] | undefined
  /** `YYYY-MM-DD`, for relative days. */
  readonly today: string
}

/** Prefix of the columns that say whether a row fits a rule. */
export const RULE_PREFIX = '~'

/** Prefix of the columns that carry what links are called. */
export const LABEL_PREFIX = '@'

/** Counts the rows of the view. */
export function countSql(query: GridQuery): SqlPart {
  const where = whereSql(query, undefined, true)
  return { text: `select count(*) as rows from ${quoteName(query.table)} t${where.text}`, values: where.values }
}

/**
 * A window of the view, with what links are called in columns named `@<column>`. The inner query finds the ids by the
 * index alone; only the rows of the window are read whole (a cross join keeps SQLite to that order).
 */
export function windowSql(query: GridQuery, offset: number, limit: number): SqlPart {
  return rowsSql(query, undefined, limit, offset)
}

/**
 * @param only - narrows the view further; over the table named `t`
 * @param groups - fields that go before the order of the view
 */
export function rowsSql(
  query: GridQuery,
  only: SqlPart | undefined,
  limit: number,
  offset: number,
  groups: readonly Sort[] = [],
): SqlPart {
  // An index for the order gives the first rows at once; one for the filter would have all that fit sorted before.
  const where = whereSql(query, only, query.sorts.length === 0 && groups.length === 0)
  const order = orderSql(query, groups)
  const columns = columnsSql(query)
  const page = `select t.id from ${quoteName(query.table)} t${where.text} order by ${order} limit ? offset ?`
  return {
    text: `select ${columns.text} from (${page}) page cross join ${quoteName(query.table)} t on t.id = page.id order by ${order}`,
    values: [...columns.values, ...where.values, limit, offset],
  }
}

/** The tables whose changes can change the view: the table itself and those that its links are called by. */
export function tablesOfQuery({ table, fields }: GridQuery): readonly string[] {
  return [...new Set([table, ...fields.flatMap(({ link }) => (link?.titleColumn === undefined ? [] : [link.table]))])]
}

/** What a row of a view has: all columns of the table `t`, what its links are called, and whether its rules hold. */
export function columnsSql({ fields, rules = [], today }: GridQuery): SqlPart {
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
 * ` where …`, or nothing; the table is named `t`.
 *
 * @param isIndexed - rows may be found by an index on a field of the filter: nothing else that is asked needs an index of its own
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

/** The last key of every order: never empty, so that nothing about empty values keeps SQLite from an index. */
export const ID_KEY = 't.id'

/** One of the keys that order a view; over the table named `t`. */
export interface OrderKey {
  readonly key: string
  readonly isDescending: boolean
}

/** The keys of a view's order, the first first. The id makes the order total, so that windows fit together. */
export function orderKeys({ fields, sorts }: GridQuery): readonly OrderKey[] {
  const keys = sorts.flatMap(({ field: name, isDescending }) => {
    const field = fields.find((one) => one.name === name)
    return field ? [{ key: sortKeySql(field, `t.${quoteName(field.name)}`), isDescending }] : []
  })
  // In the direction of the first field, so that one index over field and id serves both directions.
  return [...keys, { key: ID_KEY, isDescending: sorts[0]?.isDescending === true }]
}

/** The keys that a grouped view has before those of its order: two groups that are called the same stay apart. */
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

/** Empty values come last in both directions. */
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

/** Groups in the order of their field; two that are called the same stay apart. */
export function groupOrderSql(field: Field, { isDescending }: Sort, column: string): string {
  return `${sortKeySql(field, column)} ${isDescending ? 'desc' : 'asc'} nulls last, ${column} nulls last`
}

function sortKeySql(field: Field, column: string): string {
  if (field.kind === 'link' && field.link?.titleColumn !== undefined) return `${labelSql(field, column)} collate nocase`
  if (isNumeric(field.kind)) return field.column.local === 'text' ? `cast(${column} as real)` : column
  if (field.kind === 'choice') return choiceOrderSql(field, column)
  return isTextual(field.kind) ? `${column} collate nocase` : column
}

/** Choices are ordered as the database declares them, not by their letters. */
function choiceOrderSql({ choices }: Field, column: string): string {
  if (choices.length === 0) return column
  const cases = choices.map((choice, index) => `when ${quoteText(choice)} then ${index}`).join(' ')
  return `case ${column} ${cases} end`
}
