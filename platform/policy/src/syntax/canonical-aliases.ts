import type { Query } from './expression.ts'
import { freshAlias } from './scope.ts'
import { ROW_ALIAS } from './render.ts'
import { walkQuery } from './walk.ts'

/** Renumbers a query's aliases in order of appearance, so identical queries render to identical SQL whatever was compiled before. */
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

/** Renames in plain data: ranges are `range` in columns, `alias` in `FROM` items and `name` in CTEs. */
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
