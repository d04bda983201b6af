/** A set that stores a lone value inline, because a `Set` takes five times the memory. */
export type CompactSet<T extends object> = T | Set<T> | undefined

interface Listened<T extends object> {
  listeners: CompactSet<T>
}

/** @returns whether the listener is new */
export function addTo<T extends object>(to: Listened<T>, listener: T): boolean {
  const { listeners } = to
  if (listeners === undefined) to.listeners = listener
  else if (listeners === listener) return false
  else if (!(listeners instanceof Set)) to.listeners = new Set([listeners, listener])
  else if (listeners.has(listener)) return false
  else listeners.add(listener)
  return true
}

export function removeFrom<T extends object>(from: Listened<T>, listener: T): void {
  const { listeners } = from
  if (listeners === listener) from.listeners = undefined
  else if (listeners instanceof Set && listeners.delete(listener) && listeners.size === 0) from.listeners = undefined
}

export function listenersOf<T extends object>({ listeners }: Listened<T>): Iterable<T> {
  if (listeners === undefined) return []
  return listeners instanceof Set ? listeners : [listeners]
}
