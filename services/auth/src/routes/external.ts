import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
import { unlinkIdentity, type UnlinkIdentityNeeds } from '../account/unlink-identity.ts'
import { beginFlow, type BeginFlowNeeds } from '../external/begin-flow.ts'
import { finishFlow, type FinishFlowNeeds } from '../external/finish-flow.ts'
import { renderFlowEnd } from '../external/render-flow-end.ts'
import { identityIdInvalid, manualLinkingDisabled } from '../identities/errors.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import type { WithOptions } from '../options/auth-options.ts'
import type { RateLimits } from '../rate-limits.ts'
import { redirectOf } from '../redirects/redirect-policy.ts'
import { originOf } from '../request-origin.ts'
import { isUuid } from '../store.ts'

type Needs = UnlinkIdentityNeeds &
  BeginFlowNeeds &
  FinishFlowNeeds &
  WithOptions<'enableManualLinking'> & { readonly logger: Logger; readonly limits: Pick<RateLimits, 'verify'> }

/** `GET /authorize?provider=`: redirects to an external provider. Source: GoTrue API reference. */
export function authorizeRoute(needs: Needs): FastifyPluginAsyncTypebox {
  const { limits, redirects } = needs
  return async (app) => {
    // A `HEAD` request that only inspects a link must not start a flow.
    app.get('/authorize', { exposeHeadRoute: false }, async (request, reply) => {
      await limits.verify.take(request.ip)
      const redirectTo = redirectOf(request, redirects)
      const address = await beginFlow(needs, { query: queryOf(request), redirectTo })
      return reply.header('cache-control', 'no-store').redirect(address, 302)
    })
  }
}

/** Returns the original query, including parameters to be passed to the provider. */
export function queryOf(request: FastifyRequest): URLSearchParams {
  return new URLSearchParams(request.url.split('?').slice(1).join('?'))
}

/**
 * `GET /user/identities/authorize?provider=`, `DELETE /user/identities/:id`: links and unlinks the user's identities, if the project allows
 * it. Source: GoTrue API reference.
 */
export function identityRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  const { options, redirects, sessions } = needs
  return async (app) => {
    app.get('/user/identities/authorize', { exposeHeadRoute: false }, async (request, reply) => {
      const { user } = await sessions.requireOwnClient(request)
      if (!options.enableManualLinking) throw manualLinkingDisabled()
      const query = queryOf(request)
      const redirectTo = redirectOf(request, redirects)
      const url = await beginFlow(needs, { query, redirectTo, linkingTargetId: user.id })
      void reply.header('cache-control', 'no-store')
      return query.get('skip_http_redirect') === 'true' ? { url } : reply.redirect(url, 302)
    })

    const params = Type.Object({ id: Type.String() })
    app.delete('/user/identities/:id', { schema: { params } }, async (request) => {
      const { user } = await sessions.requireOwnClient(request)
      if (!options.enableManualLinking) throw manualLinkingDisabled()
      const { id } = request.params
      if (!isUuid(id)) throw identityIdInvalid()
      await unlinkIdentity(needs, { userId: user.id, identityId: id.toLowerCase(), address: request.ip })
      return {}
    })
  }
}

/**
 * `GET /callback`, `POST /callback` (Apple posts a form): receives users from a provider. Every response is a redirect, because the client is
 * a browser. Source: GoTrue API reference.
 */
export function callbackRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  const { logger, redirects } = needs
  return async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
      done(null, new URLSearchParams(String(body)))
    })

    const answer = async (request: FastifyRequest, reply: FastifyReply, callback: URLSearchParams) => {
      const end = await finishFlow(needs, { callback, origin: originOf(request) })
      if ('error' in end && end.kind !== 'refused') logFailure(logger, request, end.error)
      const { status, location } = renderFlowEnd(end, redirects.siteUrl)
      void reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
      return reply.redirect(location, status)
    }
    app.get('/callback', { exposeHeadRoute: false }, async (request, reply) => answer(request, reply, queryOf(request)))
    app.post('/callback', { bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
      return answer(request, reply, form)
    })
  }
}

/** Logs the reason of a failure. The redirect URL contains only what users may know. */
function logFailure(logger: Logger, request: FastifyRequest, error: unknown): void {
  const isOurs = !(error instanceof HoldfastError) || error.status >= 500
  const cause = error instanceof HoldfastError ? error.cause : error
  logger.log(isOurs ? 'error' : 'info', 'a sign-in with a provider failed', {
    requestId: request.id,
    error: errorMessage(error),
    ...(cause === undefined ? {} : { cause: describeCause(cause) }),
  })
}

function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause === undefined ? cause.message : `${cause.message}: ${describeCause(cause.cause)}`
}
