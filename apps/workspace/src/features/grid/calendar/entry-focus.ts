import type { RefObject } from 'react'

const ENTRY = '[data-entry]'

/** Moves the focus to another record: within a day in order, or to the next day with records, at the same height. */
export function focusEntry(
  calendar: HTMLElement | null,
  step: { readonly days: -1 | 0 | 1; readonly entries: -1 | 0 | 1 },
): void {
  const all = [...(calendar?.querySelectorAll<HTMLElement>(ENTRY) ?? [])]
  const at = all.findIndex((entry) => entry === document.activeElement)
  const current = all[at]
  if (!current) return
  if (step.days === 0) {
    all[at + step.entries]?.focus()
    return
  }
  const dayOf = (entry: HTMLElement): string => entry.dataset['day'] ?? ''
  const own = dayOf(current)
  const height = all.filter((entry) => dayOf(entry) === own).indexOf(current)
  const others = all.filter((entry) => (step.days > 0 ? dayOf(entry) > own : dayOf(entry) < own))
  const day = others.at(step.days > 0 ? 0 : -1)
  const there = day ? others.filter((entry) => dayOf(entry) === dayOf(day)) : []
  there[Math.min(height, there.length - 1)]?.focus()
}

/** Frames to wait for a moved record. The local database reports a write within a few. */
const FRAMES_MAX = 180

/** Focuses the moved record's new element on its day, unless the user has moved on. */
export function followEntry(
  calendar: RefObject<HTMLElement | null>,
  id: string,
  day: string,
  frames = FRAMES_MAX,
): void {
  const focused = document.activeElement
  const isElsewhere =
    focused instanceof HTMLElement &&
    focused !== document.body &&
    focused.dataset['entry'] !== id &&
    !isInDialog(focused)
  if (isElsewhere) return
  const moved = calendar.current?.querySelector<HTMLElement>(`[data-entry="${CSS.escape(id)}"][data-day="${day}"]`)
  const more =
    frames === 0 ? calendar.current?.querySelector<HTMLElement>(`[data-cell="${day}"] [data-more]`) : undefined
  if (moved && !isInDialog(focused)) moved.focus()
  else if (more) more.focus()
  else if (frames > 0) requestAnimationFrame(() => followEntry(calendar, id, day, frames - 1))
}

/** Whether the focus is in a dialog. A closing dialog returns the focus to where it was opened. */
function isInDialog(element: Element | null): boolean {
  return element?.closest('[role="dialog"]') != null
}
