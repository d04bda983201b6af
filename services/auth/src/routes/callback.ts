import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
import { finishFlow, type FinishFlowNeeds } from '../external/finish-flow.ts'
import { renderFlowEnd } from '../external/render-flow-end.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { originOf } from '../request-origin.ts'
import { queryOf } from './authorize.ts'

type Needs = FinishFlowNeeds & { readonly logger: Logger }

/**
 * `GET /callback`, `POST /callback` (Apple posts a form): where a provider sends people back to. The answer is a redirect in every case,
 * because a browser is looking. Source: GoTrue API reference.
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

/** The address tells people what they may know; the log has the reason. */
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
