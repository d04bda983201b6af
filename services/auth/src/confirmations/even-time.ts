import { setImmediate, setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { ANSWER_STEP_MS } from '../limits.ts'

/** Milliseconds before its end in which a timer is not trusted: it may come late by one and a bit. */
const TIMER_SLACK_MS = 2

/**
 * Answers every request of this scope at a whole number of steps after it came in, refusals too. What these requests find out takes a little more
 * or less time for an address with an account; by how much depends on the machine, so that it cannot be made up for with other work.
 *
 * @param which - `refusals` where a success tells everything anyway and should not wait
 */
export function answerInEvenTime(app: FastifyInstance, which: 'everything' | 'refusals' = 'everything'): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    if (which === 'refusals' && reply.statusCode < 400) return payload
    const began = performance.now() - reply.elapsedTime
    const end = began + Math.ceil(reply.elapsedTime / ANSWER_STEP_MS) * ANSWER_STEP_MS
    const waitMs = end - performance.now() - TIMER_SLACK_MS
    if (waitMs > 0) await setTimeout(waitMs)
    // The rest of a timer's last millisecond would tell what it was to hide.
    while (performance.now() < end) await setImmediate()
    return payload
  })
}
