import { useSyncExternalStore } from 'react'

/** Milliseconds without input after which a user is no longer shown as being here. */
const AWAY_AFTER_MS = 5 * 60_000
/** The same for a hidden tab: looking something up in another one is not leaving. */
const HIDDEN_AFTER_MS = 30_000
const LOOK_EVERY_MS = 5_000

let lastInputAt = Date.now()
let hiddenAt: number | undefined

for (const event of ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const) {
  globalThis.window?.addEventListener(event, () => void (lastInputAt = Date.now()), { capture: true, passive: true })
}
globalThis.document?.addEventListener('visibilitychange', () => {
  hiddenAt = document.visibilityState === 'hidden' ? Date.now() : undefined
})

/** Whether a user is at this tab: sees it, and has done something lately. */
export function useIsHere(): boolean {
  return useSyncExternalStore(subscribe, isHere)
}

/** Milliseconds since the last input; infinite while the tab is hidden. */
export function idleMs(): number {
  return hiddenAt === undefined ? Date.now() - lastInputAt : Number.POSITIVE_INFINITY
}

function isHere(): boolean {
  const now = Date.now()
  return now - lastInputAt < AWAY_AFTER_MS && (hiddenAt === undefined || now - hiddenAt < HIDDEN_AFTER_MS)
}

function subscribe(onChange: () => void): () => void {
  const timer = setInterval(onChange, LOOK_EVERY_MS)
  document.addEventListener('visibilitychange', onChange)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', onChange)
  }
}
