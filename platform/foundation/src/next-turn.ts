/**
 * Resolves in the next turn of the event loop, once what has arrived was read. Long work that awaits it now and then delays nobody else, and what others asked of
 * Postgres goes on beside it.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
