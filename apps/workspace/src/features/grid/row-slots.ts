/**
 * Assigns each visible row a slot: an element that is reused once its row has left. Remaining rows keep their slots, so only new rows render and the focused
 * cell stays the same element.
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

/** Returns the rows sorted by slot, so that row elements never move in the DOM, which would blur them. */
export function slotsInOrder(slots: ReadonlyMap<number, number>): readonly (readonly [number, number])[] {
  return [...slots].toSorted(([, a], [, b]) => a - b)
}
