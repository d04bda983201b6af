/** Safari has no requestIdleCallback; there it waits so long instead. Milliseconds. */
const INSTEAD_MS = 500

/** Runs something when the browser has time. */
export function whenIdle(run: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(() => run())
  else setTimeout(run, INSTEAD_MS)
}
