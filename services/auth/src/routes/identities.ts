import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { AuthContext } from '../context.ts'
import { beginFlow } from '../external/begin-flow.ts'
import { identityIdInvalid, manualLinkingDisabled } from '../identities/errors.ts'
import { unlinkIdentity } from '../account/unlink-identity.ts'
import { redirectOf } from '../redirects/redirect-of-request.ts'
import { requirePerson } from '../sessions/require-user.ts'
import { queryOf } from './authorize.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * `GET /user/identities/authorize?provider=`, `DELETE /user/identities/:id`: adding and removing one's own ways to sign in, where the
 * project lets people. Source: GoTrue API reference.
 */
export function identityRoutes(context: AuthContext): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/user/identities/authorize', { exposeHeadRoute: false }, async (request, reply) => {
      const { user } = await requirePerson(context, request)
      if (!context.options.enableManualLinking) throw manualLinkingDisabled()
      const query = queryOf(request)
      const redirectTo = redirectOf(request, context.redirects)
      const url = await beginFlow(context, { query, redirectTo, linkingTargetId: user.id })
      void reply.header('cache-control', 'no-store')
      return query.get('skip_http_redirect') === 'true' ? { url } : reply.redirect(url, 302)
    })

    const params = Type.Object({ id: Type.String() })
    app.delete('/user/identities/:id', { schema: { params } }, async (request) => {
      const { user } = await requirePerson(context, request)
      if (!context.options.enableManualLinking) throw manualLinkingDisabled()
      const { id } = request.params
      if (!UUID.test(id)) throw identityIdInvalid()
      await unlinkIdentity(context, { userId: user.id, identityId: id.toLowerCase(), address: request.ip })
      return {}
    })
  }
}
