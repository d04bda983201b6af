import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
import { requireCaller } from '@holdfast/http'
import type { PoolShare } from '@holdfast/postgres'
import { CHECK_PATH, type CheckLine } from '@holdfast/protocol'
import type { ActivePlan } from '../buckets/active-plan.ts'
import { answerCheck } from '../check/answer-check.ts'
import type { CheckAdmission } from '../check/check-admission.ts'
import { parseCheck } from '../check/parse-check.ts'
import { missingSubject, notReady } from '../errors.ts'
import { CHECK_TIMEOUT_MS } from '../limits.ts'

export interface CheckRouteOptions {
  /** Connects as `authenticator`. */
  readonly share: PoolShare
  readonly active: () => ActivePlan | undefined
  readonly underWay: CheckAdmission
  /** @throws {HoldfastError} while the plan is not served */
  readonly requireReady: () => void
  readonly logger: Logger
}

/** `POST /sync/v1/check`: returns sums and digests of what Postgres shows the caller, for a device to compare with its own data. */
export function checkRoutes({ share, active, underWay, requireReady, logger }: CheckRouteOptions): FastifyPluginAsync {
  return async (app) => {
    app.post(CHECK_PATH, async (request, reply) => {
      const { role, userId, claims } = requireCaller(request)
      if (userId === undefined) throw missingSubject()
      requireReady()
      const plan = active()
      if (!plan) throw notReady()
      const questions = parseCheck(request.body)
      const leave = underWay.enter(userId)
      const signal = AbortSignal.any([goneSignal(reply), AbortSignal.timeout(CHECK_TIMEOUT_MS)])
      const out = new PassThrough()
      const write = async (line: CheckLine): Promise<void> => {
        if (!out.write(`${JSON.stringify(line)}\n`)) await once(out, 'drain', { signal })
      }
      const pool = share.for({ userKey: userId, signal })
      reply.headers({ 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
      void answerCheck(pool, plan, { role, claims }, questions, write, signal)
        .then(
          () => out.end(),
          (error: unknown) => {
            if (!signal.aborted) logger.log('warn', 'a device could not be checked', { reason: errorMessage(error) })
            out.destroy(error as Error) // the missing last line tells the device
          },
        )
        .finally(leave)
      return reply.send(out)
    })
  }
}

function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new HoldfastError('connection_closed', 499, 'The client went away'))
  })
  return gone.signal
}
