import type { FastifyRequest } from 'fastify'
import { sessionNotFound } from '../errors.ts'
import type { SessionRow } from '../sessions/session-row.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { UserRow } from '../users/user-row.ts'
import { anonymousNotAllowed } from './errors.ts'

/** A permanent user with a session of this server, whose assurance level a second factor can raise. */
export interface FactorSigner {
  readonly user: UserRow
  readonly session: SessionRow
}

/** @throws {HoldfastError} as `requireOwnClient`; `no_authorization` (403) for an anonymous user, `session_not_found` */
export async function requireFactorSigner(sessions: Sessions, request: FastifyRequest): Promise<FactorSigner> {
  const { user, session } = await sessions.requireOwnClient(request)
  if (user.is_anonymous) throw anonymousNotAllowed()
  if (!session) throw sessionNotFound()
  return { user, session }
}
