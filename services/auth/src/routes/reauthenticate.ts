import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { requestReauthentication, type ReauthenticateNeeds } from '../confirmations/reauthenticate.ts'
import type { Sessions } from '../sessions/sessions.ts'

type Needs = ReauthenticateNeeds & { readonly sessions: Sessions }

/** `GET /reauthenticate`: a code that proves that it is still the same person, for a new password. Source: GoTrue API reference. */
export function reauthenticateRoute(needs: Needs): FastifyPluginAsyncTypebox {
  const { sessions } = needs
  return async (app) => {
    // Sends something, so that who only looks must not cause it.
    app.get('/reauthenticate', { exposeHeadRoute: false }, async (request) => {
      const { user } = await sessions.requirePerson(request)
      return requestReauthentication(needs, { user, address: request.ip })
    })
  }
}
