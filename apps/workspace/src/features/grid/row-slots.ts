/**
 * Gives each shown row a slot: a piece of the page that is used again when its row has left. A row that stays keeps its
 * slot, so that only rows that come are drawn, and the focused cell stays the same element.
 *
 * @param before - slots by row index
 * @param rows - the rows to show now
 */
export function assignSlots(before: ReadonlyMap<number, number>, rows: readonly number[]): ReadonlyMap<number, number> {
  const wanted = new Set(rows)
  const slots = new Map<number, number>()
  const taken = new Set<number>()
  for (const [row, slot] of before) {
    if (!wanted.has(row)) continue
    slots.set(row, slot)
    taken.add(slot)
  }
  let next = 0
  for (const row of rows) {
    if (slots.has(row)) continue
    while (taken.has(next)) next += 1
    slots.set(row, next)
    taken.add(next)
  }
  return slots
}

/** Rows with their slots in the order of the slots: a row's element never moves in the page, which would take its focus. */
export function slotsInOrder(slots: ReadonlyMap<number, number>): readonly (readonly [number, number])[] {
  return [...slots].toSorted(([, a], [, b]) => a - b)
}
