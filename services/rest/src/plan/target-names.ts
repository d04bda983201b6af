import type { QueryParams, SelectEmbed, SelectItem } from '../request/api-request.ts'

/** An embed with an alias that a path references by its target. */
export interface TargetName {
  readonly target: string
  readonly alias: string
}

/** Finds the embed of a path step: the first with that alias or, if allowed, that target. */
export function findEmbed(
  items: readonly SelectEmbed[],
  name: string | undefined,
  targetNamesAllowed: boolean,
): number {
  return items.findIndex(({ alias, target }) => (alias ?? target) === name || (targetNamesAllowed && target === name))
}

/** Finds the embeds with an alias that filters, orders and limits reference by target. @see PostgREST reference, "url-use-legacy-target-names" */
export function findTargetNames(query: QueryParams): readonly TargetName[] {
  const found = new Map<string, TargetName>()
  for (const { path } of [...query.filters, ...query.logic, ...query.order, ...query.ranges]) {
    let items = embedsOf(query.select)
    for (const step of path) {
      const item = items[findEmbed(items, step, true)]
      if (!item) break
      const { alias, target } = item
      if (alias !== undefined && alias !== step) found.set(`${target}\0${alias}`, { target, alias })
      items = embedsOf(item.select)
    }
  }
  return [...found.values()]
}

function embedsOf(select: readonly SelectItem[]): readonly SelectEmbed[] {
  return select.filter((item) => item.kind === 'embed')
}
