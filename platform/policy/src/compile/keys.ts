import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import { refuse } from '../refusal.ts'
import { isNondeterministic } from '../syntax/convert-query.ts'
import type { Expr } from '../syntax/expression.ts'
import { renderExpr, ROW_ALIAS } from '../syntax/render.ts'
import { baseOf, elementOf, isImmutable, OID, typeOf } from '../syntax/typing.ts'

/** An equality between row and user. */
export interface KeyPair {
  /** Depends only on the row. */
  readonly row: Expr
  /** `elements`: the row has a key per array element. */
  readonly kind: 'value' | 'elements'
  /** The required value, independent of the row. */
  readonly claim: Expr
  readonly family: KeyFamily
}

/** Types whose values are equal exactly if their texts are. */
export type KeyFamily = 'uuid' | 'integer' | 'oid' | 'text' | 'boolean' | 'date' | `enum ${number}`

const FAMILIES: ReadonlyMap<number, KeyFamily> = new Map<number, KeyFamily>([
  [OID.uuid, 'uuid'],
  [OID.int2, 'integer'],
  [OID.int4, 'integer'],
  [OID.int8, 'integer'],
  [OID.oid, 'oid'],
  [OID.text, 'text'],
  [OID.varchar, 'text'],
  [OID.bool, 'boolean'],
  [OID.date, 'date'],
])

/** Returns the family in which equal texts mean equal values; `undefined` for types unsuitable as keys. */
export function familyOf(type: number | undefined, catalog: PolicyCatalog): KeyFamily | undefined {
  if (type === undefined) return undefined
  const base = baseOf(type, catalog)
  return FAMILIES.get(base) ?? (catalog.type(base)?.kind === 'e' ? `enum ${base}` : undefined)
}

/**
 * Converts an equality to a key pair, if comparing texts is equivalent to comparing values.
 *
 * @param claimType - required if it cannot be derived from `claim`
 */
export function createKeyPair(
  kind: KeyPair['kind'],
  row: Expr,
  claim: Expr,
  catalog: PolicyCatalog,
  claimType = typeOf(claim, catalog),
): KeyPair {
  const shown = describeRow(row)
  const whole = typeOf(row, catalog)
  const type = kind === 'elements' ? elementOf(whole, catalog) : whole
  const family = familyOf(type, catalog)
  if (!family || (kind === 'elements' && (family === 'boolean' || family === 'date'))) {
    const name = whole === undefined ? 'a type that is not certain' : (catalog.type(whole)?.sql ?? String(whole))
    return refuse(`${shown} (${name}) cannot be a bucket key: equal values of that type can have different texts`)
  }
  if (familyOf(claimType, catalog) !== family) {
    const other =
      claimType === undefined ? 'a type that is not certain' : (catalog.type(claimType)?.sql ?? String(claimType))
    return refuse(
      `${shown} is compared with ${other}, and equality across these types does not follow from their texts`,
    )
  }
  if (isNondeterministic(row) || isNondeterministic(claim)) {
    return refuse(`${shown} is compared under a collation that can call different texts equal`)
  }
  if (!isImmutable(row, catalog)) return refuse(`${shown} depends on more than the row`)
  return { row: strip(row, kind, catalog), kind, claim, family }
}

/** Names a key in a reason. */
function describeRow(row: Expr): string {
  return row.kind === 'row' ? row.column : renderExpr(row).replaceAll(`${ROW_ALIAS}."`, '"')
}

/** Strips casts that preserve the text. */
export function strip(expr: Expr, kind: KeyPair['kind'], catalog: PolicyCatalog): Expr {
  if (expr.kind !== 'cast' || expr.typmod || expr.arg.kind === 'constant') return expr
  const from = typeOf(expr.arg, catalog)
  const to = baseOf(expr.type, catalog)
  if (from === undefined) return expr
  const same =
    kind === 'value'
      ? keepsText(from, to, catalog)
      : keepsText(elementOf(from, catalog) ?? 0, elementOf(to, catalog) ?? 0, catalog)
  return same && expr.type === to ? strip(expr.arg, kind, catalog) : expr
}

const WIDTH: ReadonlyMap<number, number> = new Map([
  [OID.int2, 2],
  [OID.int4, 4],
  [OID.int8, 8],
])

function keepsText(from: number, to: number, catalog: PolicyCatalog): boolean {
  const family = familyOf(from, catalog)
  if (!family || family === 'boolean' || family === 'date') return false
  if (from === to || to === OID.text || to === OID.varchar) return true
  return family === 'integer' && (WIDTH.get(from) ?? 9) <= (WIDTH.get(to) ?? 0)
}

/** Renders the canonical text for comparison, independent of session settings. */
export function canonicalText(sql: string, family: KeyFamily): string {
  return family === 'date' ? `(pg_catalog.extract('julian', ${sql}))::text` : `(${sql})::text`
}

/** Whether a plain column of this family has the canonical text in the replication stream. */
export function isCanonicalInStream(family: KeyFamily): boolean {
  return family !== 'boolean' && family !== 'date'
}
