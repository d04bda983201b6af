import { sql } from '../sql/sql.ts'
import type { Pool, Transaction } from './pool.ts'

/** Runs a pool's transactions within an open one, and rolls each of them back. */
export function withinTransaction(tx: Transaction): Pick<Pool, 'transaction'> {
  return {
    async transaction(body) {
      await tx.execute(sql`savepoint within_transaction`)
      try {
        return await body(tx)
      } finally {
        await tx.execute(sql`rollback to savepoint within_transaction`)
      }
    },
  }
}
