import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AnsweredRequest } from '../logs/render-entry.ts'
import { serviceOf } from './metrics/request-metrics.ts'

/** Size in characters of a refusal that is read. */
const REFUSAL_CHARS_MAX = 8_192

/** Reports each answered request, with the code and message of a refusal. */
export function reportRequests(app: FastifyInstance, report: (request: AnsweredRequest) => void): void {
  const refusals = new WeakMap<FastifyRequest, AnsweredRequest['refusal']>()
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode >= 400 && typeof payload === 'string' && payload.length <= REFUSAL_CHARS_MAX)
      refusals.set(request, readRefusal(payload))
    done()
  })
  app.addHook('onResponse', async (request, reply) => {
    report({
      id: request.id,
      service: serviceOf(request.url),
      method: request.method,
      url: request.url,
      route: request.routeOptions.url,
      status: reply.statusCode,
      ms: reply.elapsedTime,
      userId: request.caller?.userId,
      address: request.ip,
      refusal: refusals.get(request),
    })
  })
}

/** Reads code and message from an error body, in the vocabularies of the services. */
function readRefusal(payload: string): AnsweredRequest['refusal'] {
  if (!payload.startsWith('{')) return { message: payload.slice(0, REFUSAL_CHARS_MAX) }
  try {
    const body = JSON.parse(payload) as Readonly<Record<string, unknown>>
    const first = (...names: readonly string[]): string | undefined =>
      names.map((name) => body[name]).find((value) => typeof value === 'string')
    // GoTrue's `code` is the status.
    const code = first('error_code', 'code', 'error')
    const message = first('message', 'msg', 'error_description', 'description')
    return { ...(code !== undefined && { code }), ...(message !== undefined && { message }) }
  } catch {
    // Not JSON: a function may answer anything.
    return {}
  }
}
