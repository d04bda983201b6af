import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { providerDisabled } from '../errors.ts'

/**
 * `GET /authorize`: a way to sign in that this server does not have, refused in the words by which clients of GoTrue know that a way is
 * switched off.
 */
export function disabledRoutes(): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/authorize', async () => {
      throw providerDisabled()
    })
  }
}
