import { createFairQueue, type ShareLimits } from './fair-queue.ts'
import type { Connections, Pool } from './pool.ts'

/** The person on whose behalf connections are used. */
export interface Requester {
  /** `undefined` for work of the server itself, or of a backend that is trusted with all of the share. */
  readonly person: string | undefined
  /** Aborts when the result is no longer wanted. It ends waiting for a connection, not what runs on one. */
  readonly signal?: AbortSignal | undefined
}

/** The part of a pool that one service has. */
export interface PoolShare {
  /** The connections as one person may use them: each use waits for its turn. Never to be used inside another use: two could wait for each other. */
  for(requester: Requester): Connections
}

export interface SharedPool<Name extends string> {
  share(name: Name): PoolShare
  /** Callers that wait for their turn. */
  readonly waiting: number
}

export interface ShareOptions<Name extends string> {
  /** As many as the pool has. */
  readonly connectionsMax: number
  readonly shares: Readonly<Record<Name, ShareLimits>>
  /** How long a caller waits for a connection, in milliseconds. */
  readonly acquireTimeoutMs?: number
}

/**
 * Divides a pool between services and the people who use them. All uses of the pool have to go through its shares, else the pool's own queue, which is
 * first come first served, decides.
 */
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
