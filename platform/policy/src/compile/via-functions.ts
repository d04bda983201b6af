import { quoteLiteral, quoteName } from '@holdfast/postgres'
import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { KeyFunction } from '../plan.ts'
import { refuse } from '../refusal.ts'
import type { Expr } from '../syntax/expression.ts'
import { functionsOf } from '../syntax/typing.ts'
import { walkExpr } from '../syntax/walk.ts'

/**
 * Returns functions through which users call those in their policies that they cannot name, lacking `USAGE` on the schema. A policy stores functions by
 * identity, a query by name. They run with the caller's rights, and are dropped together with the function they call without blocking that.
 */
export function viaFunctionsOf(exprs: readonly Expr[], catalog: PolicyCatalog): readonly KeyFunction[] {
  const found = new Map<string, KeyFunction>()
  for (const expr of exprs) {
    walkExpr(expr, {
      expr: (call) => {
        if (call.kind === 'call' && call.via !== undefined) found.set(call.via, viaFunction(call, call.via, catalog))
      },
    })
  }
  return [...found.values()]
}

function viaFunction(call: Extract<Expr, { kind: 'call' }>, name: string, catalog: PolicyCatalog): KeyFunction {
  const [f] = functionsOf(call, catalog)
  if (!f) return refuse(`the function ${call.schema}.${call.name} is not known`)
  const roles = catalog.input.apiRoles.map((oid) => catalog.role(oid)?.name ?? refuse('an API role is not known'))
  const types = call.args.map((_, index) => catalog.type(f.argTypes[index] ?? 0)?.sql ?? refuse('an unknown type'))
  const [schema = '', own = ''] = name.split('.')
  const signature = `${quoteName(schema, own)}(${types.join(', ')})`
  const called = `${quoteName(f.schema, f.name)}(${types.map((_, index) => `$${index + 1}`).join(', ')})`
  const isTable = f.outColumns.length > 0
  const volatility = f.volatility === 'v' ? 'volatile' : f.volatility === 's' ? 'stable' : 'immutable'
  return {
    name,
    owner: '',
    roles,
    probe: undefined,
    statements: [
      `create or replace function ${signature} returns ${f.result} language sql ${volatility} begin atomic select ${isTable ? `* from ${called}` : called}; end`,
      `update pg_catalog.pg_depend set deptype = 'a' where classid = 'pg_catalog.pg_proc'::regclass and objid = ${quoteLiteral(signature).trim()}::regprocedure and deptype = 'n' and refclassid = 'pg_catalog.pg_proc'::regclass`,
      `revoke all on function ${signature} from public`,
      ...roles.map((role) => `grant execute on function ${signature} to ${quoteName(role)}`),
    ],
  }
}
