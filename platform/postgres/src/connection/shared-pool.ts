import { createFairQueue, type ShareLimits } from './fair-queue.ts'
import type { Connections, Pool } from './pool.ts'

/** User on whose behalf connections are used. */
export interface Requester {
  /** `undefined` for the server's own work, or a trusted backend. */
  readonly person: string | undefined
  /** Aborts when the result is no longer needed. Ends the wait for a connection, not running statements. */
  readonly signal?: AbortSignal | undefined
}

/** A service's share of a pool. */
export interface PoolShare {
  /** Returns the connections for one user; each use waits for its turn. Must not be nested: two uses could deadlock. */
  for(requester: Requester): Connections
}

export interface SharedPool<Name extends string> {
  share(name: Name): PoolShare
  /** Waiting callers. */
  readonly waiting: number
}

export interface ShareOptions<Name extends string> {
  /** Size of the pool. */
  readonly connectionsMax: number
  readonly shares: Readonly<Record<Name, ShareLimits>>
  /** Wait in ms for a connection. */
  readonly acquireTimeoutMs?: number
}

/** Divides a pool among services and their users. All uses must go through its shares; otherwise the pool's own FIFO queue decides. */
export function sharePool<Name extends string>(pool: Pool, options: ShareOptions<Name>): SharedPool<Name> {
  const queue = createFairQueue(options.connectionsMax, options.shares)
  const timeoutMs = options.acquireTimeoutMs ?? 10_000

  function connections(share: Name, { person, signal }: Requester): Connections {
    const inTurn = async <T>(use: () => Promise<T>): Promise<T> => {
      const leave = await queue.enter({ share, person, signal, timeoutMs })
      try {
        return await use()
      } finally {
        leave()
      }
    }
    return {
      roleSettings: pool.roleSettings,
      query: (statement) => inTurn(() => pool.query(statement)),
      execute: (statement) => inTurn(() => pool.execute(statement)),
      transaction: (body) => inTurn(() => pool.transaction(body)),
      withClient: (body) => inTurn(() => pool.withClient(body)),
    }
  }

  return {
    share: (name) => ({ for: (requester) => connections(name, requester) }),
    get waiting() {
      return queue.waiting
    },
  }
}
