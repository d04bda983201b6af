import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { AuthContext } from '../context.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import {
  generateRecoveryCodes,
  readRecoveryCodesStatus,
  regenerateRecoveryCodes,
  removeRecoveryCodes,
  verifyRecoveryCode,
} from '../mfa/recovery-codes.ts'
import { requireFactorSigner } from '../mfa/require-factor-signer.ts'
import { optional, OptionalText } from '../request-body.ts'
import { originOf } from '../request-origin.ts'
import { renderSession } from '../sessions/render-session.ts'

const GenerateBody = optional(Type.Object({ friendly_name: OptionalText }))

const VerifyBody = Type.Object({ code: OptionalText })

/** `/factors/recovery-codes`: what stands in for a lost second factor. Source: auth-js's `mfa.recoveryCodes`. */
export function recoveryCodeRoutes(context: AuthContext): FastifyPluginAsyncTypebox {
  const path = '/factors/recovery-codes'
  const bodyLimit = BODY_BYTES_MAX
  return async (app) => {
    app.get(path, async (request) => readRecoveryCodesStatus(context, await requireFactorSigner(context, request)))

    app.post(path, { schema: { body: GenerateBody }, bodyLimit }, async (request) => {
      const signer = await requireFactorSigner(context, request)
      const friendlyName = request.body?.friendly_name ?? ''
      return generateRecoveryCodes(context, { signer, friendlyName, address: request.ip })
    })

    app.post(`${path}/verify`, { schema: { body: VerifyBody }, bodyLimit }, async (request) => {
      const signer = await requireFactorSigner(context, request)
      context.limits.verify.take(request.ip)
      const { code } = request.body
      return renderSession(await verifyRecoveryCode(context, { signer, code: code ?? '', origin: originOf(request) }))
    })

    app.post(`${path}/regenerate`, async (request) => {
      const signer = await requireFactorSigner(context, request)
      return regenerateRecoveryCodes(context, { signer, address: request.ip })
    })

    app.delete(path, async (request) => {
      const signer = await requireFactorSigner(context, request)
      return { id: await removeRecoveryCodes(context, { signer, address: request.ip }) }
    })
  }
}
