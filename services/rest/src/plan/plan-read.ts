import type { RestCatalog, RestRelation, RestRelationship } from '../catalog.ts'
import { aggregatesNotAllowed, notEmbedded, relatedOrderNotToOne } from '../errors.ts'
import type {
  ApiRequest,
  AtPath,
  Field,
  Filter,
  LogicTree,
  OrderTerm,
  RowRange,
  SelectEmbed,
  SelectField,
  SelectItem,
} from '../request/api-request.ts'
import { findRelationship } from './find-relationship.ts'
import type {
  Condition,
  EmbedPlan,
  JoinCondition,
  PlannedField,
  PlannedOrder,
  PlannedSelect,
  Qualifier,
  ReadPlan,
  Source,
} from './plan.ts'

/** Characters of a relation's name that its alias keeps; Postgres cuts identifiers at 63 bytes. */
const ALIAS_CHARACTERS_MAX = 15

interface RootRead {
  /** What the root reads from; the result of a write or a function, or a relation. */
  readonly source: Source
  readonly relation: { readonly schema: string; readonly name: string }
  /** Whether the request's root filters and range apply here, rather than to the statement that made the result. */
  readonly rootFilters: boolean
  readonly rootRange: boolean
  readonly rowsMax: number | undefined
}

/** What the levels of one request share. */
interface Context {
  readonly catalog: RestCatalog
  readonly schema: string
  readonly rowsMax: number | undefined
  /** The root's own name, which no alias may take. */
  readonly rootName: string
  nextNumber: number
}

/** What a request says about one level and those below it. */
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
}

/**
 * Plans what a request reads: the tree of selects, with relationships resolved and every field qualified.
 *
 * Columns are not looked up: Postgres knows computed ones too, and answers 42703 for those that do not exist.
 *
 * @throws PGRST108, PGRST118, PGRST123, PGRST200, PGRST201
 */
export function planRead(catalog: RestCatalog, request: ApiRequest, root: RootRead): ReadPlan {
  const { query, schema } = request
  const context: Context = { catalog, schema, rowsMax: root.rowsMax, rootName: root.relation.name, nextNumber: 1 }
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
  }
  return planLevel(context, level, params)
}

/** Plans conditions of a statement without embeds: the `where` of an update or a delete. */
export function planConditions(
  relation: RestRelation | undefined,
  qualifier: Qualifier,
  filters: readonly Filter[],
  logic: readonly LogicTree[],
): Condition[] {
  return [...filters, ...logic].map((tree) => planCondition(tree, relation, qualifier, []))
}

function planLevel(context: Context, level: Level, params: LevelParams): ReadPlan {
  const relation = context.catalog.relation(level.relation.schema, level.relation.name)
  const items = params.select.filter((item) => item.kind === 'embed')
  requireKnownPaths(params, items)
  const embeds = items.map((item) => planEmbed(context, level, item, paramsBelow(params, item)))
  const here = <T>(list: readonly AtPath<T>[]): T[] =>
    list.filter(({ path }) => path.length === 0).map(({ value }) => value)
  const range = here(params.ranges)[0]
  return {
    source: level.source,
    alias: level.alias,
    junction: level.junction,
    select: params.select
      .filter((item) => item.kind !== 'embed')
      .map((item) =>
        item.kind === 'star'
          ? { kind: 'star', qualifier: level.qualifier }
          : planSelectField(item, relation, level.qualifier),
      ),
    joins: level.joins,
    where: [...here(params.filters), ...here(params.logic)].map((tree) =>
      planCondition(tree, relation, level.qualifier, embeds),
    ),
    order: here(params.order)
      .slice(-1)
      .flat()
      .map((term) => planOrder(term, level, relation, embeds)),
    limit: bounded(range?.limit, context.rowsMax),
    offset: range?.offset ?? 0,
    embeds,
  }
}

function planEmbed(context: Context, parent: Level, item: SelectEmbed, params: LevelParams): EmbedPlan {
  const relationship = findRelationship(context.catalog, {
    schema: context.schema,
    origin: parent.relation,
    target: item.target,
    hint: item.hint,
  })
  const number = context.nextNumber++
  const wanted = `${relationship.to.name.slice(0, ALIAS_CHARACTERS_MAX)}_${number}`
  const alias = wanted === context.rootName ? `${wanted}_` : wanted
  const junctionAlias = `${alias}_junction`
  const level: Level = {
    source: { kind: 'relation', schema: relationship.to.schema, name: relationship.to.name },
    alias,
    relation: relationship.to,
    qualifier: [alias],
    joins: planJoins(relationship, parent.qualifier, alias, junctionAlias),
    junction: relationship.junction && {
      schema: relationship.junction.schema,
      name: relationship.junction.name,
      alias: junctionAlias,
    },
  }
  const read = planLevel(context, level, params)
  const toOne = relationship.cardinality === 'many-to-one' || relationship.cardinality === 'one-to-one'
  return {
    name: item.alias ?? item.target,
    alias: `${alias}_embed`,
    shape: toOne ? 'object' : 'array',
    join: item.join ?? 'left',
    spread: item.spread ? spreadNames(context, level, read) : undefined,
    isEmpty: read.select.length === 0 && read.embeds.every(({ isEmpty }) => isEmpty),
    read,
  }
}

function planJoins(
  relationship: RestRelationship,
  parent: Qualifier,
  alias: string,
  junctionAlias: string,
): JoinCondition[] {
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

/** The columns that a spread adds to its parent; a star stands for the columns that the catalog knows. */
function spreadNames(context: Context, level: Level, read: ReadPlan): string[] {
  const all = context.catalog.relation(level.relation.schema, level.relation.name)?.columns.keys() ?? []
  const stars = [...all]
  const own = read.select.flatMap((item) => (item.kind === 'star' ? stars : [item.alias ?? item.field.column]))
  const nested = read.embeds.filter(({ isEmpty }) => !isEmpty).flatMap((embed) => embed.spread ?? [embed.name])
  return [...(own.length === 0 && nested.length === 0 ? stars : own), ...nested]
}

function planSelectField(item: SelectField, relation: RestRelation | undefined, qualifier: Qualifier): PlannedSelect {
  if (item.aggregate !== undefined) throw aggregatesNotAllowed()
  return {
    kind: 'field',
    field: planField(item.field, relation, qualifier),
    cast: item.cast,
    alias: item.alias ?? pathAlias(item.field),
  }
}

/** A JSON path is called after its last key, so that `data->0->>size` answers `size`, and `data->0` answers `data`. */
function pathAlias(field: Field): string | undefined {
  if (field.path.length === 0) return undefined
  const key = field.path.findLast(({ operand }) => operand.kind === 'key')?.operand
  return key?.kind === 'key' ? key.key : field.name
}

function planField(field: Field, relation: RestRelation | undefined, qualifier: Qualifier): PlannedField {
  const type = relation?.columns.get(field.name)?.type
  return {
    qualifier,
    column: field.name,
    path: field.path,
    needsJson: type !== 'json' && type !== 'jsonb',
    isTsVector: type === 'tsvector' && field.path.length === 0,
  }
}

function planCondition(
  tree: LogicTree,
  relation: RestRelation | undefined,
  qualifier: Qualifier,
  embeds: readonly EmbedPlan[],
): Condition {
  if (tree.kind === 'logic') {
    const children = tree.children.map((child) => planCondition(child, relation, qualifier, embeds))
    return { kind: 'logic', negated: tree.negated, operator: tree.operator, children }
  }
  const { field, operation, negated } = tree
  if (operation.kind === 'is' && field.path.length === 0) {
    const embed = embeds.find(({ name }) => name === field.name)
    const isNull = operation.value === 'null'
    if (embed && (isNull || operation.value === 'not_null')) {
      return { kind: 'embed', embed, exists: isNull === negated }
    }
  }
  return { kind: 'filter', field: planField(field, relation, qualifier), negated, operation }
}

function planOrder(
  term: OrderTerm,
  level: Level,
  relation: RestRelation | undefined,
  embeds: readonly EmbedPlan[],
): PlannedOrder {
  const { direction, nulls } = term
  if (term.relation === undefined) {
    return { field: planField(term.field, relation, level.qualifier), direction, nulls }
  }
  const embed = embeds.find(({ name }) => name === term.relation)
  if (!embed) throw notEmbedded(term.relation)
  if (embed.shape !== 'object') throw relatedOrderNotToOne(level.relation.name, embed.name)
  return { field: planField(term.field, undefined, [embed.alias]), direction, nulls }
}

function paramsBelow(params: LevelParams, item: SelectEmbed): LevelParams {
  const name = item.alias ?? item.target
  const inside = <T>(items: readonly AtPath<T>[]): AtPath<T>[] =>
    items
      .filter(({ path }) => path[0] === name || (path[0] === item.target && item.alias !== undefined))
      .map(({ path, value }) => ({ path: path.slice(1), value }))
  return {
    select: item.select,
    filters: inside(params.filters),
    logic: inside(params.logic),
    order: inside(params.order),
    ranges: inside(params.ranges),
  }
}

/** Conditions, orders and limits of an embed that is not selected would be ignored silently; they are refused. */
function requireKnownPaths(params: LevelParams, items: readonly SelectEmbed[]): void {
  const names = new Set(items.flatMap((item) => [item.alias ?? item.target, item.target]))
  for (const { path } of [...params.filters, ...params.logic, ...params.order, ...params.ranges]) {
    const [first] = path
    if (first !== undefined && !names.has(first)) throw notEmbedded(first)
  }
}

function bounded(limit: number | undefined, rowsMax: number | undefined): number | undefined {
  if (limit === undefined) return rowsMax
  return rowsMax === undefined ? limit : Math.min(limit, rowsMax)
}
