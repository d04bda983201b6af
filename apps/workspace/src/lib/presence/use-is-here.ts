import { useSyncExternalStore } from 'react'

/** Idle time in ms after which a user no longer counts as present. */
const AWAY_AFTER_MS = 5 * 60_000
/** The same for a hidden tab, because looking something up elsewhere is not leaving. */
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

/** Whether the user is at this tab: visible with recent input. */
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
