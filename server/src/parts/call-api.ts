import type { FastifyInstance } from 'fastify'
import type { CallApi } from '@holdfast/console'

/** Returns a caller of this server's own APIs with the service key, without a socket. */
export function createApiCaller(app: FastifyInstance, serviceKey: string): CallApi {
  return async (service, { method, path, body, headers }) => {
    const response = await app.inject({
      method: method as 'GET',
      url: `/${service}/v1${path}`,
      headers: { apikey: serviceKey, authorization: `Bearer ${serviceKey}`, ...headers },
      ...(body !== undefined && { payload: body as object }),
    })
    const isJson = /^application\/(?:[\w.-]+\+)?json\b/i.test(String(response.headers['content-type'] ?? ''))
    return {
      status: response.statusCode,
      headers: Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [name, typeof value === 'number' ? `${value}` : value]),
      ),
      body: response.body === '' ? undefined : isJson ? response.json<unknown>() : response.body,
    }
  }
}
