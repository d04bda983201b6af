import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { beginFlow, type BeginFlowNeeds } from '../external/begin-flow.ts'
import type { RateLimits } from '../rate-limits.ts'
import { type RedirectPolicy, redirectOf } from '../redirects/redirect-policy.ts'

type Needs = BeginFlowNeeds & { readonly redirects: RedirectPolicy; readonly limits: Pick<RateLimits, 'verify'> }

/** `GET /authorize?provider=`: sends the browser to an external provider. Source: GoTrue API reference. */
export function authorizeRoute(needs: Needs): FastifyPluginAsyncTypebox {
  const { limits, redirects } = needs
  return async (app) => {
    // A `HEAD` of a person who only looks where a link leads must not begin a flow.
    app.get('/authorize', { exposeHeadRoute: false }, async (request, reply) => {
      limits.verify.take(request.ip)
      const redirectTo = redirectOf(request, redirects)
      const address = await beginFlow(needs, { query: queryOf(request), redirectTo })
      return reply.header('cache-control', 'no-store').redirect(address, 302)
    })
  }
}

/** The query as it was sent, with the parameters passed on to the provider. */
export function queryOf(request: FastifyRequest): URLSearchParams {
  return new URLSearchParams(request.url.split('?').slice(1).join('?'))
}
