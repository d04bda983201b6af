import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { TableInfo } from '../catalog/policy-input.ts'
import type { AccessClass, Dependency, KeyExpression, KeyFunction, RowExpression } from '../plan.ts'
import { refuse } from '../refusal.ts'
import { conjunction, EMPTY_QUERY, parseRights, type Expr, type From, type Query } from '../syntax/expression.ts'
import { withCanonicalAliases } from '../syntax/canonical-aliases.ts'
import { clockComparisonsIn } from '../syntax/clock.ts'
import { renderExpr, renderQuery, renderTop } from '../syntax/render.ts'
import { freshAlias } from '../syntax/scope.ts'
import { functionsOf, OID, typeOf } from '../syntax/typing.ts'
import { walkExpr } from '../syntax/walk.ts'
import { dependenciesOfQuery } from './dependencies.ts'
import { NO_TABLE } from './dependency-reading.ts'
import { mergeDependencies } from './merge-dependencies.ts'
import { asExists, createKeyFunction } from './key-function.ts'
import { canonicalText, isCanonicalInStream, type KeyPair } from './keys.ts'
import type { Alternative, Link, LinkContext } from './link.ts'
import { surveyExpr, surveyFrom } from './survey.ts'
import { viaFunctionsOf } from './via-functions.ts'

/** An {@link Alternative} rendered as SQL for one role. */
export interface AssembledAlternative {
  readonly rowFilter: RowExpression | undefined
  readonly keys: readonly KeyExpression[]
  readonly keyQuery: string
  readonly keyFunctions: readonly KeyFunction[]
  readonly dependencies: readonly Dependency[]
  /** Hashes of functions called by filter and keys; the bucket's content changes with them. */
  readonly rowFunctions: readonly string[]
  readonly accessClass: AccessClass | undefined
}

export interface AssembleInput {
  readonly table: TableInfo
  readonly role: number
  readonly context: LinkContext
  /** Whether it is a query that may read the table itself. */
  readonly readsItself: boolean
}

/** Renders an alternative: row filter, keys, key query and its dependencies. */
export function assemble(alternative: Alternative, input: AssembleInput): AssembledAlternative {
  const { catalog } = input.context
  const filter = conjunction(distinctBySql(alternative.filters))
  const links = distinctLinks(alternative.links).map((link) => ownRights(link, input))
  const pairs = links.flatMap(({ link }) => link.keys)
  const grouped = [...Map.groupBy(pairs, groupOf).values()].sort((left, right) => compare(left, right))
  const { query, keys } = keyQuery(
    links.map(({ link }) => link),
    grouped,
    catalog,
  )
  const own = dependenciesOfQuery(query, input.role, guardedTable(input), catalog)
  return {
    rowFilter: filter && filterExpression(filter, catalog),
    keys,
    keyQuery: renderQuery(withCanonicalAliases(query)),
    keyFunctions: [
      ...own.keyFunctions,
      ...links.flatMap((one) => one.keyFunctions),
      ...viaFunctionsOf([...(filter ? [filter] : []), ...pairs.map((pair) => pair.row), asExists(query)], catalog),
    ],
    dependencies: mergeDependencies([...own.dependencies, ...links.flatMap((one) => one.dependencies)]),
    rowFunctions: [...alternative.filters, ...pairs.map((pair) => pair.row)]
      .flatMap((expr) => hashesOf(expr, catalog))
      .sort(),
    accessClass: undefined,
  }
}

function guardedTable({ table, readsItself }: AssembleInput): number {
  return readsItself ? NO_TABLE : table.oid
}

/** Two conditions on a value must hold for the same key; two on an array may hold for different elements. */
function groupOf(pair: KeyPair): string {
  return `${pair.kind} ${renderExpr(pair.row)} ${pair.kind === 'elements' ? renderExpr(pair.claim) : ''}`
}

function compare(left: readonly KeyPair[], right: readonly KeyPair[]): number {
  const [one, other] = [left[0] ? renderExpr(left[0].row) : '', right[0] ? renderExpr(right[0].row) : '']
  return one < other ? -1 : one > other ? 1 : 0
}

function distinctBySql(exprs: readonly Expr[]): readonly Expr[] {
  return [...new Map(exprs.map((expr) => [renderExpr(expr), expr])).entries()]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, expr]) => expr)
}

/** Removes duplicate links: those with equal keys from equal rows. */
function distinctLinks(links: readonly Link[]): readonly Link[] {
  const seen = new Set<string>()
  return links.filter((link) => {
    const targets = link.keys.map((pair) => ({ expr: pair.claim, name: '' }))
    const query = withCanonicalAliases({ ...EMPTY_QUERY, targets, from: link.from, where: conjunction(link.where) })
    const key = JSON.stringify([
      renderQuery(query),
      [...link.rights],
      link.keys.map((pair) => [pair.kind, renderExpr(pair.row)]),
    ])
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

function keyQuery(
  links: readonly Link[],
  grouped: readonly (readonly KeyPair[])[],
  catalog: PolicyCatalog,
): { readonly query: Query; readonly keys: readonly KeyExpression[] } {
  const from: From[] = []
  const where: Expr[] = []
  for (const link of links) {
    if (link.keys.length === 0 && link.from.length > 0) {
      const query: Query = { ...EMPTY_QUERY, from: link.from, where: conjunction(link.where) }
      where.push({ kind: 'subquery', link: 'exists', tests: [], operator: undefined, query, as: undefined })
      continue
    }
    from.push(...link.from)
    where.push(...link.where)
  }
  const aliases = from.flatMap((item) => (item.kind === 'join' ? [] : [item.alias]))
  // A function using an argument twice duplicates the argument's subquery.
  if (new Set(aliases).size < aliases.length)
    refuse('a subquery over the row is an argument of a function that uses it twice')
  const targets: Query['targets'][number][] = []
  const keys: KeyExpression[] = []
  grouped.forEach((pairs, index) => {
    const [first, ...others] = pairs
    if (!first) return
    keys.push(keyExpression(first))
    targets.push({ expr: textOf(first), name: `k${index}` })
    where.push({ kind: 'test', test: 'is not null', arg: first.claim })
    for (const other of others) {
      if (renderExpr(first.claim) === renderExpr(other.claim)) continue
      where.push(sameKey(first, other, catalog))
    }
  })
  const granted = { expr: { kind: 'constant', sql: 'true', type: OID.bool } as const, name: 'granted' }
  const query: Query = {
    ...EMPTY_QUERY,
    distinct: targets.length > 0,
    targets: targets.length > 0 ? targets : [granted],
    from,
    where: conjunction(where),
  }
  return { query, keys }
}

/** Equality of two keys of one value: by value if both are ids, so that Postgres can use an index, otherwise by text. */
function sameKey(first: KeyPair, other: KeyPair, catalog: PolicyCatalog): Expr {
  const areIds = [first, other].every(({ claim }) => typeOf(claim, catalog) === OID.uuid)
  const [left, right] = areIds ? [first.claim, other.claim] : [textOf(first), textOf(other)]
  return { kind: 'operator', schema: 'pg_catalog', name: '=', left, right }
}

/** The canonical text that a key must equal. */
function textOf(pair: KeyPair): Expr {
  const arg: Expr =
    pair.family === 'date'
      ? {
          kind: 'call',
          schema: 'pg_catalog',
          name: 'extract',
          args: [{ kind: 'constant', sql: "'julian'", type: OID.unknown }, pair.claim],
          star: false,
          distinct: false,
          as: undefined,
        }
      : pair.claim
  return { kind: 'cast', arg, type: OID.text, sql: 'text', typmod: false }
}

function keyExpression(pair: KeyPair): KeyExpression {
  if (isCanonicalInStream(pair.family)) return { ...rowExpression(pair.row, pair.row.kind === 'row'), kind: pair.kind }
  return { ...rowExpression(pair.row, false), sql: canonicalText(renderExpr(pair.row), pair.family), kind: pair.kind }
}

/** Wraps a row expression for the router: plain columns are read from the change, others are evaluated by Postgres. */
export function rowExpression(expr: Expr, isColumn: boolean): RowExpression {
  const reads = new Set<string>()
  walkExpr(expr, { expr: (inner) => inner.kind === 'row' && reads.add(inner.column) })
  return {
    sql: renderTop(expr),
    column: isColumn && expr.kind === 'row' ? expr.column : undefined,
    reads: [...reads].sort(),
  }
}

/** A condition on the row, with the time at which the clock may change it. */
export function filterExpression(filter: Expr, catalog: PolicyCatalog): RowExpression {
  const plain = rowExpression(filter, filter.kind === 'row' && typeOf(filter, catalog) === OID.bool)
  const moments = clockComparisonsIn(filter, catalog).map(({ next }) => next('pg_catalog.now()'))
  return moments.length === 0 ? plain : { ...plain, next: allNext(moments) }
}

/** SQL for the earliest of several times. */
export function allNext(moments: readonly (string | undefined)[]): string | undefined {
  const some = [...new Set(moments.filter((one) => one !== undefined))]
  return some.length < 2 ? some[0] : `least(${some.join(', ')})`
}

/** Returns hashes of the bodies of its functions, because a changed body is a different expression. */
export function hashesOf(expr: Expr, catalog: PolicyCatalog): readonly string[] {
  const hashes = new Set<string>()
  walkExpr(expr, {
    expr: (inner) => {
      if (inner.kind === 'call' && inner.schema !== 'pg_catalog')
        for (const f of functionsOf(inner, catalog)) hashes.add(f.hash)
    },
  })
  return [...hashes]
}

interface OwnedLink {
  readonly link: Link
  readonly keyFunctions: readonly KeyFunction[]
  readonly dependencies: readonly Dependency[]
}

/** Moves parts that must run with other rights into a function of that owner. */
function ownRights(link: Link, input: AssembleInput): OwnedLink {
  const [rights] = link.rights
  if (rights === undefined) return { link, keyFunctions: [], dependencies: [] }
  const { catalog, aliases } = input.context
  const { owner } = parseRights(rights)
  for (const survey of [
    ...link.where.map((expr) => surveyExpr(expr, catalog)),
    ...link.keys.map((pair) => surveyExpr(pair.claim, catalog)),
    ...link.from.map((item) => surveyFrom(item, catalog)),
  ]) {
    if (survey.role) refuse('current_user inside a security definer function cannot be followed')
  }
  const pairs = link.keys.length > 0 ? link.keys.map((pair) => [pair]) : []
  const { query } = keyQuery([link.keys.length > 0 ? link : { ...link, rights: new Set() }], pairs, catalog)
  const keyFunction = createKeyFunction(query, rights, catalog)
  const own = dependenciesOfQuery(query, owner, guardedTable(input), catalog, rights)
  const alias = freshAlias(aliases, 'q1')
  const columns = query.targets.map((target) => target.name)
  const item: From = { kind: 'key-function', name: keyFunction.name, alias, columns }
  return {
    link: {
      keys: link.keys.map((pair, index) => ({
        ...pair,
        family: 'text',
        row: keyRow(pair),
        claim: { kind: 'column', range: alias, column: `k${index}`, type: OID.text, nondeterministic: false },
      })),
      from: [item],
      where: [],
      rights: new Set(),
    },
    keyFunctions: [keyFunction, ...own.keyFunctions],
    dependencies: own.dependencies,
  }
}

/** The function's result is text, so the row's side must use the canonical form of its family. */
function keyRow(pair: KeyPair): Expr {
  if (isCanonicalInStream(pair.family)) return pair.row
  return textOf({ ...pair, claim: pair.row })
}
