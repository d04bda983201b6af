import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { recordAudit } from '../audit-log.ts'
import { noSuchSession, validationFailed } from '../errors.ts'
import type { WithOptions } from '../options/auth-options.ts'
import { renderOwnSessions } from '../sessions/render-session.ts'
import { findSessionsOfUser, judgeSession, endSessions, type SignOutScope } from '../sessions/session-row.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { isoNow, type Store } from '../store.ts'

type Needs = Store & WithOptions<'sessionsInactivityTimeout' | 'sessionsTimebox'> & { readonly sessions: Sessions }

const SessionParams = Type.Object({ session_id: Type.String({ format: 'uuid' }) })

/**
 * `GET /user/sessions`, `DELETE /user/sessions/:session_id`: lists and ends the user's sessions. Not part of GoTrue, where users can end only
 * all sessions, the current one or all others.
 */
export function ownSessionRoutes({ pool, clock, options, sessions }: Needs): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/user/sessions', async (request) => {
      const { user, session: own } = await sessions.requireOwnClient(request)
      const live = (await findSessionsOfUser(pool, user.id)).filter(
        (session) => judgeSession(session, options, clock.now()) === undefined,
      )
      return renderOwnSessions(pool, live, own?.id)
    })

    app.delete('/user/sessions/:session_id', { schema: { params: SessionParams } }, async (request, reply) => {
      const { user } = await sessions.requireOwnClient(request)
      const sessionId = request.params.session_id
      const now = isoNow(clock)
      await pool.transaction(async (tx) => {
        const ended = await endSessions(tx, { userId: user.id, sessionId, scope: 'local' })
        if (ended === 0) throw noSuchSession()
        await recordAudit(tx, { action: 'logout', actor: user, address: request.ip, now })
      })
      return reply.code(204).send()
    })
  }
}

const LogoutQuery = Type.Object({ scope: Type.Optional(Type.String()) })

/** `POST /logout?scope=global|local|others`: ends sessions of the signed-in user. Source: GoTrue API reference. */
export function logoutRoute({ pool, clock, sessions }: Needs): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/logout', { schema: { querystring: LogoutQuery } }, async (request, reply) => {
      const { user, session } = await sessions.requireUser(request)
      // An app can end only the session granted to it.
      const scope = session?.oauth_client_id ? 'local' : parseScope(request.query.scope)
      const now = isoNow(clock)
      await pool.transaction(async (tx) => {
        await recordAudit(tx, { action: 'logout', actor: user, address: request.ip, now })
        await endSessions(tx, { userId: user.id, sessionId: session?.id, scope })
      })
      return reply.code(204).send()
    })
  }
}

function parseScope(text: string | undefined): SignOutScope {
  if (text === undefined || text === '') return 'global'
  if (text === 'global' || text === 'local' || text === 'others') return text
  throw validationFailed(`Unsupported logout scope ${JSON.stringify(text)}`)
}
