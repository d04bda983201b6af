import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { otpDisabled, providerDisabled } from '../errors.ts'

/**
 * `POST /otp`, `GET /authorize`: ways to sign in that this server does not have, refused in the words by which clients of GoTrue know
 * that a way is switched off.
 */
export function disabledRoutes(): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/otp', async () => {
      throw otpDisabled()
    })
    app.get('/authorize', async () => {
      throw providerDisabled()
    })
  }
}
