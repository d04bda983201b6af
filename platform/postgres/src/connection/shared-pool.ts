import { Semaphore, type GroupLimits } from '@holdfast/foundation'
import type { Connections, Pool } from './pool.ts'

/** User on whose behalf connections are used. */
export interface Requester {
  /** `undefined` for the server's own work, or a trusted backend. */
  readonly userKey: string | undefined
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
  /** Keys are the persons of {@link Requester}. */
  readonly shares: Readonly<Record<Name, GroupLimits>>
  /** Wait in ms for a connection. */
  readonly acquireTimeoutMs?: number
}

/** No connection came free in time. Callers know the message from the driver's pool. */
class QueueTimeout extends Error {
  override readonly name = 'QueueTimeout'

  constructor() {
    super('timeout exceeded when trying to connect: all connections of this share are in use')
  }
}

/** Divides a pool among services and their users. All uses must go through its shares; otherwise the pool's own FIFO queue decides. */
export function sharePool<Name extends string>(pool: Pool, options: ShareOptions<Name>): SharedPool<Name> {
  const semaphore = new Semaphore<Name>({
    permits: options.connectionsMax,
    groups: options.shares,
    leavesRoom: true,
    refuse: () => new QueueTimeout(),
  })
  const timeoutMs = options.acquireTimeoutMs ?? 10_000

  function connections(group: Name, { userKey, signal }: Requester): Connections {
    const request = { group, key: userKey, signal, timeoutMs }
    return {
      roleSettings: pool.roleSettings,
      query: (statement) => semaphore.run(request, () => pool.query(statement)),
      execute: (statement) => semaphore.run(request, () => pool.execute(statement)),
      transaction: (body) => semaphore.run(request, () => pool.transaction(body)),
      withClient: (body) => semaphore.run(request, () => pool.withClient(body)),
    }
  }

  return {
    share: (name) => ({ for: (requester) => connections(name, requester) }),
    get waiting() {
      return semaphore.usage().waiting
    },
  }
}
