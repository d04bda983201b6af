import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { JWK } from 'jose'
import { Type } from 'typebox'
import type { RequireAdmin } from '../admin/require-admin.ts'
import { validationFailed } from '../errors.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { optional, OptionalRecord, OptionalText } from '../request-body.ts'
import {
  addStandbyKey,
  revokeSigningKey,
  rotateSigningKey,
  type RotateSigningKeysNeeds,
} from '../tokens/rotate-signing-keys.ts'
import {
  createKey,
  importPrivateKey,
  readKeys,
  SIGNING_ALGORITHMS,
  type SigningAlgorithm,
} from '../tokens/signing-key-row.ts'

type Needs = RotateSigningKeysNeeds & { readonly requireAdmin: RequireAdmin }

const NewKeyBody = Type.Object({ algorithm: OptionalText, private_jwk: OptionalRecord })
const RotateBody = Type.Object({ kid: OptionalText, at_once: optional(Type.Boolean()) })
const KeyParams = Type.Object({ kid: Type.String() })

/**
 * `GET /admin/signing-keys`, `POST /admin/signing-keys`, `POST /admin/signing-keys/rotate`, `DELETE /admin/signing-keys/:kid`. Not part of
 * GoTrue, which reads keys from a file. The terms are those of Supabase's dashboard, "JWT signing keys". Private keys are never returned.
 */
export function adminSigningKeyRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  const { pool, requireAdmin } = needs
  const list = async (): Promise<object> => ({
    keys: (await readKeys(pool)).map((row) => ({
      kid: row.kid,
      algorithm: row.algorithm,
      status: row.status,
      public_jwk: row.public_jwk,
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
    })),
  })

  return async (app) => {
    app.addHook('preHandler', async (request) => requireAdmin(request))

    app.get('/admin/signing-keys', list)

    app.post('/admin/signing-keys', { schema: { body: NewKeyBody }, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const { algorithm, private_jwk: jwk } = request.body
      await addStandbyKey(
        needs,
        jwk ? await importPrivateKey(jwk as JWK) : await createKey(parseAlgorithm(algorithm ?? 'ES256')),
      )
      return list()
    })

    app.post('/admin/signing-keys/rotate', { schema: { body: RotateBody } }, async (request) => {
      await rotateSigningKey(needs, { kid: request.body.kid ?? undefined, atOnce: request.body.at_once ?? false })
      return list()
    })

    app.delete('/admin/signing-keys/:kid', { schema: { params: KeyParams } }, async (request) => {
      await revokeSigningKey(needs, request.params.kid)
      return list()
    })
  }
}

function parseAlgorithm(text: string): SigningAlgorithm {
  const algorithm = SIGNING_ALGORITHMS.find((known) => known === text)
  if (algorithm === undefined) throw validationFailed('Keys sign with ES256 or RS256')
  return algorithm
}
