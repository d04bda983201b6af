import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import { refuse } from '../refusal.ts'
import { nameParts } from './names.ts'

/** Returns the schemas of a `search_path`, without system and temporary ones. */
export function schemasOfPath(path: string): readonly string[] {
  return path
    .split(',')
    .map((part) => part.trim())
    .map((part) => (part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part.toLowerCase()))
    .filter((name) => name !== '' && name !== '$user' && name !== 'pg_temp' && name !== 'pg_catalog')
}

/**
 * Qualifies every bare name of a parse tree under a search path, in place, as Postgres would print it. System names stay bare.
 *
 * @throws {Refusal} if the meaning of a name depends on argument types
 */
export function qualifyNames(tree: unknown, path: string, catalog: PolicyCatalog): void {
  const schemas = schemasOfPath(path)
  const ctes = new Set<string>()
  collectCteNames(tree, ctes)
  visit(tree)

  function visit(value: unknown): void {
    if (Array.isArray(value)) {
      for (const item of value) visit(item)
      return
    }
    if (typeof value !== 'object' || value === null) return
    for (const [key, part] of Object.entries(value)) {
      if (key === 'RangeVar') qualifyTable(part as { schemaname?: string; relname?: string })
      else if (key === 'funcname')
        qualifyList(part, 'function', (schema, name) => catalog.functions(schema, name).length > 0)
      else if (key === 'operName') qualifyOperator(part)
      else if (key === 'A_Expr') qualifyOperator((part as { name?: unknown }).name)
      else if (key === 'TypeName' || key === 'typeName')
        qualifyList(
          (part as { names?: unknown }).names,
          'type',
          (schema, name) => catalog.typeNamed(schema, name) !== undefined,
        )
      visit(part)
    }
  }

  function qualifyTable(node: { schemaname?: string; relname?: string }): void {
    const name = node.relname
    if (node.schemaname !== undefined || name === undefined || ctes.has(name)) return
    const schema = schemas.find((candidate) => catalog.table(candidate, name))
    if (schema !== undefined) node.schemaname = schema
  }

  function qualifyOperator(list: unknown): void {
    qualifyList(list, 'operator', (schema, name) => catalog.operators(schema, name).length > 0)
  }

  function qualifyList(list: unknown, what: string, isThere: (schema: string, name: string) => boolean): void {
    const [name, second] = nameParts(list)
    if (!Array.isArray(list) || name === undefined || second !== undefined) return
    const inSystem = isThere('pg_catalog', name)
    // A system type hides others of its name; functions and operators depend on arguments.
    if (inSystem && what === 'type') return
    const found = schemas.filter((schema) => isThere(schema, name))
    if (found.length > (inSystem ? 0 : 1)) {
      if (what === 'type') found.length = 1
      else refuse(`which ${what} ${name} means depends on the search path and its arguments`)
    }
    if (found[0] !== undefined) list.unshift({ String: { sval: found[0] } })
  }
}

function collectCteNames(value: unknown, into: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collectCteNames(item, into)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value)) {
    if (key === 'ctename' && typeof part === 'string') into.add(part)
    collectCteNames(part, into)
  }
}
