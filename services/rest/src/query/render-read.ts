import { sql, type SqlFragment } from '@holdfast/postgres'
import type { EmbedPlan, PlannedSelect, ReadPlan } from '../plan/plan.ts'
import { renderCondition, renderField, renderJoin, renderOrder } from './render-filter.ts'
import { renderTypeName } from './type-name.ts'

/** The common table expression that holds what a write or a function returned. */
export const RESULT = sql.identifier('rest_result')

/** The `select` of one level, with lateral joins for the levels below. */
export function renderRead(read: ReadPlan): SqlFragment {
  const own = read.select.map(renderSelect)
  const embedded = read.embeds.filter(({ isEmpty }) => !isEmpty).flatMap(renderEmbedColumns)
  const columns = own.length === 0 && read.embeds.length === 0 ? [sql`*`] : [...own, ...embedded]
  const order = read.order.length === 0 ? sql`` : sql` order by ${sql.join(read.order.map(renderOrder))}`
  const limit = read.limit === undefined ? sql`` : sql` limit ${read.limit}`
  const offset = read.offset === 0 ? sql`` : sql` offset ${read.offset}`
  return sql`select ${sql.join(columns)} from ${renderFrom(read)}${sql.join(read.embeds.map(renderLateral), '')}${renderWhere(
    [...read.joins.map(renderJoin), ...read.where.map(renderCondition)],
  )}${order}${limit}${offset}`
}

/**
 * Counts what the root would return without its range. Embeds matter only where they decide: inner ones, and those that a
 * condition asks for.
 */
export function renderCount(read: ReadPlan): SqlFragment {
  const lateral = read.embeds.filter(
    (embed) => embed.join === 'inner' || read.where.some((item) => mentions(item, embed)),
  )
  return sql`select 1 from ${renderFrom(read)}${sql.join(lateral.map(renderLateral), '')}${renderWhere([
    ...read.joins.map(renderJoin),
    ...read.where.map(renderCondition),
  ])}`
}

export function renderWhere(conditions: readonly SqlFragment[]): SqlFragment {
  return conditions.length === 0 ? sql`` : sql` where ${sql.join(conditions, ' and ')}`
}

function renderFrom({ source, alias, junction }: ReadPlan): SqlFragment {
  const name = source.kind === 'result' ? RESULT : sql.identifier(source.schema, source.name)
  const aliased = alias === undefined ? name : sql`${name} as ${sql.identifier(alias)}`
  if (!junction) return aliased
  return sql`${aliased} cross join ${sql.identifier(junction.schema, junction.name)} as ${sql.identifier(junction.alias)}`
}

function renderSelect(item: PlannedSelect): SqlFragment {
  if (item.kind === 'star') return sql`${sql.identifier(...item.qualifier)}.*`
  const value = renderField(item.field)
  const typed = item.cast === undefined ? value : sql`cast(${value} as ${sql.trusted(renderTypeName(item.cast))})`
  return item.alias === undefined ? typed : sql`${typed} as ${sql.identifier(item.alias)}`
}

function renderEmbedColumns(embed: EmbedPlan): SqlFragment[] {
  const alias = sql.identifier(embed.alias)
  if (embed.spread) {
    return embed.spread.map((name) => sql`${alias}.${sql.identifier(name)} as ${sql.identifier(name)}`)
  }
  const value = embed.shape === 'array' ? sql`coalesce(${alias}."rows", '[]')` : sql`row_to_json(${alias}.*)`
  return [sql`${value} as ${sql.identifier(embed.name)}`]
}

function renderLateral(embed: EmbedPlan): SqlFragment {
  const alias = sql.identifier(embed.alias)
  const kind = sql.trusted(embed.join === 'inner' ? 'inner' : 'left')
  const inner = renderRead(embed.read)
  if (embed.shape === 'object') return sql` ${kind} join lateral (${inner}) as ${alias} on true`
  const spread = (embed.spread ?? []).map((name) => {
    const column = sql.identifier(name)
    return sql`, coalesce(json_agg("item".${column}), '[]') as ${column}`
  })
  const rows = sql`select json_agg("item") as "rows"${sql.join(spread, '')} from (${inner}) as "item"`
  const found = embed.join === 'inner' ? sql`${alias}."rows" is not null` : sql`true`
  return sql` ${kind} join lateral (${rows}) as ${alias} on ${found}`
}

function mentions(condition: ReadPlan['where'][number], embed: EmbedPlan): boolean {
  if (condition.kind === 'embed') return condition.embed === embed
  return condition.kind === 'logic' && condition.children.some((child) => mentions(child, embed))
}
