import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { requireCaptcha } from '../captcha/require-captcha.ts'
import type { AuthContext } from '../context.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { deleteOwnPasskey, listOwnPasskeys, renameOwnPasskey } from '../passkeys/manage-passkeys.ts'
import { askForPasskey, registerPasskey } from '../passkeys/register-passkey.ts'
import { requirePasskeyAnswer, requirePasskeys } from '../passkeys/require-passkeys.ts'
import { askForAnyPasskey, signInWithPasskey } from '../passkeys/sign-in-with-passkey.ts'
import { optional, OptionalText } from '../request-body.ts'
import { originOf } from '../request-origin.ts'
import { renderSession } from '../sessions/render-session.ts'
import { requirePerson } from '../sessions/require-user.ts'

const OptionsBody = optional(
  Type.Object({ gotrue_meta_security: optional(Type.Object({ captcha_token: OptionalText })) }),
)

const AnswerBody = Type.Object({ challenge_id: OptionalText, credential: Type.Optional(Type.Unknown()) })

const PasskeyParams = Type.Object({ passkeyId: Type.String() })

const RenameBody = Type.Object({ friendly_name: OptionalText })

/** `/passkeys`: signing in with one, and the ones of the signed-in person. Source: GoTrue's `passkey_*.go`, and auth-js. */
export function passkeyRoutes(context: AuthContext): FastifyPluginAsyncTypebox {
  const bodyLimit = BODY_BYTES_MAX
  return async (app) => {
    app.addHook('onRequest', async () => {
      requirePasskeys(context)
    })

    app.post('/passkeys/authentication/options', { schema: { body: OptionsBody }, bodyLimit }, async (request) => {
      context.limits.challenge.take(request.ip)
      await requireCaptcha(context, request)
      return askForAnyPasskey(context)
    })

    app.post('/passkeys/authentication/verify', { schema: { body: AnswerBody }, bodyLimit }, async (request) => {
      context.limits.verify.take(request.ip)
      const answer = requirePasskeyAnswer(request.body)
      return renderSession(await signInWithPasskey(context, { ...answer, origin: originOf(request) }))
    })

    app.post('/passkeys/registration/options', async (request) => {
      return askForPasskey(context, await requirePerson(context, request))
    })

    app.post('/passkeys/registration/verify', { schema: { body: AnswerBody }, bodyLimit }, async (request) => {
      const signer = await requirePerson(context, request)
      const answer = requirePasskeyAnswer(request.body)
      return registerPasskey(context, { signer, ...answer, address: request.ip })
    })

    app.get('/passkeys', async (request) => listOwnPasskeys(context, await requirePerson(context, request)))

    const rename = { schema: { params: PasskeyParams, body: RenameBody }, bodyLimit }
    app.patch('/passkeys/:passkeyId', rename, async (request) => {
      const signer = await requirePerson(context, request)
      return renameOwnPasskey(context, {
        signer,
        passkeyId: request.params.passkeyId,
        friendlyName: request.body.friendly_name ?? '',
        address: request.ip,
      })
    })

    app.delete('/passkeys/:passkeyId', { schema: { params: PasskeyParams } }, async (request, reply) => {
      const signer = await requirePerson(context, request)
      await deleteOwnPasskey(context, { signer, passkeyId: request.params.passkeyId, address: request.ip })
      return reply.code(204).send()
    })
  }
}
