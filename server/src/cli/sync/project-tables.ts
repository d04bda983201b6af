/** Tables for display, without unproblematic tables of Holdfast. */
export interface ProjectTables<T> {
  /** The project's first. */
  readonly shown: readonly T[]
  /** Number of hidden tables. */
  readonly hidden: number
}

/**
 * Sorts the project's tables first and hides Holdfast's.
 *
 * @param options.all - whether to keep all tables
 * @param options.isProblem - keeps Holdfast tables with a problem
 */
export function projectTablesFirst<T extends { readonly table: string }>(
  tables: readonly T[],
  { all, isProblem = () => false }: { readonly all: boolean; readonly isProblem?: (table: T) => boolean },
): ProjectTables<T> {
  const own = tables.filter(({ table }) => !isOfHoldfast(table))
  const others = tables.filter(({ table }) => isOfHoldfast(table))
  const kept = all ? others : others.filter(isProblem)
  return { shown: [...own, ...kept], hidden: others.length - kept.length }
}

const isOfHoldfast = (table: string): boolean => table.startsWith('holdfast.')
