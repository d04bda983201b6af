/**
 * Resolves in the next turn of the event loop, after pending I/O. Long-running work awaits it regularly so that other requests and their queries can proceed.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
