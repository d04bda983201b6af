import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { JWKS_MAX_AGE_S } from '../limits.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'

type Needs = { readonly keys: SigningKeys }

/** `GET /.well-known/jwks.json`: the public keys that verify access tokens. */
export function jwksRoute({ keys }: Needs): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/.well-known/jwks.json', async (_request, reply) => {
      void reply.header('cache-control', `public, max-age=${JWKS_MAX_AGE_S}`)
      return keys.jwks
    })
  }
}
