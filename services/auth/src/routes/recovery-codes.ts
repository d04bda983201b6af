import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { BODY_BYTES_MAX } from '../limits.ts'
import {
  generateRecoveryCodes,
  readRecoveryCodesStatus,
  regenerateRecoveryCodes,
  removeRecoveryCodes,
  verifyRecoveryCode,
  type RecoveryCodesNeeds,
} from '../mfa/recovery-codes.ts'
import { requireFactorSigner } from '../mfa/require-factor-signer.ts'
import type { RateLimits } from '../rate-limits.ts'
import { optional, OptionalText } from '../request-body.ts'
import { originOf } from '../request-origin.ts'
import { renderSession } from '../sessions/render-session.ts'
import type { Sessions } from '../sessions/sessions.ts'

export type RecoveryCodeRoutesNeeds = RecoveryCodesNeeds & {
  readonly sessions: Sessions
  readonly limits: Pick<RateLimits, 'verify'>
}

const GenerateBody = optional(Type.Object({ friendly_name: OptionalText }))

const VerifyBody = Type.Object({ code: OptionalText })

/** `/factors/recovery-codes`: what stands in for a lost second factor. Source: auth-js's `mfa.recoveryCodes`. */
export function recoveryCodeRoutes(needs: RecoveryCodeRoutesNeeds): FastifyPluginAsyncTypebox {
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

    app.post(`${path}/verify`, { schema: { body: VerifyBody }, bodyLimit }, async (request) => {
      const signer = await requireFactorSigner(sessions, request)
      limits.verify.take(request.ip)
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
