import { createHash } from 'node:crypto'
import { quoteIdentifier, quoteLiteral, quoteName } from '@holdfast/postgres'
import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { KeyFunction } from '../plan.ts'
import { refuse } from '../refusal.ts'
import { withCanonicalAliases } from '../syntax/canonical-aliases.ts'
import { needsBodyAnalysis } from '../syntax/convert-call.ts'
import { type Expr, parseRights, type Query, type Rights } from '../syntax/expression.ts'
import { renderQuery } from '../syntax/render.ts'
import { functionsOf } from '../syntax/typing.ts'
import { walkExpr } from '../syntax/walk.ts'

/** Creates a function that runs a query with the rights of the `SECURITY DEFINER` function that contains it. */
export function createKeyFunction(query: Query, rights: Rights, catalog: PolicyCatalog): KeyFunction {
  const { owner, searchPath } = parseRights(rights)
  const role = catalog.role(owner) ?? refuse('the owner of a security definer function is not known')
  const body = renderQuery(withCanonicalAliases(query))
  const path = callsFunctions(query, catalog) && searchPath !== '""' ? searchPath : ''
  const hash = createHash('sha256')
    .update(JSON.stringify([role.name, path, body]))
    .digest('hex')
    .slice(0, 16)
  const name = `sync.key_${hash}`
  const columns = query.targets
    .map((target) => `${quoteIdentifier(target.name)} ${target.name === 'granted' ? 'boolean' : 'text'}`)
    .join(', ')
  const roles = catalog.input.apiRoles.map((oid) => catalog.role(oid)?.name ?? refuse('an API role is not known'))
  const signature = `${quoteName('sync', `key_${hash}`)}()`
  const definition = `returns table (${columns}) language sql stable security definer set search_path = ${path === '' ? "''" : path} as ${quoteLiteral(body).trim()}`
  return {
    name,
    owner: role.name,
    roles,
    probe: `create function ${quoteName('pg_temp', `key_${hash}`)}() ${definition}`,
    statements: [
      `create or replace function ${signature} ${definition}`,
      `alter function ${signature} owner to ${quoteIdentifier(role.name)}`,
      `revoke all on function ${signature} from public`,
      ...roles.map((one) => `grant execute on function ${signature} to ${quoteIdentifier(one)}`),
    ],
  }
}

/** Wraps a query as an existence condition. */
export function asExists(query: Query): Expr {
  return { kind: 'subquery', link: 'exists', tests: [], operator: undefined, query, as: undefined }
}

/** SQL functions without a search path use the caller's. */
function callsFunctions(query: Query, catalog: PolicyCatalog): boolean {
  let found = false
  walkExpr(asExists(query), {
    expr: (expr) =>
      (found ||=
        expr.kind === 'call' && expr.schema !== 'pg_catalog' && functionsOf(expr, catalog).some(needsBodyAnalysis)),
  })
  return found
}
