import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { type Clock, HoldfastError, type Logger, nextTurn } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'
import { logAuditEvents } from './audit-log.ts'
import { createRequireAdmin } from './admin/require-admin.ts'
import { createCaptcha } from './captcha/captcha.ts'
import { compileValidator } from './compile-validator.ts'
import { respondInConstantTime } from './confirmations/constant-time.ts'
import { createTokenMessages } from './confirmations/token-messages.ts'
import { createProviders } from './external/providers.ts'
import { createHooks } from './hooks/create-hooks.ts'
import { HOOK_NAMES } from './hooks/hooks.ts'
import { admitHookedCalls, limitHookedCalls } from './hooks/hooked-calls.ts'
import { createMessages } from './messages/create-messages.ts'
import { createNotices } from './messages/notices.ts'
import { parseDecryptionKeys } from './mfa/stored-secret.ts'
import type { AuthOptions } from './options/auth-options.ts'
import { createPasswords } from './passwords/passwords.ts'
import { createRateLimits, type OpenBuckets } from './rate-limits.ts'
import { createRedirectPolicy } from './redirects/redirect-policy.ts'
import { renderError } from './render-error.ts'
import { parseJsonBody } from './request-body.ts'
import { isProxied } from './request-origin.ts'
import { inviteRoute, generateLinkRoute } from './routes/admin-links.ts'
import { adminMessageRoutes, adminAuditRoute } from './routes/admin-messages.ts'
import { adminSigningKeyRoutes } from './routes/admin-signing-keys.ts'
import { adminUserRoutes } from './routes/admin-users.ts'
import { customProviderRoutes } from './routes/custom-providers.ts'
import { authorizeRoute, identityRoutes, callbackRoutes } from './routes/external.ts'
import { factorRoutes } from './routes/factors.ts'
import { oauthAdminRoutes } from './routes/oauth-admin.ts'
import { oauthRoutes } from './routes/oauth.ts'
import { passkeyRoutes } from './routes/passkeys.ts'
import { settingsRoute, healthRoute, jwksRoute } from './routes/public.ts'
import { ownSessionRoutes, logoutRoute } from './routes/sessions.ts'
import { signUpRoute } from './routes/signup.ts'
import { ssoRoutes } from './routes/sso.ts'
import { otpRoute, magicLinkRoute, recoverRoute, resendRoute, reauthenticateRoute } from './routes/token-messages.ts'
import { tokenRoute } from './routes/token.ts'
import { userRoutes } from './routes/user.ts'
import { verifyRoutes } from './routes/verify.ts'
import { createSealer } from './secrets/sealer.ts'
import { createSessions } from './sessions/sessions.ts'
import { createAccessTokens } from './tokens/access-tokens.ts'
import type { SigningKeys } from './tokens/signing-keys.ts'
import { createRelyingParty } from './webauthn/relying-party.ts'

/** Builds and wires the parts of the service. */
export function composeAuth(input: {
  readonly pool: Pool
  readonly clock: Clock
  readonly logger: Logger
  readonly options: AuthOptions
  readonly keys: SigningKeys
  /** Encrypts providers' secrets in the database. */
  readonly secret: Uint8Array
  /** Public URL of this server without a trailing slash. */
  readonly baseUrl: string
  readonly projectName: string
  readonly openBuckets: OpenBuckets
}) {
  const { pool, clock, logger, options, keys, baseUrl, projectName } = input
  /** URL of this API and `iss` of every access token. */
  const issuer = `${baseUrl}/auth/v1`
  const siteUrl = options.siteUrl ?? baseUrl
  const limits = createRateLimits(options, input.openBuckets)
  const hooks = createHooks(options, { clock, logger })
  const redirects = createRedirectPolicy(siteUrl, options.additionalRedirectUrls)
  const sealer = createSealer(input.secret)
  const messages = createMessages({ pool, options, hooks, clock, logger, projectName, issuer, siteUrl })
  const accessTokens = createAccessTokens({ keys, issuer, hooks, clock, options })
  return {
    pool,
    clock,
    logger,
    options,
    keys,
    issuer,
    limits,
    hooks,
    /** Limits requests that may wait for a hook. */
    hookedCalls: limitHookedCalls(HOOK_NAMES.some((name) => hooks.has(name))),
    redirects,
    sealer,
    messages,
    notices: createNotices({ options, limits, messages, logger }),
    tokenMessages: createTokenMessages({ options, messages, hooks, redirects, clock }),
    accessTokens,
    sessions: createSessions({ pool, clock, accessTokens }),
    passwords: createPasswords({ pool, options, logger }),
    captcha: createCaptcha(options),
    requireAdmin: createRequireAdmin(options),
    providers: createProviders({ pool, options, sealer, clock, issuer }),
    /** Keys with which GoTrue encrypted factor secrets, by name. */
    factorSecretKeys: parseDecryptionKeys(options.mfaSecretDecryptionKeys),
    relyingParty: createRelyingParty({ options, siteUrl, baseUrl, projectName, logger }),
  }
}

/** All parts of the service. Files wired here must not import this type, which would be a cycle. */
export type AuthParts = ReturnType<typeof composeAuth>

/** Routes whose response time is not equalized. */
const PLAIN_ROUTES: readonly ((parts: AuthParts) => FastifyPluginAsync)[] = [
  logoutRoute,
  ownSessionRoutes,
  adminSigningKeyRoutes,
  adminUserRoutes,
  adminAuditRoute,
  adminMessageRoutes,
  oauthAdminRoutes,
  authorizeRoute,
  customProviderRoutes,
  identityRoutes,
  ssoRoutes,
]

/** Routes that may call a hook: always, or only when they write. */
const HOOKED_ROUTES: readonly (readonly [(parts: AuthParts) => FastifyPluginAsync, 'everything' | 'writes'])[] = [
  [reauthenticateRoute, 'everything'],
  [callbackRoutes, 'everything'],
  [userRoutes, 'writes'],
  [factorRoutes, 'writes'],
  [passkeyRoutes, 'writes'],
  [inviteRoute, 'writes'],
  [generateLinkRoute, 'writes'],
  [oauthRoutes, 'writes'],
]

/** Routes under `/auth/v1`. The gateway sets `request.caller` first. */
export function authRoutes(parts: AuthParts): FastifyPluginAsync {
  // With auto-confirm, sign-up reveals taken addresses anyway.
  const hidesAccounts = parts.options.emailEnableConfirmations || parts.options.smsEnableConfirmations
  const routes: FastifyPluginAsyncTypebox = async (app) => {
    app.setValidatorCompiler(compileValidator)
    app.addHook('onRequest', async (request) => {
      if (isProxied(request)) parts.limits.noteProxy()
    })
    logAuditEvents(app, parts.logger)
    app.setErrorHandler((error, request, reply) => renderError(error, request, reply, parts.logger))
    if (app.prefix !== '') {
      app.setNotFoundHandler((request, reply) => {
        const notFound = new HoldfastError('not_found', 404, 'There is no such endpoint')
        return renderError(notFound, request, reply, parts.logger)
      })
    }
    // Fastify's own parser rejects empty bodies.
    app.removeContentTypeParser('application/json')
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'string' },
      async (_request: FastifyRequest, body: string) => parseJsonBody(body),
    )

    await app.register(healthRoute(parts))
    await app.register(jwksRoute(parts))
    await app.register(settingsRoute(parts))
    await app.register(async (even) => {
      respondInConstantTime(even)
      admitHookedCalls(even, parts.hookedCalls)
      await even.register(magicLinkRoute(parts))
      await even.register(otpRoute(parts))
      await even.register(recoverRoute(parts))
      await even.register(resendRoute(parts))
      await even.register(verifyRoutes(parts))
      if (hidesAccounts) await even.register(signUpRoute(parts))
    })
    if (!hidesAccounts) {
      await app.register(async (hooked) => {
        admitHookedCalls(hooked, parts.hookedCalls)
        await hooked.register(signUpRoute(parts))
      })
    }
    await app.register(async (even) => {
      respondInConstantTime(even, 'refusals')
      admitHookedCalls(even, parts.hookedCalls)
      await even.register(tokenRoute(parts))
    })
    for (const routesOf of PLAIN_ROUTES) {
      // Fastify itself would register all routes in one turn and block the rest of the startup.
      await nextTurn()
      await app.register(routesOf(parts))
    }
    for (const [routesOf, which] of HOOKED_ROUTES) {
      await nextTurn()
      await app.register(async (hooked) => {
        admitHookedCalls(hooked, parts.hookedCalls, which)
        await hooked.register(routesOf(parts))
      })
    }
  }
  return routes
}
