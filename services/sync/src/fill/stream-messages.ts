import { sql, type Pool } from '@holdfast/postgres'

/** Writes a message into the write-ahead log, which the stream delivers when everything that was committed before has been delivered. */
export async function emitMessage(pool: Pool, prefix: string, content: string): Promise<void> {
  // Flushed with its commit, also where other commits are not: the stream does not show transactions that are not on disk.
  await pool.query(
    sql`select set_config('synchronous_commit', 'on', true), pg_logical_emit_message(true, ${prefix}, ${content})`,
  )
}

/** @throws the reason of the signal if it is aborted before the promise settles */
export async function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  let onAbort = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
