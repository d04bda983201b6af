import type { Query } from './expression.ts'
import { freshAlias } from './scope.ts'
import { ROW_ALIAS } from './render.ts'
import { walkQuery } from './walk.ts'

/**
 * Names the ranges of a query by the order in which they occur, so that its text does not depend on what else was compiled with it: equal
 * queries are then equal texts.
 */
export function withCanonicalAliases(query: Query): Query {
  const taken = new Set([ROW_ALIAS])
  const names = new Map<string, string>()
  const note = (alias: string): void => {
    if (!names.has(alias)) names.set(alias, freshAlias(taken, alias.replace(/(_\d+)+$/, '')))
  }
  walkQuery(query, {
    query: ({ ctes }) => ctes.forEach((cte) => note(cte.name)),
    from: (from) => from.kind !== 'join' && note(from.alias),
  })
  return renamed(query, names) as Query
}

/** Expressions and queries are plain data: a range is named by `range` of columns, `alias` of `FROM` items and `name` of common tables. */
function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, names))
  if (typeof value !== 'object' || value === null) return value
  const isCte = 'recursive' in value || ('kind' in value && value.kind === 'cte')
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      if (key === 'table') return [key, part]
      const isName = key === 'range' || key === 'alias' || (key === 'name' && isCte)
      return [key, isName && typeof part === 'string' ? (names.get(part) ?? part) : renamed(part, names)]
    }),
  )
}
