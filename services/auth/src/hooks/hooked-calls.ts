import type { FastifyInstance } from 'fastify'
import { Semaphore } from '@holdfast/foundation'
import { hooksBusy } from './errors.ts'
import { HOOKED_CALLS_MAX, HOOKED_CALL_WAIT_MS } from '../limits.ts'

/** Limits calls that may hold a connection while a hook runs. */
export interface HookedCalls {
  /**
   * Runs a call within the limit. Some connections always stay free for calls without hooks, and one address never holds more slots than it
   * leaves free.
   *
   * @param address - of the client; `undefined` for the server's own work
   * @throws {HoldfastError} `hook_timeout`, 503, after waiting too long
   */
  run<T>(address: string | undefined, body: () => Promise<T>): Promise<T>
}

/** @param isNeeded - whether any hook is configured */
export function limitHookedCalls(isNeeded: boolean): HookedCalls {
  if (!isNeeded) return { run: (_address, body) => body() }
  const semaphore = new Semaphore({ permits: HOOKED_CALLS_MAX, leavesRoom: true, refuse: hooksBusy })
  return { run: (key, body) => semaphore.run({ key, timeoutMs: HOOKED_CALL_WAIT_MS }, body) }
}

/**
 * Applies the limit to the requests of this scope.
 *
 * @param which - `writes` if GET requests call no hook
 */
export function admitHookedCalls(
  app: FastifyInstance,
  calls: HookedCalls,
  which: 'everything' | 'writes' = 'everything',
): void {
  app.addHook('onRoute', (route) => {
    if (which === 'writes' && (route.method === 'GET' || route.method === 'HEAD')) return
    const { handler } = route
    route.handler = function admitted(request, reply) {
      return calls.run(request.ip, async () => handler.call(this, request, reply))
    }
  })
}
