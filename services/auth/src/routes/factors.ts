import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { AuthContext } from '../context.ts'
import { validationFailed } from '../errors.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { challengeFactor } from '../mfa/challenge-factor.ts'
import { enrollFactor } from '../mfa/enroll-factor.ts'
import { challengeNotFound } from '../mfa/errors.ts'
import { requireFactorSigner } from '../mfa/require-factor-signer.ts'
import { unenrollFactor } from '../mfa/unenroll-factor.ts'
import { verifyFactor } from '../mfa/verify-factor.ts'
import { optional, OptionalText } from '../request-body.ts'
import { originOf } from '../request-origin.ts'
import { recoveryCodeRoutes } from './recovery-codes.ts'
import { renderSession } from '../sessions/render-session.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const EnrollBody = Type.Object({
  factor_type: OptionalText,
  friendly_name: OptionalText,
  issuer: OptionalText,
  phone: OptionalText,
})

const FactorParams = Type.Object({ factorId: Type.String() })

const ChallengeBody = optional(Type.Object({ channel: OptionalText }))

const VerifyBody = Type.Object({
  challenge_id: OptionalText,
  code: OptionalText,
  webauthn: optional(Type.Object({ type: OptionalText, credential_response: Type.Optional(Type.Unknown()) })),
})

/** `/factors`: the second factors of the signed-in person. Source: GoTrue API reference. */
export function factorRoutes(context: AuthContext): FastifyPluginAsyncTypebox {
  const bodyLimit = BODY_BYTES_MAX
  return async (app) => {
    app.post('/factors', { schema: { body: EnrollBody }, bodyLimit }, async (request) => {
      const signer = await requireFactorSigner(context, request)
      const { factor_type: factorType, friendly_name: friendlyName, issuer, phone } = request.body
      return enrollFactor(context, {
        signer,
        enroll: {
          factorType: factorType ?? '',
          friendlyName: friendlyName ?? '',
          issuer: issuer ?? '',
          phone: phone ?? '',
        },
        address: request.ip,
      })
    })

    const challenge = { schema: { params: FactorParams, body: ChallengeBody }, bodyLimit }
    app.post('/factors/:factorId/challenge', challenge, async (request) => {
      const signer = await requireFactorSigner(context, request)
      const factorId = parseFactorId(request.params.factorId)
      context.limits.challenge.take(request.ip)
      return challengeFactor(context, {
        signer,
        factorId,
        channel: request.body?.channel ?? '',
        address: request.ip,
      })
    })

    const verify = { schema: { params: FactorParams, body: VerifyBody }, bodyLimit }
    app.post('/factors/:factorId/verify', verify, async (request) => {
      const signer = await requireFactorSigner(context, request)
      const factorId = parseFactorId(request.params.factorId)
      context.limits.verify.take(request.ip)
      const { challenge_id: challengeId, code, webauthn } = request.body
      const signedIn = await verifyFactor(context, {
        signer,
        factorId,
        challengeId: parseChallengeId(challengeId ?? ''),
        code: code ?? '',
        webauthn: webauthn
          ? { type: webauthn.type ?? '', credentialResponse: webauthn.credential_response }
          : undefined,
        origin: originOf(request),
      })
      return renderSession(signedIn)
    })

    await app.register(recoveryCodeRoutes(context))

    app.delete('/factors/:factorId', { schema: { params: FactorParams } }, async (request) => {
      const signer = await requireFactorSigner(context, request)
      const factorId = parseFactorId(request.params.factorId)
      await unenrollFactor(context, { signer, factorId, address: request.ip })
      return { id: factorId }
    })
  }
}

function parseFactorId(text: string): string {
  if (!UUID.test(text)) throw validationFailed('factor_id must be an UUID', 404)
  return text.toLowerCase()
}

function parseChallengeId(text: string): string {
  if (!UUID.test(text)) throw challengeNotFound()
  return text
}
