import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { requestReauthentication } from '../confirmations/reauthenticate.ts'
import type { AuthContext } from '../context.ts'
import { requirePerson } from '../sessions/require-user.ts'

/** `GET /reauthenticate`: a code that proves that it is still the same person, for a new password. Source: GoTrue API reference. */
export function reauthenticateRoute(context: AuthContext): FastifyPluginAsyncTypebox {
  return async (app) => {
    // Sends something, so that who only looks must not cause it.
    app.get('/reauthenticate', { exposeHeadRoute: false }, async (request) => {
      const { user } = await requirePerson(context, request)
      return requestReauthentication(context, { user, address: request.ip })
    })
  }
}
