import type { FastifyInstance } from 'fastify'
import { createFairQueue, QueueTimeout } from '@holdfast/postgres'
import { hooksBusy } from './errors.ts'
import { HOOKED_CALLS_MAX, HOOKED_CALL_WAIT_MS } from '../limits.ts'

/** Bounds what may wait for a hook at the same time. */
export interface Turns {
  /**
   * Runs what may hold a connection while a hook is asked. Some connections are always left for what asks none, and one address never has more turns than are
   * left for others.
   *
   * @param address - of the client; `undefined` for work of the server itself
   * @throws {HoldfastError} `hook_timeout`, 503, when it has waited too long
   */
  run<T>(address: string | undefined, body: () => Promise<T>): Promise<T>
}

/** @param isNeeded - whether there are hooks */
export function createTurns(isNeeded: boolean): Turns {
  if (!isNeeded) return { run: (_address, body) => body() }
  const queue = createFairQueue(HOOKED_CALLS_MAX, { hooked: { reserved: 0, max: HOOKED_CALLS_MAX } })
  return {
    async run(address, body) {
      const leave = await queue
        .enter({ share: 'hooked', person: address, timeoutMs: HOOKED_CALL_WAIT_MS })
        .catch((error: unknown) => {
          throw error instanceof QueueTimeout ? hooksBusy() : error
        })
      try {
        return await body()
      } finally {
        leave()
      }
    },
  }
}

/**
 * Lets requests of this scope take turns.
 *
 * @param which - `writes` where GET asks no hook
 */
export function takeTurns(app: FastifyInstance, turns: Turns, which: 'everything' | 'writes' = 'everything'): void {
  app.addHook('onRoute', (route) => {
    if (which === 'writes' && (route.method === 'GET' || route.method === 'HEAD')) return
    const { handler } = route
    route.handler = function inTurn(request, reply) {
      return turns.run(request.ip, async () => handler.call(this, request, reply))
    }
  })
}
