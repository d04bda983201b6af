import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { Field } from '../../../lib/fields/field.ts'
import { formatValue } from '../../../lib/fields/format-value.ts'
import { labelSql } from '../../../lib/fields/label-sql.ts'
import { tableSql } from '../../../lib/fields/table-sql.ts'
import { quoteName, type SqlPart } from '../../../lib/sql.ts'
import { groupMessages as words } from '../../../messages/groups.ts'
import { aggregateColumns, type ColumnAggregate, formatAggregate, parseAggregates } from '../query/aggregates.ts'
import { type GridQuery, groupOrderSql, rowsSql, whereSql } from '../query/grid-query.ts'
import type { Sort } from '../query/sort.ts'
import type { Grouping, GroupLayout, RowGroup } from '../row-groups.ts'
import { GroupPlaces, type GroupRow, keyOf } from './group-places.ts'
import { parseGroups } from './parse-groups.ts'

/** Collapsed groups by view, kept until the page closes, so that they persist when the user returns from a record. */
const collapsedByView = new Map<string, Set<string>>()

/** Limit of headers per view; more would not be readable. */
export const GROUPS_MAX = 20_000

/** Groups the records of a view by one or two fields. */
export class ViewGrouping implements Grouping<GridQuery> {
  readonly #sorts: readonly Sort[]
  readonly #aggregates: readonly ColumnAggregate[]
  readonly #collapsed: Set<string>
  /** The groups last read: a list per level. */
  #groups: readonly (readonly GroupRow[])[] = []

  /** @param collapsed - keys of groups; updated in place */
  constructor(sorts: readonly Sort[], aggregates: readonly ColumnAggregate[], collapsed: Set<string>) {
    this.#sorts = sorts
    this.#aggregates = aggregates
    this.#collapsed = collapsed
  }

  get outerField(): string {
    return this.#sorts[0]?.field ?? ''
  }

  async layOut(
    database: Pick<CommonPowerSyncDatabase, 'getAll'>,
    query: GridQuery,
    isAgain: boolean,
  ): Promise<GroupLayout> {
    const fields = this.#sorts.map((sort) => fieldOf(query, sort))
    if (!isAgain) {
      this.#groups = await Promise.all(
        this.#sorts.map((_, index) => {
          const { text, values } = groupsSql(query, this.#sorts.slice(0, index + 1), this.#aggregates)
          return database.getAll<GroupRow>(text, [...values])
        }),
      )
    }
    if (this.#groups.some((groups) => groups.length > GROUPS_MAX)) throw new Error(words.tooMany(GROUPS_MAX))
    return new GroupPlaces({
      fields,
      groups: this.#groups,
      collapsed: this.#collapsed,
      describe: (level, row) => this.#describe(fields, level, row),
      windowSql: (groups, offset, limit) => this.#windowSql(query, fields, groups, offset, limit),
    })
  }

  toggle(key: string): void {
    if (!this.#collapsed.delete(key)) this.#collapsed.add(key)
  }

  toggleAll(isExpanded: boolean): void {
    this.#collapsed.clear()
    if (isExpanded) return
    for (const [index, groups] of this.#groups.entries()) {
      for (const row of groups) this.#collapsed.add(keyOf(row, index + 1))
    }
  }

  #describe(fields: readonly Field[], level: number, row: GroupRow): Omit<RowGroup, 'isExpanded'> {
    const field = fields[level - 1]
    if (!field) throw new Error('a group has the level of a field')
    const value = row[`k${level - 1}`] ?? null
    const text = formatValue(field, value, row[`l${level - 1}`])
    return {
      key: keyOf(row, level),
      level,
      field,
      value,
      text: text === '' ? words.noValue : text,
      records: row.rows,
      subtotals: new Map(
        this.#aggregates.map((one, index) => [one.field.name, formatAggregate(one, index, row)] as const),
      ),
    }
  }

  /** Selects the rows of neighbouring groups. Reads only their records, however many the view has. */
  #windowSql(
    query: GridQuery,
    fields: readonly Field[],
    groups: readonly GroupRow[],
    offset: number,
    limit: number,
  ): SqlPart {
    const conditions = groups.map(() => `(${fields.map((field) => `${columnOf(field)} is ?`).join(' and ')})`)
    const only = {
      text: `(${conditions.join(' or ')})`,
      values: groups.flatMap((row) => fields.map((_, index) => row[`k${index}`] ?? null)),
    }
    // Within one group the view's own order is enough, which an index may provide.
    return rowsSql(query, only, limit, offset, groups.length > 1 ? this.#sorts : [])
  }
}

/** Selects the groups by the first fields, in the view's order, with their aggregates. */
export function groupsSql(query: GridQuery, sorts: readonly Sort[], aggregates: readonly ColumnAggregate[]): SqlPart {
  const fields = sorts.map((sort) => fieldOf(query, sort))
  const where = whereSql(query)
  const keys = fields.map((field, index) => `${columnOf(field)} as k${index}`).join(', ')
  const places = fields.map((_, index) => index + 1).join(', ')
  const grouped = `select ${keys}, count(*) as rows${aggregateColumns(aggregates)} from ${tableSql(query)}${where.text} group by ${places}`
  const labels = fields.map((field, index) => `, ${labelSql(field, `k${index}`)} as l${index}`).join('')
  const order = sorts.map((sort, index) => groupOrderSql(fieldOf(query, sort), sort, `k${index}`)).join(', ')
  return {
    text: `select *${labels} from (${grouped}) order by ${order} limit ${GROUPS_MAX + 1}`,
    values: where.values,
  }
}

function columnOf(field: Field): string {
  return `t.${quoteName(field.name)}`
}

function fieldOf({ fields }: GridQuery, { field: name }: Sort): Field {
  const field = fields.find((one) => one.name === name)
  if (!field) throw new Error(`there is no field ${name} to group by`)
  return field
}

/** Returns the query with grouping, or unchanged if the text names no groupable field. */
export function groupedQuery(query: GridQuery, text: string, aggregates: string | undefined): GridQuery {
  const sorts = parseGroups(text, query.fields)
  if (sorts.length === 0) return query
  const view = `${query.table} ${text}`
  const collapsed = collapsedByView.get(view) ?? new Set<string>()
  collapsedByView.set(view, collapsed)
  return { ...query, grouping: new ViewGrouping(sorts, parseAggregates(aggregates, query.fields), collapsed) }
}
