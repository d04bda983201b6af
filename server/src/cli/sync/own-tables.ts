/** Tables of the project, without the tables of Holdfast itself that nobody has to look at. */
export interface OwnTables<T> {
  /** Those of the project first. */
  readonly shown: readonly T[]
  /** How many are left out. */
  readonly hidden: number
}

/**
 * Puts the project's tables first and leaves those of Holdfast out.
 *
 * @param options.all - whether to keep all tables
 * @param options.isProblem - tables of Holdfast that are kept because something is wrong with them
 */
export function ownTablesFirst<T extends { readonly table: string }>(
  tables: readonly T[],
  { all, isProblem = () => false }: { readonly all: boolean; readonly isProblem?: (table: T) => boolean },
): OwnTables<T> {
  const own = tables.filter(({ table }) => !isOfHoldfast(table))
  const others = tables.filter(({ table }) => isOfHoldfast(table))
  const kept = all ? others : others.filter(isProblem)
  return { shown: [...own, ...kept], hidden: others.length - kept.length }
}

const isOfHoldfast = (table: string): boolean => table.startsWith('holdfast.')
