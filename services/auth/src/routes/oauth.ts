import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { validationFailed } from '../errors.ts'
import { BODY_BYTES_MAX, JWKS_MAX_AGE_S } from '../limits.ts'
import { authenticateClient } from '../oauth-server/authenticate-client.ts'
import { beginAuthorization, type BeginAuthorizationNeeds } from '../oauth-server/begin-authorization.ts'
import { ClientBody } from '../oauth-server/client-metadata.ts'
import { renderClient } from '../oauth-server/client-row.ts'
import { registerClient } from '../oauth-server/clients.ts'
import { listGrants, revokeGrant } from '../oauth-server/consents.ts'
import {
  decideAuthorization,
  describeAuthorization,
  type DecideAuthorizationNeeds,
} from '../oauth-server/decide-authorization.ts'
import { dynamicRegistrationDisabled, oauthServerDisabled } from '../oauth-server/errors.ts'
import { acceptForms, readFields } from '../oauth-server/form-body.ts'
import { renderUserInfo } from '../oauth-server/id-token.ts'
import { renderOAuthError } from '../oauth-server/render-oauth-error.ts'
import { parseScopes } from '../oauth-server/scopes.ts'
import { describeServer, type DescribeServerNeeds } from '../oauth-server/server-metadata.ts'
import { grantTokens, type GrantTokensNeeds } from '../oauth-server/token-grants.ts'
import type { AuthOptions } from '../options/auth-options.ts'
import type { RateLimits } from '../rate-limits.ts'
import { renderError } from '../render-error.ts'
import { OptionalText } from '../request-body.ts'
import { originOf } from '../request-origin.ts'
import type { UserRow } from '../users/user-row.ts'

type Needs = BeginAuthorizationNeeds &
  DecideAuthorizationNeeds &
  DescribeServerNeeds &
  GrantTokensNeeds & { readonly limits: Pick<RateLimits, 'signIn'> }

const AuthorizationParams = Type.Object({ authorization_id: Type.String() })
const ConsentBody = Type.Object({ action: OptionalText })
const GrantQuery = Type.Object({ client_id: Type.Optional(Type.String()) })

/**
 * The OAuth server for other apps: `/oauth/*`, `/user/oauth/grants` and discovery. With `oauthServerEnabled` off, every route except OpenID
 * discovery behaves as if it did not exist. Source: GoTrue API reference, OAuth 2.1, OpenID Connect.
 */
export function oauthRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/.well-known/openid-configuration', async (_request, reply) => {
      void reply.header('cache-control', `public, max-age=${JWKS_MAX_AGE_S}`)
      return describeServer(needs)
    })
    await app.register(appRoutes(needs))
    await app.register(userConsentRoutes(needs))
    await app.register(tokenRoutes(needs))
  }
}

/**
 * Serves the discovery document at the well-known URL for issuers with a path, which comes before the path.
 *
 * @see RFC 8414, section 3
 */
export function discoveryRoutes(needs: Needs): FastifyPluginAsync {
  const { issuer, logger, options } = needs
  return async (app) => {
    app.setErrorHandler((error, request, reply) => renderError(error, request, reply, logger))
    app.addHook('onRequest', requireEnabled(options))
    const { pathname } = new URL(issuer)
    app.get(`/.well-known/oauth-authorization-server${pathname}`, async (_request, reply) => {
      void reply.header('cache-control', `public, max-age=${JWKS_MAX_AGE_S}`)
      return describeServer(needs)
    })
  }
}

function requireEnabled(options: Pick<AuthOptions, 'oauthServerEnabled'>): () => Promise<void> {
  return async () => {
    if (!options.oauthServerEnabled) throw oauthServerDisabled()
  }
}

/** Routes for apps and their browsers. */
function appRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  const { limits, options, sessions } = needs
  return async (app) => {
    app.addHook('onRequest', requireEnabled(options))

    app.get('/.well-known/oauth-authorization-server', async (_request, reply) => {
      void reply.header('cache-control', `public, max-age=${JWKS_MAX_AGE_S}`)
      return describeServer(needs)
    })

    const schema = { body: ClientBody }
    app.post('/oauth/clients/register', { schema, bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
      if (!options.oauthServerAllowDynamicRegistration) throw dynamicRegistrationDisabled()
      await limits.signIn.take(request.ip)
      const { client, secret } = await registerClient(needs, { metadata: request.body, registration: 'dynamic' })
      return reply.code(201).header('cache-control', 'no-store').send(renderClient(client, secret))
    })

    app.get('/oauth/authorize', async (request, reply) => {
      await limits.refresh.take(request.ip)
      const query = new URLSearchParams(request.url.split(/\?(.*)/s, 2)[1] ?? '')
      return reply.header('cache-control', 'no-store').redirect(await beginAuthorization(needs, query), 302)
    })

    const userInfo = async (request: FastifyRequest): Promise<Record<string, unknown>> => {
      const { user, session } = await sessions.requireUser(request)
      return renderUserInfo(user, parseScopes(session?.scopes ?? ''))
    }
    app.get('/oauth/userinfo', userInfo)
    app.post('/oauth/userinfo', userInfo)
  }
}

/** Routes of the consent page, as the user. */
function userConsentRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  const { pool, options, redirects, sessions } = needs
  /** Requires the user in their own client, on a page of this project. */
  const requireOwnClientHere = async (request: FastifyRequest): Promise<UserRow> => {
    const { origin } = request.headers
    if (origin !== undefined && origin !== '' && !redirects.isAllowed(origin)) {
      throw validationFailed('unauthorized request origin')
    }
    return (await sessions.requireOwnClient(request)).user
  }

  return async (app) => {
    app.addHook('onRequest', requireEnabled(options))

    const schema = { params: AuthorizationParams }
    app.get('/oauth/authorizations/:authorization_id', { schema }, async (request) => {
      const user = await requireOwnClientHere(request)
      return describeAuthorization(needs, { authorizationId: request.params.authorization_id, user })
    })

    const consentSchema = { params: AuthorizationParams, body: ConsentBody }
    app.post('/oauth/authorizations/:authorization_id/consent', { schema: consentSchema }, async (request) => {
      const user = await requireOwnClientHere(request)
      const { authorization_id: authorizationId } = request.params
      const action = request.body.action ?? ''
      return { redirect_url: await decideAuthorization(needs, { authorizationId, user, action }) }
    })

    app.get('/user/oauth/grants', async (request) => {
      const { user } = await sessions.requireOwnClient(request)
      return listGrants(pool, user.id)
    })

    app.delete('/user/oauth/grants', { schema: { querystring: GrantQuery } }, async (request, reply) => {
      const { user } = await sessions.requireOwnClient(request)
      await revokeGrant(needs, { user, clientId: request.query.client_id ?? '', address: request.ip })
      return reply.code(204).send()
    })
  }
}

/** Routes for apps with a secret or verifier. */
function tokenRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  const { pool, limits, logger, options } = needs
  return async (app) => {
    app.setErrorHandler((error, request, reply) => renderOAuthError(error, request, reply, logger))
    acceptForms(app)
    app.addHook('onRequest', requireEnabled(options))

    app.post('/oauth/token', { bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
      const origin = originOf(request)
      await limits.refresh.take(origin.address)
      const body = readFields(request)
      const client = await authenticateClient(pool, { authorization: request.headers.authorization, body })
      void reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
      return grantTokens(needs, { client, body, origin })
    })
  }
}
