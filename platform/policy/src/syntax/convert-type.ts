import { quoteName } from '@holdfast/postgres'
import type { TypeName } from 'libpg-query'
import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import { refuse } from '../refusal.ts'
import { qualify } from './collect-names.ts'
import { nameParts } from './names.ts'

/** Resolves a cast's type and its SQL. */
export function convertType(
  node: TypeName,
  catalog: PolicyCatalog,
): { readonly type: number; readonly sql: string; readonly typmod: boolean } {
  const [schema, name] = qualify(nameParts(node.names))
  const named = catalog.typeNamed(schema, name)
  if (!named || node.setof || node.pct_type) return refuse(`the type ${schema}.${name} is not followed`)
  const isArray = (node.arrayBounds ?? []).length > 0
  const type = isArray ? catalog.type(named.array) : named
  if (!type) return refuse(`arrays of ${named.sql} are not followed`)
  const mods = (node.typmods ?? []).map((mod) => {
    if ('A_Const' in mod && mod.A_Const.ival) return mod.A_Const.ival.ival ?? 0
    return refuse(`the modifiers of ${named.sql} are not followed`)
  })
  if (mods.length === 0) return { type: type.oid, sql: type.sql, typmod: false }
  if (schema === 'pg_catalog' && name === 'interval') return refuse('the modifiers of interval are not followed')
  return { type: type.oid, sql: `${quoteName(schema, name)}(${mods.join(', ')})${isArray ? '[]' : ''}`, typmod: true }
}
