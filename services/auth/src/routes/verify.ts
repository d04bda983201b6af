import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { HoldfastError } from '@holdfast/foundation'
import { noAssociatedFlow } from '../confirmations/errors.ts'
import { type Presented, type Verification, verifyToken, type VerifyTokenNeeds } from '../confirmations/verify-token.ts'
import { validationFailed } from '../errors.ts'
import { issueAuthCode } from '../flow-state/flow-state.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { isPkceToken } from '../one-time-tokens/one-time-tokens.ts'
import type { RateLimits } from '../rate-limits.ts'
import { type RedirectPolicy, redirectOf } from '../redirects/redirect-policy.ts'
import { errorRedirectUrl, redirectUrl } from '../redirects/redirect-url.ts'
import { OptionalText } from '../request-body.ts'
import { originOf } from '../request-origin.ts'
import { renderSession, renderSessionFragment } from '../sessions/render-session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { parseEmail, parsePhone } from '../users/contact.ts'

type Needs = VerifyTokenNeeds & {
  readonly redirects: RedirectPolicy
  readonly sessions: Sessions
  readonly limits: Pick<RateLimits, 'verify'>
}

const VerifyQuery = Type.Object({
  token: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  redirect_to: Type.Optional(Type.String()),
})

const VerifyBody = Type.Object({
  type: OptionalText,
  token: OptionalText,
  token_hash: OptionalText,
  email: OptionalText,
  phone: OptionalText,
  redirect_to: OptionalText,
})

const HALF_CONFIRMED = 'Confirmation link accepted. Please proceed to confirm link sent to the other email'

/**
 * `GET /verify`: handles a mailed link and redirects to the app with tokens, a code or an error in the URL. `POST /verify`: the same for codes,
 * and for clients that show a page first. Source: GoTrue API reference.
 */
export function verifyRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  const { limits, redirects, sessions } = needs
  return async (app) => {
    // A `HEAD` request that only inspects a link must not use it up.
    const options = { schema: { querystring: VerifyQuery }, exposeHeadRoute: false }
    app.get('/verify', options, async (request, reply) => {
      await limits.verify.take(request.ip)
      const { token = '', type = '' } = request.query
      if (type === '') throw validationFailed('Verify requires a verification type')
      if (token === '') throw validationFailed('Verify requires a token or a token hash')
      const redirectTo = redirectOf(request, redirects)
      const isPkce = isPkceToken(token)
      void reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
      try {
        const presented: Presented = { kind: 'link', tokenHash: token }
        const target = await verifyToken(
          needs,
          { type, presented, address: request.ip },
          async (tx, verification, now) => {
            if (verification.kind === 'half') return messageUrl(redirectTo, isPkce)
            const { userId, supportSeconds } = verification
            if (!isPkce) {
              const signedIn = await sessions.start(tx, {
                userId,
                method: 'otp',
                origin: originOf(request),
                supportSeconds,
                now,
              })
              return redirectUrl(redirectTo, {
                fragment: { ...renderSessionFragment(signedIn), type: verification.type },
              })
            }
            const code = await issueAuthCode(tx, { userId, authenticationMethod: methodOf(verification), now }).catch(
              (error: unknown) => {
                throw error instanceof HoldfastError ? noAssociatedFlow() : error
              },
            )
            return redirectUrl(redirectTo, { query: { code } })
          },
        )
        return reply.redirect(target, 303)
      } catch (error) {
        if (!(error instanceof HoldfastError)) throw error
        return reply.redirect(errorRedirectUrl(redirectTo, error, isPkce), 303)
      }
    })

    app.post('/verify', { schema: { body: VerifyBody }, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      await limits.verify.take(request.ip)
      const { type } = request.body
      if (!type) throw validationFailed('Verify requires a verification type')
      const presented = parsePresented(request.body)
      return verifyToken(needs, { type, presented, address: request.ip }, async (tx, verification, now) => {
        if (verification.kind === 'half') return { msg: HALF_CONFIRMED, code: '200' }
        const { userId, supportSeconds } = verification
        const origin = originOf(request)
        return renderSession(await sessions.start(tx, { userId, method: 'otp', origin, supportSeconds, now }))
      })
    })
  }
}

function parsePresented(body: {
  readonly token?: string | null
  readonly token_hash?: string | null
  readonly email?: string | null
  readonly phone?: string | null
  readonly redirect_to?: string | null
}): Presented {
  const { token: otp, token_hash: tokenHash, email, phone } = body
  if (tokenHash && !otp) {
    if (email || phone || body.redirect_to) throw validationFailed('Only the token_hash and type should be provided')
    return { kind: 'link', tokenHash }
  }
  if (!otp || tokenHash) throw validationFailed('Verify requires either a token or a token hash')
  if (phone && !email) return { kind: 'phone-code', phone: parsePhone(phone), otp }
  if (email && !phone) return { kind: 'email-code', email: parseMailOf(email), otp }
  throw validationFailed('Only an email address or phone number should be provided on verify')
}

function parseMailOf(text: string): string {
  try {
    return parseEmail(text)
  } catch {
    throw validationFailed('Invalid email format', 422)
  }
}

function methodOf({ type }: Extract<Verification, { kind: 'whole' }>): string {
  return type === 'signup' ? 'email/signup' : type
}

function messageUrl(redirectTo: string, isPkce: boolean): string {
  const message = HALF_CONFIRMED
  return redirectUrl(redirectTo, { fragment: { message, sb: '' }, ...(isPkce ? { query: { message } } : {}) })
}
