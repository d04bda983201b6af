import type { FastifyPluginAsync } from 'fastify'
import { HoldfastError, type Logger, Semaphore } from '@holdfast/foundation'
import type { Caller } from '@holdfast/http'
import type { PoolShare } from '@holdfast/postgres'
import { answerRefusals, fieldsOf, requireUser } from '../workspaces/app-routes.ts'
import { TRIES_AT_ONCE, TRY_BYTES_MAX } from './limits.ts'
import { reasonOf } from './reason-of.ts'
import { tryAutomation } from './try-automation.ts'

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Hints of the functions for automations, which are the codes of refusals. */
const HINTS = /^(?:automation|access|people)\.[a-z_]+$/

/**
 * `POST /app/v1/automation-try` with `{workspace, config, record}` and an admin's token: what an automation would do for a record, or with null as one that runs once; nothing is kept. Answers
 * {@link Tried}, or a refusal as `{code, message}`: 400 `invalid_request` or the hint of `holdfast.save_automation`, 401, 403 `people.not_admin`, 429 `busy`: one
 * request of a user at a time.
 */
export function tryRoutes(options: {
  readonly share: PoolShare
  /** @throws {HoldfastError} for a token that is not valid or whose session has ended */
  readonly readCaller: (token: string) => Promise<Caller>
  readonly logger: Logger
}): FastifyPluginAsync {
  const { share, readCaller, logger } = options
  const busy = (): HoldfastError =>
    new HoldfastError('busy', 429, 'The server is busy. Try again in a moment.', { headers: { 'retry-after': '2' } })
  const requests = new Semaphore({ permits: TRIES_AT_ONCE, perKeyMax: 1, waitingMax: 0, refuse: busy })
  return async (app) => {
    answerRefusals(app, logger, 'the automation was not tried')
    app.post('/app/v1/automation-try', { bodyLimit: TRY_BYTES_MAX }, async (request, reply) => {
      const { caller, userId: userKey } = await requireUser(request, readCaller)
      const body = fieldsOf(request)
      const asked = {
        workspace: readUuid(body, 'workspace'),
        config: body['config'],
        record: body['record'] === null ? null : readUuid(body, 'record'),
      }
      const session = { role: caller.role, claims: caller.claims }
      const answer = await requests.run({ key: userKey }, () =>
        tryAutomation(share.for({ userKey }), session, asked).catch(refuse),
      )
      return await reply.header('cache-control', 'no-store').send(answer)
    })
  }
}

function refuse(error: unknown): never {
  const reason = reasonOf(error)
  if (!HINTS.test(reason) || reason === 'automation.failed') throw error
  throw new HoldfastError(reason, reason === 'people.not_admin' ? 403 : 400, (error as Error).message)
}

function readUuid(fields: Readonly<Record<string, unknown>>, field: string): string {
  const given = fields[field]
  if (typeof given === 'string' && UUID.test(given)) return given
  throw new HoldfastError('invalid_request', 400, `"${field}" must be an id.`)
}
