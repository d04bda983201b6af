import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type Clock, HoldfastError, type Logger, Semaphore } from '@holdfast/foundation'
import { logFailure, networkOf } from '@holdfast/http'
import { isConnectionLoss } from '@holdfast/postgres'
import { createVisitorLimit, tooManyRequests } from '../visitors.ts'
import { type ReadViewNeeds, readView } from './read-view.ts'
import { PAGE_HEADERS, renderProblem, renderView } from './view-page.ts'

/** Concurrent requests of all visitors and of one; the next ones wait, further ones are refused. */
const AT_ONCE_MAX = 2
const AT_ONCE_PER_VISITOR_MAX = 1
const WAITING_MAX = 50

/** Requests of one network in a minute. */
const REQUESTS_MAX = 60

/**
 * `GET /app/v1/views/<slug>`: a page of a shared view for anybody with the link, as HTML; `?after=<id>` continues it. Answers 404 for an unknown link, 410 for one
 * that has ended, 429 for too many requests.
 */
export function viewRoutes({
  logger,
  clock,
  ...needs
}: ReadViewNeeds & { readonly logger: Logger; readonly clock: Clock }): FastifyPluginAsync {
  const permits = new Semaphore({
    permits: AT_ONCE_MAX,
    perKeyMax: AT_ONCE_PER_VISITOR_MAX,
    waitingMax: WAITING_MAX,
    refuse: () => tooManyRequests(2),
  })
  const limit = createVisitorLimit(REQUESTS_MAX, clock)
  return async (app) => {
    app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, logger))
    app.get<{ Params: { slug: string }; Querystring: { after?: string } }>(
      '/app/v1/views/:slug',
      async (request, reply) => {
        const network = networkOf(request.ip)
        limit(network)
        const { after } = request.query
        const cursor = typeof after === 'string' ? after : undefined
        const page = await permits.run({ key: network }, () => readView(needs, request.params.slug, cursor))
        return await reply.headers(PAGE_HEADERS).send(renderView(page, cursor === undefined))
      },
    )
  }
}

function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply, logger: Logger): FastifyReply {
  const known =
    error instanceof HoldfastError
      ? error
      : isConnectionLoss(error)
        ? new HoldfastError('unavailable', 503, 'The database is starting. Try again in a moment.')
        : new HoldfastError('unexpected_failure', 500, 'The page could not be read. Try again later.')
  if (known.status >= 500) logFailure(logger, request, 'a shared view was not shown', { error })
  const language = request.headers['accept-language']?.split(/[,;]/, 1)[0]?.trim() ?? 'en'
  return reply
    .code(known.status)
    .headers({ ...PAGE_HEADERS, ...known.headers })
    .send(renderProblem(language, known.message))
}
