import { useEffect, useEffectEvent } from 'react'
import { create } from 'zustand'

/** Unsaved input and running writes: while there are any, the page must not be reloaded or closed. */

/** Fields with unsaved text. */
export const useTyping = create<{ readonly open: ReadonlySet<symbol> }>(() => ({ open: new Set() }))

const saves = new Map<symbol, () => void>()
let writing: Promise<unknown> = Promise.resolve()

/** Registers a write, so that {@link settleTyping} waits for it. */
export function underWay<Result>(write: () => Promise<Result>): Promise<Result> {
  const result = write()
  writing = Promise.allSettled([writing, result])
  return result
}

/** Number of running long writes. */
let held = 0

/** Registers a multi-step write, as {@link underWay}; closing the page would interrupt it, so the browser confirms. */
export function holdPage<Result>(write: () => Promise<Result>): Promise<Result> {
  held += 1
  return underWay(write).finally(() => (held -= 1))
}

/**
 * Registers a field's unsaved text.
 *
 * @param save - stores it if valid; invalid text stays in the field
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

/** Delay in ms for screens to show the result of a write. */
const SHOWN_AFTER_MS = 50

/** Saves unsaved input where valid. @returns whether nothing is left unsaved */
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

/** Makes the browser confirm before leaving with unsaved input or a long write. */
export function guardTyping(): void {
  addEventListener('beforeunload', (event) => {
    if (saves.size > 0 || held > 0) event.preventDefault()
  })
}
