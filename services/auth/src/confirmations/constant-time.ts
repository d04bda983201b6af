import { setImmediate, setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { ANSWER_STEP_MS } from '../limits.ts'

/** Margin in ms before the deadline: a timer may fire slightly more than 1 ms late. */
const TIMER_SLACK_MS = 2

/**
 * Delays every response of this scope, errors included, to a whole number of steps after the request arrived. The work differs slightly for
 * addresses with an account, and by a machine-dependent amount, so dummy work could not hide the difference.
 *
 * @param which - `refusals` if a success reveals the account anyway and need not wait
 */
export function respondInConstantTime(app: FastifyInstance, which: 'everything' | 'refusals' = 'everything'): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    if (which === 'refusals' && reply.statusCode < 400) return payload
    const began = performance.now() - reply.elapsedTime
    const end = began + Math.ceil(reply.elapsedTime / ANSWER_STEP_MS) * ANSWER_STEP_MS
    const waitMs = end - performance.now() - TIMER_SLACK_MS
    if (waitMs > 0) await setTimeout(waitMs)
    // Polls until the exact deadline, because a timer's rounding would reveal the time that this hides.
    while (performance.now() < end) await setImmediate()
    return payload
  })
}
