/** Longest wait in ms for a file held by a closed tab. Measured: up to 20; more on busy machines. */
const WAIT_MAX_MS = 10_000
/** Delay in ms between attempts. */
const RETRY_MS = 10

/**
 * Opens a file once it is free. SQLite's VFS opens a file only while holding its Web Lock, so another open handle belongs to a closed tab: the browser releases
 * the lock slightly before the handle.
 *
 * @throws errors of `open`: immediately if the file is not busy, otherwise after ten seconds
 */
export async function openWhenFree<Handle>(
  open: () => Promise<Handle>,
  now: () => number = () => performance.now(),
): Promise<Handle> {
  const deadline = now() + WAIT_MAX_MS
  for (;;) {
    try {
      return await open()
    } catch (error) {
      if (!isTaken(error) || now() >= deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'NoModificationAllowedError'
}
