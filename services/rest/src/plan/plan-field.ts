import type { RestRelation } from '../catalog/catalog.ts'
import { notEmbedded, relatedOrderNotToOne } from '../errors.ts'
import type { Field, Filter, LogicTree, OrderTerm, SelectField } from '../request/api-request.ts'
import type { Condition, EmbedPlan, PlannedField, PlannedOrder, PlannedSelect, Qualifier } from './plan.ts'

/** An embed and its name in the request. */
export interface NamedEmbed {
  readonly name: string
  readonly embed: EmbedPlan
}

/** Plans the conditions of a statement without embeds, such as an update or delete. */
export function planConditions(
  relation: RestRelation | undefined,
  qualifier: Qualifier,
  filters: readonly Filter[],
  logic: readonly LogicTree[],
): Condition[] {
  return [...filters, ...logic].map((tree) => planCondition(tree, relation, qualifier, []))
}

export function planField(field: Field, relation: RestRelation | undefined, qualifier: Qualifier): PlannedField {
  const column = relation?.columns.get(field.name)
  const isPlain = field.path.length === 0
  return {
    qualifier,
    column: field.name,
    path: field.path,
    needsJson: column?.type !== 'json' && column?.type !== 'jsonb',
    // A computed column of unknown type is used as is.
    isTsVector: column === undefined || (column.baseType === 'tsvector' && isPlain),
    fromText: isPlain ? column?.representation.fromText : undefined,
  }
}

/** Plans a selected column, or an aggregate. */
export function planSelectField(
  item: SelectField,
  relation: RestRelation | undefined,
  qualifier: Qualifier,
): Extract<PlannedSelect, { readonly kind: 'field' | 'count' }> {
  const { field, aggregate, aggregateCast, alias } = item
  if (aggregate !== undefined && field.name === '*' && field.path.length === 0) {
    return { kind: 'count', cast: aggregateCast, alias: alias ?? aggregate }
  }
  const toJson = field.path.length === 0 ? relation?.columns.get(field.name)?.representation.toJson : undefined
  return {
    kind: 'field',
    field: planField(field, relation, qualifier),
    format: aggregate === undefined ? toJson : undefined,
    cast: item.cast,
    aggregate: aggregate && { function: aggregate, cast: aggregateCast },
    alias: alias ?? aggregate ?? pathAlias(field) ?? (toJson === undefined ? undefined : field.name),
  }
}

/** Names a JSON path after its last key: `data->0->>size` becomes `size`, and `data->0` becomes `data`. */
function pathAlias(field: Field): string | undefined {
  if (field.path.length === 0) return undefined
  const key = field.path.findLast(({ operand }) => operand.kind === 'key')?.operand
  return key?.kind === 'key' ? key.key : field.name
}

/**
 * Plans a condition. `name=is.null` tests whether the embed `name` is empty.
 *
 * @see PostgREST reference, "Null filtering on Embedded Resources"
 */
export function planCondition(
  tree: LogicTree,
  relation: RestRelation | undefined,
  qualifier: Qualifier,
  embeds: readonly NamedEmbed[],
): Condition {
  if (tree.kind === 'logic') {
    const children = tree.children.map((child) => planCondition(child, relation, qualifier, embeds))
    return { kind: 'logic', negated: tree.negated, operator: tree.operator, children }
  }
  const { field, operation, negated } = tree
  if (operation.kind === 'is' && field.path.length === 0) {
    const named = embeds.find(({ name }) => name === field.name)
    const isNull = operation.value === 'null'
    // A column with that name takes precedence, except for `is.null`, which PostgREST always applies to the embed.
    const isNotNull = operation.value === 'not_null' && relation?.columns.has(field.name) !== true
    if (named && (isNull || isNotNull)) return { kind: 'embed', embed: named.embed, exists: isNull === negated }
  }
  return { kind: 'filter', field: planField(field, relation, qualifier), negated, operation }
}

/** @throws PGRST108 for an order by a relation that is not embedded, PGRST118 for one that is not to-one */
export function planOrder(
  term: OrderTerm,
  relation: RestRelation | undefined,
  origin: { readonly name: string; readonly qualifier: Qualifier },
  embeds: readonly NamedEmbed[],
): PlannedOrder {
  const { direction, nulls } = term
  if (term.relation === undefined) {
    return { field: planField(term.field, relation, origin.qualifier), direction, nulls }
  }
  const named = embeds.find(({ name }) => name === term.relation)
  if (!named) throw notEmbedded(term.relation)
  if (named.embed.shape !== 'object') throw relatedOrderNotToOne(origin.name, named.name)
  return { field: planField(term.field, undefined, [named.embed.alias]), direction, nulls }
}
