import type { RestCatalog, RestKeyRelationship, RestRelationship } from '../catalog/catalog.ts'
import { ambiguousEmbed, noRelationship } from '../errors.ts'
import { nearestName } from './nearest-name.ts'

/** Minimum similarity of PostgREST's hints: a third of the characters match. */
const SIMILARITY_MIN = 0.33

/**
 * Finds the relationship of an embed.
 *
 * `target` is the name of a relation, a foreign key, or a single foreign-key column. `hint` disambiguates with the name of a foreign key, a
 * column of it on either side, or the junction. For a self-referencing relation, its own name means the children and the column's name the
 * parent.
 *
 * @throws PGRST200 if there is none, PGRST201 if there are several
 * @see PostgREST reference, "Resource Embedding"
 */
export function findRelationship(
  catalog: RestCatalog,
  input: {
    readonly schema: string
    /** The exposed schemas. */
    readonly schemas: readonly string[]
    readonly origin: { readonly schema: string; readonly name: string }
    readonly target: string
    readonly hint: string | undefined
  },
): RestRelationship {
  const { schema, schemas, origin, target, hint } = input
  const reachable = catalog
    .relationships(origin.schema, origin.name)
    .filter((relationship) => isReachable(relationship, schema, schemas))
  const found = reachable.filter((relationship) => matches(relationship, target, hint))
  const [only, second] = found
  if (only === undefined) {
    throw noRelationship({
      origin: origin.name,
      target,
      hint,
      schema,
      suggestion: suggest(catalog, schema, origin.name, target, reachable),
    })
  }
  if (second !== undefined) {
    const keys = found.filter((relationship) => relationship.kind === 'key').toSorted(byRank)
    throw ambiguousEmbed({
      origin: origin.name,
      target,
      candidates: keys.map(describe),
      alternatives: keys.map((item) => `${item.to.name}!${item.junction?.name ?? item.constraint}`),
    })
  }
  return only
}

function isReachable(relationship: RestRelationship, schema: string, schemas: readonly string[]): boolean {
  if (relationship.kind === 'computed') {
    return relationship.function.schema === schema && schemas.includes(relationship.to.schema)
  }
  const { to, junction } = relationship
  return to.schema === schema && (junction === undefined || schemas.includes(junction.schema))
}

function matches(relationship: RestRelationship, target: string, hint: string | undefined): boolean {
  if (relationship.kind === 'computed') return relationship.function.name === target
  const { from, to, cardinality, constraint, columns } = relationship
  const single = columns.length === 1 && cardinality !== 'many-to-many' ? columns[0] : undefined
  if (from.schema === to.schema && from.name === to.name) {
    if (hint !== undefined) {
      return target === to.name && cardinality === 'one-to-many' && (single?.to === hint || constraint === hint)
    }
    if (target === to.name) return cardinality === 'one-to-many'
    return cardinality === 'many-to-one' && single?.from === target
  }
  if (hint === undefined) {
    const byKey = (constraint !== '' && target === constraint) || single?.from === target
    return target === to.name || (byKey && !relationship.toIsView)
  }
  if (target !== to.name) return false
  return (
    (constraint !== '' && hint === constraint) ||
    single?.from === hint ||
    single?.to === hint ||
    relationship.junction?.name === hint
  )
}

const RANK = { 'one-to-many': 0, 'many-to-one': 1, 'one-to-one': 2, 'many-to-many': 3 } as const

/** Compares candidates in PostgREST's order: by cardinality, then by the names of keys or junctions. */
function byRank(left: RestKeyRelationship, right: RestKeyRelationship): number {
  const keyOf = ({ to, constraint, junction, columns }: RestKeyRelationship): readonly string[] => [
    to.name,
    ...(junction ? [junction.schema, junction.name, ...junction.constraints] : [constraint]),
    ...columns.flatMap((pair) => [pair.from, pair.to]),
  ]
  const [a, b] = [keyOf(left), keyOf(right)]
  const different = a.findIndex((part, index) => part !== b[index])
  const names = a[0] === b[0] ? RANK[left.cardinality] - RANK[right.cardinality] : 0
  return names || (different < 0 ? 0 : (a[different] ?? '') < (b[different] ?? '') ? -1 : 1)
}

function describe(relationship: RestKeyRelationship): {
  readonly cardinality: string
  readonly embedding: string
  readonly relationship: string
} {
  const { from, to, cardinality, constraint, columns, junction } = relationship
  const list = (names: readonly string[]): string => `(${names.join(', ')})`
  const text = junction
    ? `${junction.name} using ${junction.constraints[0]}${list(columns.map((pair) => pair.to))} and ${junction.constraints[1]}${list(junction.columns.map((pair) => pair.from))}`
    : `${constraint} using ${from.name}${list(columns.map((pair) => pair.from))} and ${to.name}${list(columns.map((pair) => pair.to))}`
  return { cardinality, embedding: `${from.name} with ${to.name}`, relationship: text }
}

function targetSchema(relationship: RestRelationship): string {
  return relationship.kind === 'computed' ? relationship.function.schema : relationship.to.schema
}

function suggest(
  catalog: RestCatalog,
  schema: string,
  origin: string,
  target: string,
  reachable: readonly RestRelationship[],
): string | undefined {
  const leadsTo = (name: string): boolean =>
    catalog.relationships(schema, name).some((relationship) => targetSchema(relationship) === schema)
  if (leadsTo(origin)) {
    const names = reachable.map(({ to }) => to.name).filter((name) => name !== target)
    const nearest = reachable.some(({ to }) => to.name === target)
      ? undefined
      : nearestName(target, names, SIMILARITY_MIN)
    return nearest === undefined ? undefined : `Perhaps you meant '${nearest}' instead of '${target}'.`
  }
  const parents = catalog.relationNames(schema).filter((name) => name !== origin && leadsTo(name))
  const nearest = nearestName(origin, parents, SIMILARITY_MIN)
  return nearest === undefined ? undefined : `Perhaps you meant '${nearest}' instead of '${origin}'.`
}
