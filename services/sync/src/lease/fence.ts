import { HoldfastError } from '@holdfast/foundation'
import { sql, sqlstateOf, type Pool, type Transaction } from '@holdfast/postgres'

/** Keeps a process that has lost the lease from writing the log. */
export interface Fence {
  /** Epoch for the lease holder's writes; `undefined` while another process has the lease. */
  epoch: number | undefined
  /**
   * A pool whose transactions and executed statements fail while another process has the lease. Queries and lent clients are not fenced: their writes must
   * include the epoch.
   */
  readonly pool: Pool
}

/** This process does not have the lease, so the holder will write the data. */
export function leaseLost(): HoldfastError {
  return new HoldfastError('sync_lease_lost', 503, 'Another process has taken over the operation log.')
}

/** SQLSTATE raised by `sync.assert_lease`. */
const LEASE_LOST = 'HFL01'

/** Whether a write failed because another process has the lease. */
export function isLeaseLost(error: unknown): boolean {
  return (error instanceof HoldfastError && error.code === 'sync_lease_lost') || sqlstateOf(error) === LEASE_LOST
}

export function createFence(pool: Pool): Fence {
  async function transaction<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
    const { epoch } = fence
    if (epoch === undefined) throw leaseLost()
    return pool.transaction(async (tx) => {
      await tx.query(sql`select sync.assert_lease(${epoch})`)
      return body(tx)
    })
  }

  const fence: Fence = {
    epoch: undefined,
    pool: {
      query: (statement) => pool.query(statement),
      execute: (statement) => transaction((tx) => tx.execute(statement)),
      transaction,
      withClient: (body) => pool.withClient(body),
      usage: () => pool.usage(),
      [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
    },
  }
  return fence
}
