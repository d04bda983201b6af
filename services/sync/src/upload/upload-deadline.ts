import type { Connections, Transaction } from '@holdfast/postgres'
import { sql } from '@holdfast/postgres'
import { uploadAbandoned, uploadTakesTooLong } from './errors.ts'
import { ABANDONED_GRACE_MS } from './limits.ts'

/** Decides how long a transaction may be judged. */
export interface UploadDeadline {
  /**
   * Call between two statements.
   *
   * @throws {HoldfastError} if the client has disconnected or the time is up
   */
  check(): void
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
}

/** @param now - a monotonic clock in ms */
export function startDeadline(signal: AbortSignal, timeoutMs: number, now: () => number): UploadDeadline {
  const endMs = now() + timeoutMs
  return {
    signal,
    check() {
      if (signal.aborted) throw uploadAbandoned()
      if (now() > endMs) throw uploadTakesTooLong('The transaction', timeoutMs)
    },
  }
}

/**
 * Frees a transaction's connection soon after its client has disconnected. If the transaction does not stop between two statements, Postgres terminates it, so
 * neither a long statement nor a lock keeps the connection.
 *
 * @param admin - may terminate connections of other roles
 */
export async function endWhenAbandoned<T>(
  tx: Pick<Transaction, 'client'>,
  { signal }: UploadDeadline,
  admin: Connections,
  body: () => Promise<T>,
): Promise<T> {
  let ending: Promise<unknown> | undefined
  let grace: NodeJS.Timeout | undefined
  const end = (): void => {
    ending = endBackend(tx, admin)
  }
  const onAbort = (): void => void (grace = setTimeout(end, ABANDONED_GRACE_MS))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await body()
  } finally {
    signal.removeEventListener('abort', onAbort)
    clearTimeout(grace)
    // The connection returns to the pool only once the backend is gone; otherwise the termination would hit its next user.
    await ending
  }
}

/** Waits until the backend is gone. If that fails, the statement's own timeout ends it. */
async function endBackend(tx: Pick<Transaction, 'client'>, admin: Connections): Promise<void> {
  const { processID: pid } = tx.client as unknown as { readonly processID: number }
  await admin.query(sql`select pg_terminate_backend(${pid}, 5000)`).catch(() => undefined)
}
