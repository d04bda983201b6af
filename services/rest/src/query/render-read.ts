import { isDeepStrictEqual } from 'node:util'
import { sql, type SqlFragment } from '@holdfast/postgres'
import type { Aggregate, Condition, EmbedPlan, PlannedField, PlannedSelect, ReadPlan, Source } from '../plan/plan.ts'
import { renderCondition, renderField, renderJoin, renderOrder } from './render-filter.ts'
import { renderTypeName } from './type-name.ts'

/** The common table expression with the result of a write or function. */
export const RESULT = sql.identifier('rest_result')

const ITEM = sql.identifier('rest_item')

/** A column of a select. An aggregated level is grouped by its non-aggregates. */
interface Column {
  readonly text: SqlFragment
  readonly kind: 'value' | 'aggregate' | 'star'
}

/** Renders the `select` of a level, with the levels below as lateral joins or subqueries. */
export function renderRead(read: ReadPlan): SqlFragment {
  const columns = renderColumns(read)
  const laterals = read.embeds.filter(({ lateral, shape, isEmpty }) => lateral && !(isEmpty && shape === 'array'))
  const terms = read.order.map((order) => renderOrder(order, positionOf(read, order.field)))
  const order = terms.length === 0 ? sql`` : sql` order by ${sql.join(terms)}`
  const { joins, conditions } = renderMatching(
    read,
    ({ join, lateral, shape }) => join === 'inner' && !(lateral && shape === 'object'),
  )
  return sql`select ${sql.join(columns.map(({ text }) => text))} from ${renderFrom(read)}${sql.join(
    laterals.map(renderLateral),
    '',
  )}${joins}${renderWhere(conditions)}${renderGroup(read, columns)}${order}${renderRange(read)}`
}

/** Renders one row per row of the root before range and grouping. */
export function renderCount(read: ReadPlan): SqlFragment {
  const { joins, conditions } = renderMatching(read, ({ join }) => join === 'inner')
  return sql`select 1 from ${renderFrom(read)}${joins}${renderWhere(conditions)}`
}

/** Renders whether an embed has rows, for inner embeds and conditions on embeds. */
function renderExists({ read }: EmbedPlan): SqlFragment {
  if (read.aggregated) return sql`exists (${renderRead(read)})`
  const cut = read.limit === 0 || read.offset > 0
  return sql`exists (${renderCount(read)}${cut ? renderRange(read) : sql``})`
}

export function renderWhere(conditions: readonly SqlFragment[]): SqlFragment {
  return conditions.length === 0 ? sql`` : sql` where ${sql.join(conditions, ' and ')}`
}

/**
 * Renders the conditions of a level. An embed used in one condition is tested in place, where Postgres can use a semi-join or anti-join. One
 * used in several is joined, because repeating it would multiply the statement's size at every level. `offset 0` keeps Postgres from
 * inlining it again.
 */
function renderMatching(
  read: ReadPlan,
  mustExist: (embed: EmbedPlan) => boolean,
): { readonly joins: SqlFragment; readonly conditions: readonly SqlFragment[] } {
  const needed = read.embeds.filter(mustExist)
  const asked = [...needed, ...read.where.flatMap(embedsOf)]
  const shared = read.embeds.filter((embed) => asked.indexOf(embed) !== asked.lastIndexOf(embed))
  const found = (embed: EmbedPlan): SqlFragment => sql.identifier(`${embed.alias}_found`)
  const exists = (embed: EmbedPlan): SqlFragment =>
    shared.includes(embed) ? sql`${found(embed)}."found"` : renderExists(embed)
  const joins = shared.map(
    (embed) => sql` cross join lateral (select ${renderExists(embed)} as "found" offset 0) as ${found(embed)}`,
  )
  return {
    joins: sql.join(joins, ''),
    conditions: [
      ...read.joins.map(renderJoin),
      ...read.where.map((condition) => renderCondition(condition, exists)),
      ...needed.map(exists),
    ],
  }
}

function embedsOf(condition: Condition): readonly EmbedPlan[] {
  if (condition.kind === 'embed') return [condition.embed]
  return condition.kind === 'logic' ? condition.children.flatMap(embedsOf) : []
}

function renderRange({ limit, offset }: ReadPlan): SqlFragment {
  // The limit is an integer literal, because with a parameter the planner assumes a tenth of the table.
  const rows = limit === undefined ? sql`` : sql.trusted(` limit ${Math.trunc(limit)}`)
  return sql`${rows}${offset === 0 ? sql`` : sql` offset ${offset}`}`
}

/** Renders `group by` with column numbers, because Postgres does not recognize equal expressions with parameters. */
function renderGroup(read: ReadPlan, columns: readonly Column[]): SqlFragment {
  if (!read.aggregated || columns.some(({ kind }) => kind === 'star')) return sql``
  const numbers = columns.flatMap(({ kind }, index) => (kind === 'value' ? [String(index + 1)] : []))
  return numbers.length === 0 ? sql`` : sql` group by ${sql.trusted(numbers.join(', '))}`
}

/** Returns the number of the column to order a group by, if it is an expression with a parameter. */
function positionOf({ aggregated, select }: ReadPlan, field: PlannedField): number | undefined {
  if (!aggregated || field.path.length === 0 || select.some(({ kind }) => kind === 'star')) return undefined
  const index = select.findIndex(
    (item) => item.kind === 'field' && !item.aggregate && !item.cast && isDeepStrictEqual(item.field, field),
  )
  return index < 0 ? undefined : index + 1
}

function renderFrom({ source, alias, junction }: ReadPlan): SqlFragment {
  const name = renderSource(source)
  const aliased = alias === undefined ? name : sql`${name} as ${sql.identifier(alias)}`
  if (!junction) return aliased
  return sql`${aliased} cross join ${sql.identifier(junction.schema, junction.name)} as ${sql.identifier(junction.alias)}`
}

function renderSource(source: Source): SqlFragment {
  switch (source.kind) {
    case 'result':
      return RESULT
    case 'relation':
      return sql.identifier(source.schema, source.name)
    case 'function': {
      const { qualifier, type, columns } = source.argument
      const row = columns
        ? sql`row(${sql.join(columns.map((column) => sql.identifier(...qualifier, column)))})`
        : sql`(${sql.identifier(...qualifier)}.*)`
      // The type selects the overload.
      return sql`${sql.identifier(source.schema, source.name)}(${row}::${sql.identifier(type.schema, type.name)})`
    }
  }
}

function renderColumns(read: ReadPlan): readonly Column[] {
  if (read.select.length === 0 && read.embeds.length === 0) return [{ text: sql`*`, kind: 'star' }]
  return [
    ...read.select.map(renderSelect),
    ...read.embeds.filter(({ isEmpty }) => !isEmpty).flatMap((embed) => renderEmbedColumns(embed, read.aggregated)),
  ]
}

function renderSelect(item: PlannedSelect): Column {
  switch (item.kind) {
    case 'star':
      return { text: sql`${sql.identifier(...item.qualifier)}.*`, kind: 'star' }
    case 'count':
      return { text: sql`${renderCast(sql`count(*)`, item.cast)} as ${sql.identifier(item.alias)}`, kind: 'aggregate' }
    case 'present':
      return { text: sql`true as ${sql.identifier(item.alias)}`, kind: 'value' }
    case 'field': {
      const stored = renderField(item.field)
      const formatted = item.format === undefined ? stored : sql`${sql.trusted(item.format)}(${stored})`
      const value = renderAggregate(renderCast(formatted, item.cast), item.aggregate)
      return {
        text: item.alias === undefined ? value : sql`${value} as ${sql.identifier(item.alias)}`,
        kind: item.aggregate === undefined ? 'value' : 'aggregate',
      }
    }
  }
}

function renderCast(value: SqlFragment, type: string | undefined): SqlFragment {
  return type === undefined ? value : sql`cast(${value} as ${sql.trusted(renderTypeName(type))})`
}

function renderAggregate(value: SqlFragment, aggregate: Aggregate | undefined): SqlFragment {
  if (aggregate === undefined) return value
  return renderCast(sql`${sql.trusted(aggregate.function)}(${value})`, aggregate.cast)
}

/** @param comparable - whether the parent is grouped by these columns, which `json` does not support */
function renderEmbedColumns(embed: EmbedPlan, comparable: boolean): readonly Column[] {
  const alias = sql.identifier(embed.alias)
  const json = (value: SqlFragment): SqlFragment => (comparable ? sql`${value}::jsonb` : value)
  if (embed.spread) {
    return embed.spread.map(({ column, name, aggregate, isJson }) => {
      const value = sql`${alias}.${sql.identifier(column)}`
      const given = aggregate ? renderAggregate(value, aggregate) : isJson ? json(value) : value
      return { text: sql`${given} as ${sql.identifier(name)}`, kind: aggregate ? 'aggregate' : 'value' }
    })
  }
  const name = sql.identifier(embed.name)
  const isArray = embed.shape === 'array'
  if (embed.lateral) {
    const value = isArray ? sql`${alias}."rows"` : sql`row_to_json(${alias}.*)`
    return [{ text: sql`${json(value)} as ${name}`, kind: 'value' }]
  }
  const value = isArray ? sql`coalesce(json_agg(${ITEM}.*), '[]')` : sql`row_to_json(${ITEM}.*)`
  return [{ text: sql`(select ${value} from (${renderRead(embed.read)}) as ${ITEM}) as ${name}`, kind: 'value' }]
}

function renderLateral(embed: EmbedPlan): SqlFragment {
  const alias = sql.identifier(embed.alias)
  const inner = renderRead(embed.read)
  if (embed.shape === 'object') {
    return sql` ${sql.trusted(embed.join)} join lateral (${inner}) as ${alias} on true`
  }
  const columns = embed.spread
    ? embed.spread.map(({ column }) => {
        const name = sql.identifier(column)
        return sql`coalesce(json_agg(${ITEM}.${name}), '[]') as ${name}`
      })
    : [sql`coalesce(json_agg(${ITEM}.*), '[]') as "rows"`]
  return sql` cross join lateral (select ${sql.join(columns)} from (${inner}) as ${ITEM}) as ${alias}`
}
