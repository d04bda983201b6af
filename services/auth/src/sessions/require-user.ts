import type { FastifyRequest } from 'fastify'
import { requireCaller } from '@holdfast/http'
import type { AuthContext } from '../context.ts'
import {
  invalidClaim,
  missingSubject,
  noAuthorization,
  notThePersonsOwnClient,
  sessionNotFound,
  userBanned,
  userNotFound,
} from '../errors.ts'
import type { SessionRow } from './session-row.ts'
import { findUserById, isBanned, type UserRow } from '../users/user-row.ts'
import { findUserWithSession } from './user-with-session.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The person behind a request, and the session of their token unless another issuer signed it. */
export interface Signer {
  readonly user: UserRow
  readonly session: SessionRow | undefined
}

/**
 * A token proves who a person was when it was made. Here the user and the session have to be there still.
 *
 * @throws {HoldfastError} `no_authorization`, `bad_jwt`, `user_not_found`, `session_not_found`, `user_banned`
 */
export async function requireUser(context: AuthContext, request: FastifyRequest): Promise<Signer> {
  const { userId, claims } = requireCaller(request)
  if (userId === undefined) throw request.headers.authorization === undefined ? noAuthorization() : missingSubject()
  if (!UUID.test(userId)) throw invalidClaim('sub')
  const sessionId = claims['session_id']
  if (sessionId !== undefined && !(typeof sessionId === 'string' && UUID.test(sessionId)))
    throw invalidClaim('session_id')

  const found = await find(context, userId, sessionId)
  if (!found) throw userNotFound()
  const { user, session } = found
  if (sessionId !== undefined && session?.user_id !== userId) throw sessionNotFound()
  if (isBanned(user, context.clock.now())) throw userBanned(403)
  return { user, session }
}

/**
 * The person in their own client: an app that they signed in to reads and writes for them, but does not change how they sign in.
 *
 * @throws {HoldfastError} as {@link requireUser}; `insufficient_scope` (403) for the token of an app
 */
export async function requirePerson(context: AuthContext, request: FastifyRequest): Promise<Signer> {
  const signer = await requireUser(context, request)
  if (signer.session && signer.session.oauth_client_id !== null) throw notThePersonsOwnClient()
  return signer
}

async function find(context: AuthContext, userId: string, sessionId: string | undefined): Promise<Signer | undefined> {
  if (sessionId !== undefined) return findUserWithSession(context.pool, userId, sessionId)
  const user = await findUserById(context.pool, userId)
  return user && { user, session: undefined }
}
