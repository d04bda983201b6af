import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { unlinkIdentity, type UnlinkIdentityNeeds } from '../account/unlink-identity.ts'
import { beginFlow, type BeginFlowNeeds } from '../external/begin-flow.ts'
import { identityIdInvalid, manualLinkingDisabled } from '../identities/errors.ts'
import type { WithOptions } from '../options/auth-options.ts'
import { type RedirectPolicy, redirectOf } from '../redirects/redirect-policy.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { isUuid } from '../store.ts'
import { queryOf } from './authorize.ts'

type Needs = UnlinkIdentityNeeds &
  BeginFlowNeeds &
  WithOptions<'enableManualLinking'> & { readonly redirects: RedirectPolicy; readonly sessions: Sessions }

/**
 * `GET /user/identities/authorize?provider=`, `DELETE /user/identities/:id`: adding and removing one's own ways to sign in, where the
 * project lets people. Source: GoTrue API reference.
 */
export function identityRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  const { options, redirects, sessions } = needs
  return async (app) => {
    app.get('/user/identities/authorize', { exposeHeadRoute: false }, async (request, reply) => {
      const { user } = await sessions.requirePerson(request)
      if (!options.enableManualLinking) throw manualLinkingDisabled()
      const query = queryOf(request)
      const redirectTo = redirectOf(request, redirects)
      const url = await beginFlow(needs, { query, redirectTo, linkingTargetId: user.id })
      void reply.header('cache-control', 'no-store')
      return query.get('skip_http_redirect') === 'true' ? { url } : reply.redirect(url, 302)
    })

    const params = Type.Object({ id: Type.String() })
    app.delete('/user/identities/:id', { schema: { params } }, async (request) => {
      const { user } = await sessions.requirePerson(request)
      if (!options.enableManualLinking) throw manualLinkingDisabled()
      const { id } = request.params
      if (!isUuid(id)) throw identityIdInvalid()
      await unlinkIdentity(needs, { userId: user.id, identityId: id.toLowerCase(), address: request.ip })
      return {}
    })
  }
}
