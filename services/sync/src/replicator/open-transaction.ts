import type { Pool, Transaction } from '@holdfast/postgres'

/** A transaction that is open across several calls, because the source's transaction is larger than memory should hold. */
export interface OpenTransaction {
  readonly tx: Transaction
  commit(): Promise<void>
  rollback(): Promise<void>
}

export async function openTransaction(pool: Pool): Promise<OpenTransaction> {
  const opened = Promise.withResolvers<Transaction>()
  const finish = Promise.withResolvers<void>()
  const done = pool.transaction(async (tx) => {
    opened.resolve(tx)
    await finish.promise
  })
  done.catch(opened.reject)
  const tx = await opened.promise
  return {
    tx,
    async commit() {
      finish.resolve()
      await done
    },
    async rollback() {
      finish.reject(new Error('given up'))
      await done.catch(() => undefined) // the rejection is the one of the line above, or the connection is gone: rolled back either way
    },
  }
}
