import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { validationFailed } from '../errors.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { challengeFactor, type ChallengeFactorNeeds } from '../mfa/challenge-factor.ts'
import { enrollFactor, type EnrollFactorNeeds } from '../mfa/enroll-factor.ts'
import { challengeNotFound } from '../mfa/errors.ts'
import {
  generateRecoveryCodes,
  readRecoveryCodesStatus,
  regenerateRecoveryCodes,
  removeRecoveryCodes,
  verifyRecoveryCode,
  type RecoveryCodesNeeds,
} from '../mfa/recovery-codes.ts'
import { requireFactorSigner } from '../mfa/require-factor-signer.ts'
import { unenrollFactor, type UnenrollFactorNeeds } from '../mfa/unenroll-factor.ts'
import { verifyFactor, type VerifyFactorNeeds } from '../mfa/verify-factor.ts'
import type { RateLimits } from '../rate-limits.ts'
import { optional, OptionalText } from '../request-body.ts'
import { originOf } from '../request-origin.ts'
import { renderSession } from '../sessions/render-session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { isUuid } from '../store.ts'

type Needs = EnrollFactorNeeds &
  ChallengeFactorNeeds &
  VerifyFactorNeeds &
  UnenrollFactorNeeds &
  RecoveryCodesNeeds & { readonly sessions: Sessions; readonly limits: Pick<RateLimits, 'challenge' | 'verify'> }

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

/** `/factors`: second factors of the signed-in user. Source: GoTrue API reference. */
export function factorRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  const { limits, sessions } = needs
  const bodyLimit = BODY_BYTES_MAX
  return async (app) => {
    app.post('/factors', { schema: { body: EnrollBody }, bodyLimit }, async (request) => {
      const signer = await requireFactorSigner(sessions, request)
      const { factor_type: factorType, friendly_name: friendlyName, issuer, phone } = request.body
      return enrollFactor(needs, {
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
      const signer = await requireFactorSigner(sessions, request)
      const factorId = parseFactorId(request.params.factorId)
      await limits.challenge.take(request.ip)
      return challengeFactor(needs, {
        signer,
        factorId,
        channel: request.body?.channel ?? '',
        address: request.ip,
      })
    })

    const verify = { schema: { params: FactorParams, body: VerifyBody }, bodyLimit }
    app.post('/factors/:factorId/verify', verify, async (request) => {
      const signer = await requireFactorSigner(sessions, request)
      const factorId = parseFactorId(request.params.factorId)
      await limits.verify.take(request.ip)
      const { challenge_id: challengeId, code, webauthn } = request.body
      const signedIn = await verifyFactor(needs, {
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

    await app.register(recoveryCodeRoutes(needs))

    app.delete('/factors/:factorId', { schema: { params: FactorParams } }, async (request) => {
      const signer = await requireFactorSigner(sessions, request)
      const factorId = parseFactorId(request.params.factorId)
      await unenrollFactor(needs, { signer, factorId, address: request.ip })
      return { id: factorId }
    })
  }
}

function parseFactorId(text: string): string {
  if (!isUuid(text)) throw validationFailed('factor_id must be an UUID', 404)
  return text.toLowerCase()
}

function parseChallengeId(text: string): string {
  if (!isUuid(text)) throw challengeNotFound()
  return text
}

const GenerateBody = optional(Type.Object({ friendly_name: OptionalText }))

const VerifyCodeBody = Type.Object({ code: OptionalText })

/** `/factors/recovery-codes`: codes that replace a lost second factor. Source: auth-js's `mfa.recoveryCodes`. */
function recoveryCodeRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  const { pool, limits, sessions } = needs
  const path = '/factors/recovery-codes'
  const bodyLimit = BODY_BYTES_MAX
  return async (app) => {
    app.get(path, async (request) => readRecoveryCodesStatus(pool, await requireFactorSigner(sessions, request)))

    app.post(path, { schema: { body: GenerateBody }, bodyLimit }, async (request) => {
      const signer = await requireFactorSigner(sessions, request)
      const friendlyName = request.body?.friendly_name ?? ''
      return generateRecoveryCodes(needs, { signer, friendlyName, address: request.ip })
    })

    app.post(`${path}/verify`, { schema: { body: VerifyCodeBody }, bodyLimit }, async (request) => {
      const signer = await requireFactorSigner(sessions, request)
      await limits.verify.take(request.ip)
      const { code } = request.body
      return renderSession(await verifyRecoveryCode(needs, { signer, code: code ?? '', origin: originOf(request) }))
    })

    app.post(`${path}/regenerate`, async (request) => {
      const signer = await requireFactorSigner(sessions, request)
      return regenerateRecoveryCodes(needs, { signer, address: request.ip })
    })

    app.delete(path, async (request) => {
      const signer = await requireFactorSigner(sessions, request)
      return { id: await removeRecoveryCodes(needs, { signer, address: request.ip }) }
    })
  }
}
