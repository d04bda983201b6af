import type { FastifyInstance } from 'fastify'
import type { CallApi } from '@holdfast/console'

/** Returns a caller of this server's own APIs with the service key, without a socket. */
export function createApiCaller(app: FastifyInstance, serviceKey: string): CallApi {
  return async (service, { method, path, body, headers }) => {
    const url = `/${service}/v1${path}`
    // A name that became a segment ".." would lead to the API of another service.
    if (new URL(url, 'http://localhost').pathname.split('/').length !== url.split('?', 1)[0]?.split('/').length)
      throw new Error('a path of an API has dot segments')
    const response = await app.inject({
      method: method as 'GET',
      url,
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
