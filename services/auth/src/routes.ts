import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { HoldfastError, nextTurn } from '@holdfast/foundation'
import { answerInEvenTime } from './confirmations/even-time.ts'
import { takeTurns } from './hooks/take-turns.ts'
import { compileValidator } from './compile-validator.ts'
import type { AuthContext } from './context.ts'
import { parseJsonBody } from './parse-json-body.ts'
import { renderError } from './render-error.ts'
import { isProxied } from './request-origin.ts'
import { adminSigningKeyRoutes } from './routes/admin-signing-keys.ts'
import { adminAuditRoute } from './routes/admin-audit.ts'
import { adminMessageRoutes } from './routes/admin-messages.ts'
import { adminUserRoutes } from './routes/admin-users.ts'
import { factorRoutes } from './routes/factors.ts'
import { generateLinkRoute } from './routes/generate-link.ts'
import { authorizeRoute } from './routes/authorize.ts'
import { callbackRoutes } from './routes/callback.ts'
import { customProviderRoutes } from './routes/custom-providers.ts'
import { identityRoutes } from './routes/identities.ts'
import { ssoRoutes } from './routes/sso.ts'
import { healthRoute } from './routes/health.ts'
import { inviteRoute } from './routes/invite.ts'
import { jwksRoute } from './routes/jwks.ts'
import { logoutRoute } from './routes/logout.ts'
import { oauthAdminRoutes } from './routes/oauth-admin.ts'
import { oauthRoutes } from './routes/oauth.ts'
import { ownSessionRoutes } from './routes/own-sessions.ts'
import { passkeyRoutes } from './routes/passkeys.ts'
import { magicLinkRoute } from './routes/magiclink.ts'
import { otpRoute } from './routes/otp.ts'
import { recoverRoute } from './routes/recover.ts'
import { resendRoute } from './routes/resend.ts'
import { reauthenticateRoute } from './routes/reauthenticate.ts'
import { verifyRoutes } from './routes/verify.ts'
import { settingsRoute } from './routes/settings.ts'
import { signUpRoute } from './routes/signup.ts'
import { tokenRoute } from './routes/token.ts'
import { userRoutes } from './routes/user.ts'

/** Routes whose answers are not made to take an even time. */
const PLAIN_ROUTES: readonly ((context: AuthContext) => FastifyPluginAsync)[] = [
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

/** Those of which only what changes something may ask a hook, and those that may in any case. */
const HOOKED_ROUTES: readonly (readonly [(context: AuthContext) => FastifyPluginAsync, 'everything' | 'writes'])[] = [
  [reauthenticateRoute, 'everything'],
  [callbackRoutes, 'everything'],
  [userRoutes, 'writes'],
  [factorRoutes, 'writes'],
  [passkeyRoutes, 'writes'],
  [inviteRoute, 'writes'],
  [generateLinkRoute, 'writes'],
  [oauthRoutes, 'writes'],
]

/** Everything under `/auth/v1`. The gateway sets `request.caller` before. */
export function authRoutes(context: AuthContext): FastifyPluginAsync {
  // Where addresses confirm themselves, sign-up says in words that one is taken.
  const hidesAccounts = context.options.emailEnableConfirmations || context.options.smsEnableConfirmations
  const routes: FastifyPluginAsyncTypebox = async (app) => {
    app.setValidatorCompiler(compileValidator)
    app.addHook('onRequest', async (request) => {
      if (isProxied(request)) context.limits.noteProxy()
    })
    app.setErrorHandler((error, request, reply) => renderError(error, request, reply, context.logger))
    if (app.prefix !== '') {
      app.setNotFoundHandler((request, reply) => {
        const notFound = new HoldfastError('not_found', 404, 'There is no such endpoint')
        return renderError(notFound, request, reply, context.logger)
      })
    }
    // Fastify's own parser refuses empty bodies.
    app.removeContentTypeParser('application/json')
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'string' },
      async (_request: FastifyRequest, body: string) => parseJsonBody(body),
    )

    await app.register(healthRoute(context))
    await app.register(jwksRoute(context))
    await app.register(settingsRoute(context))
    await app.register(async (even) => {
      answerInEvenTime(even)
      takeTurns(even, context.turns)
      await even.register(magicLinkRoute(context))
      await even.register(otpRoute(context))
      await even.register(recoverRoute(context))
      await even.register(resendRoute(context))
      await even.register(verifyRoutes(context))
      if (hidesAccounts) await even.register(signUpRoute(context))
    })
    if (!hidesAccounts) {
      await app.register(async (hooked) => {
        takeTurns(hooked, context.turns)
        await hooked.register(signUpRoute(context))
      })
    }
    await app.register(async (even) => {
      answerInEvenTime(even, 'refusals')
      takeTurns(even, context.turns)
      await even.register(tokenRoute(context))
    })
    for (const routesOf of PLAIN_ROUTES) {
      // Fastify itself would register all of them in one turn, in which nothing else of a start goes on.
      await nextTurn()
      await app.register(routesOf(context))
    }
    for (const [routesOf, which] of HOOKED_ROUTES) {
      await nextTurn()
      await app.register(async (hooked) => {
        takeTurns(hooked, context.turns, which)
        await hooked.register(routesOf(context))
      })
    }
  }
  return routes
}
