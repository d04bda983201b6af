import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Captcha } from '../captcha/captcha.ts'
import { unsupportedGrantType } from '../errors.ts'
import { web3Disabled } from '../external/errors.ts'
import { grantByIdToken, type GrantByIdTokenNeeds } from '../grants/id-token-grant.ts'
import { grantByPassword, type GrantByPasswordNeeds } from '../grants/password-grant.ts'
import { grantByAuthCode, type SignedInByFlow, type GrantByAuthCodeNeeds } from '../grants/pkce-grant.ts'
import { grantByRefreshToken, type GrantByRefreshTokenNeeds } from '../grants/refresh-token-grant.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import type { RateLimits } from '../rate-limits.ts'
import { type RedirectPolicy, redirectOf } from '../redirects/redirect-policy.ts'
import { MetaSecurity, OptionalText, OptionalFlag } from '../request-body.ts'
import { originOf } from '../request-origin.ts'
import { renderSession } from '../sessions/render-session.ts'

type Needs = GrantByIdTokenNeeds &
  GrantByPasswordNeeds &
  GrantByAuthCodeNeeds &
  GrantByRefreshTokenNeeds & {
    readonly captcha: Captcha
    readonly redirects: RedirectPolicy
    readonly limits: Pick<RateLimits, 'signIn'>
  }

const TokenQuery = Type.Object({ grant_type: Type.Optional(Type.String()) })

const TokenBody = Type.Object({
  email: OptionalText,
  phone: OptionalText,
  password: OptionalText,
  refresh_token: OptionalText,
  auth_code: OptionalText,
  code_verifier: OptionalText,
  id_token: OptionalText,
  access_token: OptionalText,
  nonce: OptionalText,
  provider: OptionalText,
  issuer: OptionalText,
  client_id: OptionalText,
  link_identity: OptionalFlag,
  gotrue_meta_security: MetaSecurity,
})

/** `POST /token?grant_type=`: issues tokens for a password, a refresh token, an ID token or a PKCE code. Source: GoTrue API reference. */
export function tokenRoute(needs: Needs): FastifyPluginAsyncTypebox {
  const { captcha, limits, redirects, sessions } = needs
  return async (app) => {
    const schema = { querystring: TokenQuery, body: TokenBody }
    app.post('/token', { schema, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const { body } = request
      const origin = originOf(request)
      switch (request.query.grant_type) {
        case 'password': {
          await limits.signIn.take(origin.address)
          await captcha.require(request)
          const { email, phone, password } = body
          return renderSession(
            await grantByPassword(needs, {
              email: email ?? '',
              phone: phone ?? '',
              password: password ?? '',
              origin,
            }),
          )
        }
        case 'refresh_token':
          return renderSession(await grantByRefreshToken(needs, { refreshToken: body.refresh_token ?? '', origin }))
        case 'pkce': {
          await limits.signIn.take(origin.address)
          const { auth_code: authCode, code_verifier: codeVerifier } = body
          return renderFlowSession(
            await grantByAuthCode(needs, { authCode: authCode ?? '', codeVerifier: codeVerifier ?? '', origin }),
          )
        }
        case 'id_token': {
          await limits.signIn.take(origin.address)
          const signedIn = await grantByIdToken(needs, {
            idToken: body.id_token ?? '',
            accessToken: body.access_token ?? '',
            nonce: body.nonce ?? '',
            provider: body.provider ?? '',
            issuer: body.issuer ?? '',
            clientId: body.client_id ?? '',
            linkTo: body.link_identity ? (await sessions.requireOwnClient(request)).user.id : undefined,
            redirectTo: redirectOf(request, redirects),
            origin,
          })
          return renderSession(signedIn)
        }
        case 'web3':
          throw web3Disabled()
        default:
          throw unsupportedGrantType()
      }
    })
  }
}

/** Renders auth-js's `Session` with the provider's tokens. */
function renderFlowSession({ signedIn, providerToken, providerRefreshToken }: SignedInByFlow): Record<string, unknown> {
  return {
    ...renderSession(signedIn),
    ...(providerToken === undefined ? {} : { provider_token: providerToken }),
    ...(providerRefreshToken === undefined ? {} : { provider_refresh_token: providerRefreshToken }),
  }
}
