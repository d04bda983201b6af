import type { RestCatalog, RestRelation, RestRelationship } from '../catalog/catalog.ts'
import { aggregatesNotAllowed, embeddedTwice, notEmbedded, notImplemented } from '../errors.ts'
import type {
  ApiRequest,
  AtPath,
  Filter,
  LogicTree,
  OrderTerm,
  RowRange,
  SelectEmbed,
  SelectItem,
} from '../request/api-request.ts'
import { findRelationship } from './find-relationship.ts'
import { findEmbed } from './target-names.ts'
import { planCondition, planOrder, planSelectField, type NamedEmbed } from './plan-field.ts'
import type {
  Aggregate,
  EmbedPlan,
  JoinCondition,
  PlannedSelect,
  Qualifier,
  ReadPlan,
  Source,
  SpreadColumn,
} from './plan.ts'

/** Characters of a relation's name kept in its alias. Postgres truncates identifiers at 63 bytes. */
const ALIAS_CHARACTERS_MAX = 15

export interface RootRead {
  /** Source of the root: the result of a write or function, or a relation. */
  readonly source: Source
  readonly relation: { readonly schema: string; readonly name: string }
  /** Whether the request's root filters and range apply here, rather than to the statement that produced the result. */
  readonly rootFilters: boolean
  readonly rootRange: boolean
  readonly rowsMax: number | undefined
  readonly aggregatesEnabled: boolean
  /** The exposed schemas. Junction tables must be in one of them. */
  readonly schemas: readonly string[]
  /** Whether paths may reference an embed with an alias by its target. */
  readonly targetNamesAllowed: boolean
}

/** Shared by all levels of a request. */
interface Context extends Pick<RootRead, 'rowsMax' | 'aggregatesEnabled' | 'schemas' | 'targetNamesAllowed'> {
  readonly catalog: RestCatalog
  readonly schema: string
  /** Name of the root, which no alias may take. */
  readonly rootName: string
  nextNumber: number
}

/** Request parameters for one level and those below. */
interface LevelParams {
  readonly select: readonly SelectItem[]
  readonly filters: readonly AtPath<Filter>[]
  readonly logic: readonly AtPath<LogicTree>[]
  readonly order: readonly AtPath<readonly OrderTerm[]>[]
  readonly ranges: readonly AtPath<RowRange>[]
}

interface Level {
  readonly source: Source
  readonly alias: string | undefined
  readonly relation: { readonly schema: string; readonly name: string }
  readonly qualifier: Qualifier
  readonly joins: readonly JoinCondition[]
  readonly junction: ReadPlan['junction']
  readonly rowsMax: number | undefined
  /** Number of levels above. */
  readonly depth: number
  /** Whether its columns are spread into the parent level, as values or as arrays. */
  readonly spread: 'object' | 'array' | undefined
}

/** A planned level, and the columns it spreads into its parent. */
interface PlannedLevel {
  readonly read: ReadPlan
  readonly columns: readonly SpreadColumn[]
}

/**
 * Plans the read of a request: the tree of selects, with resolved relationships and qualified fields.
 *
 * Columns are not checked here. Postgres also knows computed ones, and reports 42703 for missing ones.
 *
 * @throws 42712, PGRST108, PGRST118, PGRST123, PGRST127, PGRST200, PGRST201
 */
export function planRead(catalog: RestCatalog, request: ApiRequest, root: RootRead): ReadPlan {
  const { query, schema } = request
  const { rowsMax, aggregatesEnabled, schemas, targetNamesAllowed } = root
  const context: Context = {
    catalog,
    schema,
    rowsMax,
    aggregatesEnabled,
    schemas,
    targetNamesAllowed,
    rootName: root.relation.name,
    nextNumber: 1,
  }
  const below = <T>(items: readonly AtPath<T>[]): readonly AtPath<T>[] => items.filter(({ path }) => path.length > 0)
  const params: LevelParams = {
    select: query.select,
    filters: root.rootFilters ? query.filters : below(query.filters),
    logic: root.rootFilters ? query.logic : below(query.logic),
    order: query.order,
    ranges: root.rootRange ? [...below(query.ranges), { path: [], value: request.range }] : [],
  }
  const isResult = root.source.kind === 'result'
  const level: Level = {
    source: root.source,
    alias: isResult ? root.relation.name : undefined,
    relation: root.relation,
    qualifier: isResult ? [root.relation.name] : [root.relation.schema, root.relation.name],
    joins: [],
    junction: undefined,
    rowsMax,
    depth: 0,
    spread: undefined,
  }
  const { read } = planLevel(context, level, params)
  if (!aggregatesEnabled && hasAggregate(query.select)) throw aggregatesNotAllowed()
  return read
}

function hasAggregate(items: readonly SelectItem[]): boolean {
  return items.some((item) =>
    item.kind === 'embed' ? hasAggregate(item.select) : item.kind === 'field' && item.aggregate !== undefined,
  )
}

function planLevel(context: Context, level: Level, params: LevelParams): PlannedLevel {
  const relation = context.catalog.relation(level.relation.schema, level.relation.name)
  const items = params.select.filter((item) => item.kind === 'embed')
  requireKnownPaths(context, params, items)
  requireOwnNames(level, items)
  const here = <T>(list: readonly AtPath<T>[]): T[] =>
    list.filter(({ path }) => path.length === 0).map(({ value }) => value)
  const order = here(params.order).slice(-1).flat()
  const planned = items.map((item, index) =>
    planEmbed(context, level, item, paramsBelow(context, params, items, index)),
  )
  const own = planSelect(level, params, relation, planned)
  const aggregated =
    own.some((item) => item.kind === 'count' || (item.kind === 'field' && item.aggregate !== undefined)) ||
    planned.some(({ spread }) => spread?.some(({ aggregate }) => aggregate !== undefined))
  const names = items.map(nameOf)
  const joined = planned.map((embed, index): EmbedPlan => {
    const ordersParent = order.some((term) => term.relation === names[index])
    return { ...embed, lateral: embed.lateral || aggregated || ordersParent }
  })
  const given = level.spread && giveColumns(own, joined, level.spread, context.aggregatesEnabled)
  const { select, embeds, columns } = given ?? { select: own, embeds: joined, columns: [] }
  const named = embeds.map((embed, index): NamedEmbed => ({ name: names[index] ?? embed.name, embed }))
  const range = here(params.ranges)[0]
  const read: ReadPlan = {
    source: level.source,
    alias: level.alias,
    junction: level.junction,
    select,
    joins: level.joins,
    where: [...here(params.filters), ...here(params.logic)].map((tree) =>
      planCondition(tree, relation, level.qualifier, named),
    ),
    order: order.map((term) =>
      planOrder(term, relation, { name: level.relation.name, qualifier: level.qualifier }, named),
    ),
    limit: bounded(range?.limit, level.rowsMax),
    offset: range?.offset ?? 0,
    embeds,
    aggregated: aggregated && level.spread === undefined,
  }
  return { read, columns }
}

/** Plans the level's own columns. Expands a star to the known columns wherever each needs a name. */
function planSelect(
  level: Level,
  params: LevelParams,
  relation: RestRelation | undefined,
  embeds: readonly EmbedPlan[],
): readonly PlannedSelect[] {
  const own = params.select.filter((item) => item.kind !== 'embed')
  const columns = [...(relation?.columns.values() ?? [])]
  const isKnown = (name: string): boolean => name === '*' || relation?.columns.has(name) !== false
  const namesAll =
    level.spread !== undefined ||
    own.some((item) => item.kind === 'field' && item.aggregate !== undefined) ||
    embeds.some(({ spread }) => spread?.some(({ aggregate }) => aggregate !== undefined)) ||
    columns.some(({ representation }) => representation.toJson !== undefined) ||
    // A result contains a computed column only if it is requested by name, and a star would then include it too.
    (level.source.kind === 'result' && !usedNames(own, params).every(isKnown))
  return own.flatMap((item): readonly PlannedSelect[] => {
    if (item.kind === 'field') return [planSelectField(item, relation, level.qualifier)]
    if (!namesAll || columns.length === 0) return [{ kind: 'star', qualifier: level.qualifier }]
    return columns.map(({ name }) =>
      planSelectField(
        {
          kind: 'field',
          field: { name, path: [] },
          alias: undefined,
          cast: undefined,
          aggregate: undefined,
          aggregateCast: undefined,
        },
        relation,
        level.qualifier,
      ),
    )
  })
}

function usedNames(own: readonly Exclude<SelectItem, SelectEmbed>[], params: LevelParams): readonly string[] {
  const leaves = (tree: LogicTree): readonly string[] =>
    tree.kind === 'filter' ? [tree.field.name] : tree.children.flatMap(leaves)
  const embedded = params.select.flatMap((item) => (item.kind === 'embed' ? [nameOf(item)] : []))
  const trees = [...params.filters, ...params.logic].filter(({ path }) => path.length === 0)
  return [
    ...own.flatMap((item) => (item.kind === 'field' ? [item.field.name] : [])),
    ...trees.flatMap(({ value }) => leaves(value)).filter((name) => !embedded.includes(name)),
    ...params.order
      .filter(({ path }) => path.length === 0)
      .flatMap(({ value }) => value.flatMap((term) => (term.relation === undefined ? [term.field.name] : []))),
  ]
}

/**
 * Prepares a level whose columns are spread: gives each a unique name, and leaves aggregates to the parent level, which has their rows.
 *
 * @throws PGRST127 for an aggregate in a spread of arrays
 */
function giveColumns(
  own: readonly PlannedSelect[],
  embeds: readonly EmbedPlan[],
  shape: 'object' | 'array',
  aggregatesEnabled: boolean,
): {
  readonly select: readonly PlannedSelect[]
  readonly embeds: readonly EmbedPlan[]
  readonly columns: readonly SpreadColumn[]
} {
  const taken = new Set<string>()
  const columns: SpreadColumn[] = []
  const give = (name: string, aggregate: Aggregate | undefined, isJson = shape === 'array'): string => {
    let column = name
    for (let number = 2; taken.has(column); number++) column = `${name}_${number}`
    taken.add(column)
    columns.push({ column, name, aggregate, isJson })
    if (aggregate !== undefined && shape === 'array' && aggregatesEnabled) {
      throw notImplemented('Aggregates are not implemented for one-to-many or many-to-many spreads.')
    }
    return column
  }
  const select = own.map((item): PlannedSelect => {
    if (item.kind === 'count') {
      return { kind: 'present', alias: give(item.alias, { function: 'count', cast: item.cast }) }
    }
    if (item.kind !== 'field') return item
    return { ...item, aggregate: undefined, alias: give(item.alias ?? item.field.column, item.aggregate) }
  })
  const renamed = embeds.map((embed): EmbedPlan => {
    if (embed.isEmpty) return embed
    if (!embed.spread) return { ...embed, name: give(embed.name, undefined, true) }
    const spread = embed.spread.map((column) => ({
      ...column,
      aggregate: undefined,
      name: give(column.name, column.aggregate, column.isJson || shape === 'array'),
    }))
    return { ...embed, spread }
  })
  return { select, embeds: renamed, columns }
}

function planEmbed(context: Context, parent: Level, item: SelectEmbed, params: LevelParams): EmbedPlan {
  const relationship = findRelationship(context.catalog, {
    schema: context.schema,
    schemas: context.schemas,
    origin: parent.relation,
    target: item.target,
    hint: item.hint,
  })
  const number = context.nextNumber++
  const wanted = `${relationship.to.name.slice(0, ALIAS_CHARACTERS_MAX)}_${number}`
  const alias = context.rootName.startsWith(wanted) ? `_${wanted}` : wanted
  const junctionAlias = `${alias}_junction`
  const junction = relationship.kind === 'key' ? relationship.junction : undefined
  const isToOne = relationship.cardinality === 'many-to-one' || relationship.cardinality === 'one-to-one'
  const shape = isToOne ? 'object' : 'array'
  const level: Level = {
    source: sourceOf(context.catalog, relationship, parent),
    alias,
    relation: relationship.to,
    qualifier: [alias],
    joins: planJoins(relationship, parent.qualifier, alias, junctionAlias),
    junction: junction && { schema: junction.schema, name: junction.name, alias: junctionAlias },
    // A function declared to return one row is trusted.
    rowsMax: !isToOne ? context.rowsMax : relationship.kind === 'computed' ? 1 : undefined,
    depth: parent.depth + 1,
    spread: item.spread ? shape : undefined,
  }
  const { read, columns } = planLevel(context, level, params)
  const join = item.join ?? 'left'
  // Only a table's key guarantees one row. Over a view, a join repeats its parent where a subquery would fail.
  const repeats =
    isToOne && ((relationship.kind === 'key' && relationship.toIsView) || read.embeds.some((embed) => embed.repeats))
  return {
    name: nameOf(item),
    alias: `${alias}_embed`,
    shape,
    join,
    lateral: item.spread || (isToOne && (join === 'inner' || repeats)),
    repeats,
    spread: item.spread ? columns : undefined,
    isEmpty: read.select.length === 0 && read.embeds.every(({ isEmpty }) => isEmpty),
    read,
  }
}

function sourceOf(catalog: RestCatalog, relationship: RestRelationship, parent: Level): Source {
  if (relationship.kind === 'key') return { kind: 'relation', ...relationship.to }
  const { from, function: called } = relationship
  const relation = parent.source.kind === 'result' ? catalog.relation(from.schema, from.name) : undefined
  const columns = relation && [...relation.columns.keys()]
  return { kind: 'function', ...called, argument: { qualifier: parent.qualifier, type: from, columns } }
}

function planJoins(
  relationship: RestRelationship,
  parent: Qualifier,
  alias: string,
  junctionAlias: string,
): JoinCondition[] {
  if (relationship.kind === 'computed') return []
  const { columns, junction } = relationship
  const near = junction ? junctionAlias : alias
  const toParent = columns.map(({ from, to }) => ({
    left: { qualifier: [near], column: to },
    right: { qualifier: parent, column: from },
  }))
  const toTarget = (junction?.columns ?? []).map(({ from, to }) => ({
    left: { qualifier: [junctionAlias], column: from },
    right: { qualifier: [alias], column: to },
  }))
  return [...toParent, ...toTarget]
}

function nameOf(item: SelectEmbed): string {
  return item.alias ?? item.target
}

function paramsBelow(
  { targetNamesAllowed }: Context,
  params: LevelParams,
  items: readonly SelectEmbed[],
  index: number,
): LevelParams {
  const inside = <T>(list: readonly AtPath<T>[]): AtPath<T>[] =>
    list
      .filter(({ path }) => path.length > 0 && findEmbed(items, path[0], targetNamesAllowed) === index)
      .map(({ path, value }) => ({ path: path.slice(1), value }))
  return {
    select: items[index]?.select ?? [],
    filters: inside(params.filters),
    logic: inside(params.logic),
    order: inside(params.order),
    ranges: inside(params.ranges),
  }
}

/** Refuses conditions, orders and limits of an embed that is not selected, which would otherwise be ignored silently. */
function requireKnownPaths({ targetNamesAllowed }: Context, params: LevelParams, items: readonly SelectEmbed[]): void {
  for (const { path } of [...params.filters, ...params.logic, ...params.order, ...params.ranges]) {
    const [first] = path
    if (first === undefined || findEmbed(items, first, targetNamesAllowed) >= 0) continue
    throw notEmbedded(first, items.find(({ target }) => target === first)?.alias)
  }
}

/** Refuses two embeds with one name, which would repeat a key in an object. The error is Postgres's for PostgREST's statement. */
function requireOwnNames({ relation, depth }: Level, items: readonly SelectEmbed[]): void {
  const names = items.map(nameOf)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw embeddedTwice(`${relation.name}_${twice}_${depth + 1}`)
}

function bounded(limit: number | undefined, rowsMax: number | undefined): number | undefined {
  if (limit === undefined) return rowsMax
  return rowsMax === undefined ? limit : Math.min(limit, rowsMax)
}
