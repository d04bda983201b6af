/** How long a file may stay with a tab that is gone before opening it fails, in milliseconds. Measured: up to 20; busy machines take longer. */
const WAIT_MAX_MS = 10_000
/** Between two attempts, in milliseconds. */
const RETRY_MS = 10

/**
 * Opens a file as soon as no one else has it. SQLite's file system asks for a file only while it holds the file's Web Lock, so a handle that is still open then
 * belongs to a tab that was closed: the browser frees the lock first and the handle a moment later.
 *
 * @throws what `open` throws, at once when it is not that the file is taken, else after ten seconds
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
