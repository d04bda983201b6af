import { sql, type Pool } from '@holdfast/postgres'

/** Writes a message to the write-ahead log. The stream delivers it after everything committed before. */
export async function emitMessage(pool: Pool, prefix: string, content: string): Promise<void> {
  // Flushes at commit even with `synchronous_commit = off`, because the stream delivers only transactions that are on disk.
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
