import type { Transaction } from '@holdfast/postgres'

/**
 * Runs `body` in a transaction that is rolled back.
 *
 * @param transaction - runs a body in a transaction, which an error rolls back
 */
export async function rolledBack<T>(
  transaction: (body: (tx: Transaction) => Promise<never>) => Promise<unknown>,
  body: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const results: T[] = []
  const done = new Error('rolled back')
  try {
    await transaction(async (tx) => {
      results.push(await body(tx))
      throw done
    })
  } catch (error) {
    if (error !== done) throw error
  }
  return results[0] as T
}
