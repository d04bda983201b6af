import type { Connections, Transaction } from '@holdfast/postgres'
import { sql } from '@holdfast/postgres'
import { uploadAbandoned, uploadTakesTooLong } from './errors.ts'
import { ABANDONED_GRACE_MS } from './limits.ts'

/** Until when a transaction is worth judging. */
export interface Patience {
  /**
   * To be asked between two statements.
   *
   * @throws {HoldfastError} when the client has gone, or the transaction has had its time
   */
  check(): void
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal
}

/** @param now - milliseconds of any clock that does not go back */
export function startPatience(signal: AbortSignal, timeoutMs: number, now: () => number): Patience {
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
 * Frees the connection of a transaction soon after its client has gone: what does not end between two statements by itself is ended by Postgres, so that
 * neither a long statement nor a lock that is waited for holds it.
 *
 * @param admin - may end connections of other roles
 */
export async function endWhenAbandoned<T>(
  tx: Transaction,
  { signal }: Patience,
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
    // Not given back before it is known to be gone: whoever had it next would be hit.
    await ending
  }
}

/** Waits until the backend is gone; otherwise its statement has its own time limit. */
async function endBackend(tx: Transaction, admin: Connections): Promise<void> {
  const { processID: pid } = tx.client as unknown as { readonly processID: number }
  await admin.query(sql`select pg_terminate_backend(${pid}, 5000)`).catch(() => undefined)
}
