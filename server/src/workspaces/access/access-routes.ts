import type { FastifyPluginAsync } from 'fastify'
import { HoldfastError, type Logger, Semaphore } from '@holdfast/foundation'
import type { Caller } from '@holdfast/http'
import type { Pool, PoolShare } from '@holdfast/postgres'
import { answerRefusals, fieldsOf, requireUser } from '../app-routes.ts'
import { AT_ONCE_MAX, REQUEST_BYTES_MAX } from './limits.ts'
import { previewAccess } from './preview-access.ts'
import { seeAs, type SeeAsNeeds } from './see-as.ts'

export interface AccessRoutesOptions {
  /** The part of the request connections that these routes may use. */
  readonly share: PoolShare
  /** Connected as the project. */
  readonly pool: Pool
  readonly claimsOf: SeeAsNeeds['claimsOf']
  /** @throws {HoldfastError} for a token that is not valid or whose session has ended */
  readonly readCaller: (token: string) => Promise<Caller>
  readonly logger: Logger
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Hints of the functions for rules, which are the codes of refusals. */
const HINTS = /^(?:access|people|new_table)\.[a-z_]+$/

/**
 * `POST /app/v1/see-as` with `{workspace, member, table?}` and an admin's token: what a member sees of the workspace. Answers {@link SeenAs}.
 *
 * `POST /app/v1/access-preview` with `{workspace, table, rules}` and an admin's token: what rules would change. Answers {@link AccessPreview}.
 *
 * Both answer refusals as `{code, message}`: 400 `invalid_request` or the hint of `holdfast.set_access`, 401, 403 `not_admin`, `people.not_admin`,
 * 404 `member_not_found`, `table_not_found`, 429 `busy`: one request of a user at a time.
 */
export function accessRoutes(options: AccessRoutesOptions): FastifyPluginAsync {
  const { share, pool, claimsOf } = options
  const busy = (): HoldfastError =>
    new HoldfastError('busy', 429, 'The server is busy. Try again in a moment.', { headers: { 'retry-after': '2' } })
  const requests = new Semaphore({ permits: AT_ONCE_MAX, perKeyMax: 1, waitingMax: 0, refuse: busy })
  return async (app) => {
    answerRefusals(app, options.logger, 'the access was not read')
    app.post('/app/v1/see-as', { bodyLimit: REQUEST_BYTES_MAX }, async (request, reply) => {
      const { caller, userId: userKey } = await requireUser(request, options.readCaller)
      const session = { role: caller.role, claims: caller.claims }
      const body = fieldsOf(request)
      const asked = {
        workspace: readUuid(body, 'workspace'),
        member: readUuid(body, 'member'),
        table: body['table'] === undefined ? undefined : readName(body, 'table'),
      }
      const needs = { connections: share.for({ userKey }), project: pool, claimsOf }
      const answer = await requests.run({ key: userKey }, () => seeAs(needs, session, asked))
      return await reply.header('cache-control', 'no-store').send(answer)
    })
    app.post('/app/v1/access-preview', { bodyLimit: REQUEST_BYTES_MAX }, async (request, reply) => {
      const { caller, userId: userKey } = await requireUser(request, options.readCaller)
      const session = { role: caller.role, claims: caller.claims }
      const body = fieldsOf(request)
      const asked = {
        workspace: readUuid(body, 'workspace'),
        table: readName(body, 'table'),
        rules: body['rules'] ?? null,
      }
      const needs = { connections: share.for({ userKey }), project: pool }
      const answer = await requests.run({ key: userKey }, () => previewAccess(needs, session, asked).catch(refuse))
      return await reply.header('cache-control', 'no-store').send(answer)
    })
  }
}

function refuse(error: unknown): never {
  const { hint, code, message } = error as {
    readonly hint?: unknown
    readonly code?: unknown
    readonly message: string
  }
  if (typeof hint !== 'string' || !HINTS.test(hint)) throw error
  throw new HoldfastError(hint, code === '42501' ? 403 : 400, message)
}

function readUuid(fields: Readonly<Record<string, unknown>>, field: string): string {
  const given = fields[field]
  if (typeof given === 'string' && UUID.test(given)) return given
  throw new HoldfastError('invalid_request', 400, `"${field}" must be an id.`)
}

function readName(fields: Readonly<Record<string, unknown>>, field: string): string {
  const given = fields[field]
  if (typeof given === 'string' && given.length > 0 && given.length < 64 && !given.includes('\0')) return given
  throw new HoldfastError('invalid_request', 400, `"${field}" must be the name of a table.`)
}
