import { useEffect, useEffectEvent } from 'react'
import { create } from 'zustand'

/**
 * What a person has typed that is on the screen only, and writes that are under way: while there is any, the page is not to be loaded again or closed.
 */

/** Fields with text that is not stored. */
export const useTyping = create<{ readonly open: ReadonlySet<symbol> }>(() => ({ open: new Set() }))

const saves = new Map<symbol, () => void>()
let writing: Promise<unknown> = Promise.resolve()

/** Counts a write, so that {@link settleTyping} waits for it. */
export function underWay<Result>(write: () => Promise<Result>): Promise<Result> {
  const result = write()
  writing = Promise.allSettled([writing, result])
  return result
}

/** How many long writes are under way. */
let held = 0

/** Counts a write of many steps, as {@link underWay} does, which a page that goes would leave in the middle: the browser asks before. */
export function holdPage<Result>(write: () => Promise<Result>): Promise<Result> {
  held += 1
  return underWay(write).finally(() => (held -= 1))
}

/**
 * Tells that a field has text that is not stored.
 *
 * @param save - stores it, if it can be stored; what cannot stays in the field
 */
export function useTypedHere(isTyped: boolean, save: () => void): void {
  const saveNow = useEffectEvent(save)
  useEffect(() => {
    if (!isTyped) return
    const id = Symbol('a field')
    saves.set(id, () => saveNow())
    publish()
    return () => {
      saves.delete(id)
      publish()
    }
  }, [isTyped])
}

function publish(): void {
  useTyping.setState({ open: new Set(saves.keys()) })
}

/** Milliseconds for screens to take in what became of a write. */
const SHOWN_AFTER_MS = 50

/** Stores what is typed, as far as it can be stored. @returns whether nothing is left on the screen only */
export async function settleTyping(): Promise<boolean> {
  for (const save of saves.values()) save()
  let seen: unknown
  while (seen !== writing) {
    seen = writing
    await writing
    await new Promise((resolve) => setTimeout(resolve, SHOWN_AFTER_MS))
  }
  return saves.size === 0
}

/** The browser asks before the page goes while something is typed, or a long write is under way. */
export function guardTyping(): void {
  addEventListener('beforeunload', (event) => {
    if (saves.size > 0 || held > 0) event.preventDefault()
  })
}
