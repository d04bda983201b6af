import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Captcha } from '../captcha/captcha.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import {
  askForPasskey,
  registerPasskey,
  type RegisterPasskeyNeeds,
  deleteOwnPasskey,
  listOwnPasskeys,
  renameOwnPasskey,
} from '../passkeys/own-passkeys.ts'
import { requirePasskeyAnswer, requirePasskeys } from '../passkeys/require-passkeys.ts'
import { askForAnyPasskey, signInWithPasskey, type SignInWithPasskeyNeeds } from '../passkeys/sign-in-with-passkey.ts'
import type { RateLimits } from '../rate-limits.ts'
import { optional, OptionalText } from '../request-body.ts'
import { originOf } from '../request-origin.ts'
import { renderSession } from '../sessions/render-session.ts'

type Needs = RegisterPasskeyNeeds &
  SignInWithPasskeyNeeds & { readonly captcha: Captcha; readonly limits: Pick<RateLimits, 'challenge' | 'verify'> }

const OptionsBody = optional(
  Type.Object({ gotrue_meta_security: optional(Type.Object({ captcha_token: OptionalText })) }),
)

const AnswerBody = Type.Object({ challenge_id: OptionalText, credential: Type.Optional(Type.Unknown()) })

const PasskeyParams = Type.Object({ passkeyId: Type.String() })

const RenameBody = Type.Object({ friendly_name: OptionalText })

/** `/passkeys`: sign-in with passkeys, and the signed-in user's passkeys. Source: GoTrue's `passkey_*.go`, and auth-js. */
export function passkeyRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  const { pool, captcha, limits, sessions } = needs
  const bodyLimit = BODY_BYTES_MAX
  return async (app) => {
    app.addHook('onRequest', async () => {
      requirePasskeys(needs)
    })

    app.post('/passkeys/authentication/options', { schema: { body: OptionsBody }, bodyLimit }, async (request) => {
      await limits.challenge.take(request.ip)
      await captcha.require(request)
      return askForAnyPasskey(needs)
    })

    app.post('/passkeys/authentication/verify', { schema: { body: AnswerBody }, bodyLimit }, async (request) => {
      await limits.verify.take(request.ip)
      const answer = requirePasskeyAnswer(request.body)
      return renderSession(await signInWithPasskey(needs, { ...answer, origin: originOf(request) }))
    })

    app.post('/passkeys/registration/options', async (request) => {
      return askForPasskey(needs, await sessions.requireOwnClient(request))
    })

    app.post('/passkeys/registration/verify', { schema: { body: AnswerBody }, bodyLimit }, async (request) => {
      const signer = await sessions.requireOwnClient(request)
      const answer = requirePasskeyAnswer(request.body)
      return registerPasskey(needs, { signer, ...answer, address: request.ip })
    })

    app.get('/passkeys', async (request) => listOwnPasskeys(pool, await sessions.requireOwnClient(request)))

    const rename = { schema: { params: PasskeyParams, body: RenameBody }, bodyLimit }
    app.patch('/passkeys/:passkeyId', rename, async (request) => {
      const signer = await sessions.requireOwnClient(request)
      return renameOwnPasskey(needs, {
        signer,
        passkeyId: request.params.passkeyId,
        friendlyName: request.body.friendly_name ?? '',
        address: request.ip,
      })
    })

    app.delete('/passkeys/:passkeyId', { schema: { params: PasskeyParams } }, async (request, reply) => {
      const signer = await sessions.requireOwnClient(request)
      await deleteOwnPasskey(needs, { signer, passkeyId: request.params.passkeyId, address: request.ip })
      return reply.code(204).send()
    })
  }
}
