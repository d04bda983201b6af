import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { recordAudit } from '../audit-log.ts'
import { validationFailed } from '../errors.ts'
import { endSessions, type SignOutScope } from '../sessions/end-sessions.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { isoNow, type Store } from '../store.ts'

type Needs = Store & { readonly sessions: Sessions }

const LogoutQuery = Type.Object({ scope: Type.Optional(Type.String()) })

/** `POST /logout?scope=global|local|others`: ends sessions of the signed-in person. Source: GoTrue API reference. */
export function logoutRoute({ pool, clock, sessions }: Needs): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/logout', { schema: { querystring: LogoutQuery } }, async (request, reply) => {
      const { user, session } = await sessions.requireUser(request)
      // An app ends what it was given, and nothing else of the person's.
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
