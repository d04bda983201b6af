import { nameParts } from './names.ts'

/** Functions and operators found, each as JSON of `[schema, name]`. */
export interface CollectedNames {
  readonly functions: Set<string>
  readonly operators: Set<string>
}

/** Collects names of functions and operators from a parse tree, without interpreting it. */
export function collectNames(tree: unknown, into: CollectedNames): void {
  if (Array.isArray(tree)) {
    for (const item of tree) collectNames(item, into)
    return
  }
  if (typeof tree !== 'object' || tree === null) return
  for (const [key, value] of Object.entries(tree)) {
    if (key === 'funcname') into.functions.add(JSON.stringify(qualify(nameParts(value))))
    else if (key === 'operName') into.operators.add(JSON.stringify(qualify(nameParts(value))))
    else if (key === 'A_Expr')
      into.operators.add(JSON.stringify(qualify(nameParts((value as { name?: unknown }).name))))
    collectNames(value, into)
  }
}

/** Unqualified names are the system's, because only `pg_catalog` was on the search path when printing. */
export function qualify(parts: readonly string[]): readonly [schema: string, name: string] {
  const [first = '', second] = parts
  return second === undefined ? ['pg_catalog', first] : [first, second]
}
