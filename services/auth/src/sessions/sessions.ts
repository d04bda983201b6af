import type { FastifyRequest } from 'fastify'
import { assert } from '@holdfast/foundation'
import { requireCaller } from '@holdfast/http'
import type { Transaction } from '@holdfast/postgres'
import {
  invalidClaim,
  missingSubject,
  noAuthorization,
  notOwnClient,
  sessionNotFound,
  userBanned,
  userNotFound,
} from '../errors.ts'
import { type Store, isUuid } from '../store.ts'
import type { AccessTokens } from '../tokens/access-tokens.ts'
import { findUserById, isBanned, type UserRow } from '../users/user-row.ts'
import { createSession, type NewSession } from './create-session.ts'
import type { SignedIn } from './render-session.ts'
import type { SessionRow } from './session-row.ts'
import { findUserWithMethods, findUserWithSession } from './user-with-session.ts'

/** The user of a request, and the token's session unless another issuer signed it. */
export interface Signer {
  readonly user: UserRow
  readonly session: SessionRow | undefined
}

/** Starts sessions and finds the session of a request. */
export interface Sessions {
  /** Starts a session for an authenticated user and issues its first tokens. */
  start(tx: Transaction, session: NewSession): Promise<SignedIn>
  /**
   * Returns the user and session of the token, and requires that both still exist.
   *
   * @throws {HoldfastError} `no_authorization`, `bad_jwt`, `user_not_found`, `session_not_found`, `user_banned`
   */
  requireUser(request: FastifyRequest): Promise<Signer>
  /**
   * Like {@link requireUser}, but requires the user's own client. Another app can read and write for the user but cannot change how they
   * sign in.
   *
   * @throws {HoldfastError} as {@link requireUser}; `insufficient_scope` (403) for the token of an app
   */
  requireOwnClient(request: FastifyRequest): Promise<Signer>
}

export function createSessions(needs: Store & { readonly accessTokens: AccessTokens }): Sessions {
  const { pool, clock, accessTokens } = needs

  async function requireUser(request: FastifyRequest): Promise<Signer> {
    const { userId, claims } = requireCaller(request)
    if (userId === undefined) throw request.headers.authorization === undefined ? noAuthorization() : missingSubject()
    if (!isUuid(userId)) throw invalidClaim('sub')
    const sessionId = claims['session_id']
    if (sessionId !== undefined && !(typeof sessionId === 'string' && isUuid(sessionId)))
      throw invalidClaim('session_id')
    const found = await find(userId, sessionId)
    if (!found) throw userNotFound()
    const { user, session } = found
    if (sessionId !== undefined && session?.user_id !== userId) throw sessionNotFound()
    if (isBanned(user, clock.now())) throw userBanned(403)
    return { user, session }
  }

  async function find(userId: string, sessionId: string | undefined): Promise<Signer | undefined> {
    if (sessionId !== undefined) return findUserWithSession(pool, userId, sessionId)
    const user = await findUserById(pool, userId)
    return user && { user, session: undefined }
  }

  return {
    requireUser,
    async requireOwnClient(request) {
      const signer = await requireUser(request)
      if (signer.session && signer.session.oauth_client_id !== null) throw notOwnClient()
      return signer
    },
    async start(tx, input) {
      const { sessionId, refreshToken, notAfter } = await createSession(tx, input)
      const found = await findUserWithMethods(tx, input.userId, sessionId)
      assert(found, 'the session refers to the user')
      const { user, methods: amr } = found
      const access = await accessTokens.issue(tx, {
        user,
        sessionId,
        aal: 'aal1',
        amr,
        method: input.method,
        oauthClientId: input.oauthClient?.id,
        scopes: input.oauthClient?.scopes,
        notAfter,
        address: input.origin.address,
      })
      return { user, access, refreshToken }
    },
  }
}
