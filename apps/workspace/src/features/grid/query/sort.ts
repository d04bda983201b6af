export interface Sort {
  readonly field: string
  readonly isDescending: boolean
}

export const SORTS_MAX = 5

/** Parses `due_on,-title`: a minus reverses the order. */
export function parseSorts(text: string | undefined): readonly Sort[] {
  if (text === undefined) return []
  return text
    .split(',')
    .filter((part) => part !== '' && part !== '-')
    .slice(0, SORTS_MAX)
    .map((part) => ({ field: part.replace(/^-/, ''), isDescending: part.startsWith('-') }))
}

export function renderSorts(sorts: readonly Sort[]): string | undefined {
  if (sorts.length === 0) return undefined
  return sorts.map(({ field, isDescending }) => `${isDescending ? '-' : ''}${field}`).join(',')
}

/** Returns the order after a press on a column header, which cycles through ascending, descending and none. */
export function nextSort(sorts: readonly Sort[], field: string): readonly Sort[] {
  const current = sorts.find((sort) => sort.field === field)
  if (!current) return [{ field, isDescending: false }]
  return current.isDescending ? [] : [{ field, isDescending: true }]
}
