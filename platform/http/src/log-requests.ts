import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from '@holdfast/foundation'

/** Logged path length in characters. */
const PATH_CHARACTERS_MAX = 512

/**
 * Logs each request when answered or aborted: `requestId`, `method`, `path`, `status`, `durationMs`, `userId` and `bytes` sent on its connection. Never query
 * strings, headers or bodies, which contain tokens and user data.
 */
export function logRequests(app: FastifyInstance, log: Logger): void {
  const sentBefore = new WeakMap<FastifyRequest, number>()
  app.addHook('onRequest', async (request) => {
    sentBefore.set(request, request.raw.socket.bytesWritten ?? 0)
  })
  app.addHook('onResponse', async (request, reply) => {
    log.log('info', 'request', {
      requestId: request.id,
      method: request.method,
      path: pathOf(request.url),
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime * 10) / 10,
      userId: request.caller?.userId ?? null,
      bytes: (request.raw.socket.bytesWritten ?? 0) - (sentBefore.get(request) ?? 0),
    })
  })
}

function pathOf(url: string): string {
  const path = url.split('?', 1)[0] ?? ''
  return path.length > PATH_CHARACTERS_MAX ? `${path.slice(0, PATH_CHARACTERS_MAX)}…` : path
}
