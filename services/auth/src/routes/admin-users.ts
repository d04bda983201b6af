import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { AccountBody, parseAccountAttributes } from '../admin/account-attributes.ts'
import {
  changeFactor,
  deleteFactor,
  listFactors,
  endSessionsOf,
  listSessions,
  deletePasskey,
  listPasskeys,
} from '../admin/account-parts.ts'
import { changeAccount, type ChangeAccountNeeds } from '../admin/change-account.ts'
import { createAccount, type CreateAccountNeeds } from '../admin/create-account.ts'
import { deleteAccount } from '../admin/delete-account.ts'
import { findAccount } from '../admin/find-account.ts'
import { listUsers, parseSort } from '../admin/list-users.ts'
import { addPageHeaders, parsePage } from '../admin/pagination.ts'
import type { RequireAdmin } from '../admin/require-admin.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { OptionalFlag, optional, OptionalText } from '../request-body.ts'
import { renderUser } from '../users/render-user.ts'

type Needs = ChangeAccountNeeds & CreateAccountNeeds & { readonly requireAdmin: RequireAdmin }

const ListQuery = Type.Object({
  page: Type.Optional(Type.String()),
  per_page: Type.Optional(Type.String()),
  sort: Type.Optional(Type.String()),
  filter: Type.Optional(Type.String()),
})

const UserParams = Type.Object({ user_id: Type.String() })
const FactorParams = Type.Object({ user_id: Type.String(), factor_id: Type.String() })
const PasskeyParams = Type.Object({ user_id: Type.String(), passkey_id: Type.String() })
const SessionParams = Type.Object({ user_id: Type.String(), session_id: Type.String() })

const DeleteBody = optional(Type.Object({ should_soft_delete: OptionalFlag }))
const FactorBody = Type.Object({ friendly_name: OptionalText, phone: OptionalText })

/** `/admin/users`: administration of accounts. Source: GoTrue API reference, and auth-js's `GoTrueAdminApi`. */
export function adminUserRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  return async (app) => {
    await app.register(accountRoutes(needs))
    await app.register(factorRoutes(needs))
    await app.register(passkeyRoutes(needs))
    await app.register(sessionRoutes(needs))
  }
}

function accountRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  const { pool, requireAdmin } = needs
  return async (app) => {
    app.get('/admin/users', { schema: { querystring: ListQuery } }, async (request, reply) => {
      requireAdmin(request)
      const { query, headers } = request
      const sort = parseSort(query.sort)
      const page = parsePage(query)
      const named = headers['x-jwt-aud']
      const aud = typeof named === 'string' && named !== '' ? named : 'authenticated'
      const { users, total } = await listUsers(pool, { audience: aud, filter: query.filter ?? '', sort, page })
      addPageHeaders(reply, request.url, page, total)
      return { users: users.map(renderUser), aud }
    })

    app.post('/admin/users', { schema: { body: AccountBody }, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const admin = requireAdmin(request)
      const attributes = parseAccountAttributes(request.body)
      const id = request.body.id || undefined
      return renderUser(await createAccount(needs, { id, attributes, admin, address: request.ip }))
    })

    app.get('/admin/users/:user_id', { schema: { params: UserParams } }, async (request) => {
      requireAdmin(request)
      return renderUser(await findAccount(pool, request.params.user_id))
    })

    const changeSchema = { params: UserParams, body: AccountBody }
    app.put('/admin/users/:user_id', { schema: changeSchema, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const admin = requireAdmin(request)
      const attributes = parseAccountAttributes(request.body)
      const userId = request.params.user_id
      return renderUser(await changeAccount(needs, { userId, attributes, admin, address: request.ip }))
    })

    app.delete('/admin/users/:user_id', { schema: { params: UserParams, body: DeleteBody } }, async (request) => {
      const admin = requireAdmin(request)
      const isSoft = request.body?.should_soft_delete ?? false
      await deleteAccount(needs, { userId: request.params.user_id, isSoft, admin, address: request.ip })
      return {}
    })
  }
}

function factorRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  const { pool, requireAdmin } = needs
  return async (app) => {
    app.get('/admin/users/:user_id/factors', { schema: { params: UserParams } }, async (request) => {
      requireAdmin(request)
      return listFactors(pool, request.params.user_id)
    })

    const factorSchema = { params: FactorParams, body: FactorBody }
    app.put('/admin/users/:user_id/factors/:factor_id', { schema: factorSchema }, async (request) => {
      const admin = requireAdmin(request)
      const { user_id: userId, factor_id: factorId } = request.params
      const { friendly_name: friendlyName, phone } = request.body
      return changeFactor(needs, {
        userId,
        factorId,
        friendlyName: friendlyName ?? '',
        phone: phone ?? '',
        admin,
        address: request.ip,
      })
    })

    app.delete('/admin/users/:user_id/factors/:factor_id', { schema: { params: FactorParams } }, async (request) => {
      const admin = requireAdmin(request)
      const { user_id: userId, factor_id: factorId } = request.params
      return deleteFactor(needs, { userId, factorId, admin, address: request.ip })
    })
  }
}

function passkeyRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  const { pool, requireAdmin } = needs
  return async (app) => {
    app.get('/admin/users/:user_id/passkeys', { schema: { params: UserParams } }, async (request) => {
      requireAdmin(request)
      return listPasskeys(pool, request.params.user_id)
    })

    const passkeySchema = { params: PasskeyParams }
    app.delete('/admin/users/:user_id/passkeys/:passkey_id', { schema: passkeySchema }, async (request, reply) => {
      const admin = requireAdmin(request)
      const { user_id: userId, passkey_id: passkeyId } = request.params
      await deletePasskey(needs, { userId, passkeyId, admin, address: request.ip })
      return reply.code(204).send()
    })
  }
}

/** Session routes. Not part of GoTrue's API, which signs users out only with their own token. */
function sessionRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  const { pool, requireAdmin } = needs
  return async (app) => {
    app.get('/admin/users/:user_id/sessions', { schema: { params: UserParams } }, async (request) => {
      requireAdmin(request)
      return listSessions(pool, request.params.user_id)
    })

    app.delete('/admin/users/:user_id/sessions', { schema: { params: UserParams } }, async (request, reply) => {
      const admin = requireAdmin(request)
      const userId = request.params.user_id
      await endSessionsOf(needs, { userId, sessionId: undefined, admin, address: request.ip })
      return reply.code(204).send()
    })

    const sessionSchema = { params: SessionParams }
    app.delete('/admin/users/:user_id/sessions/:session_id', { schema: sessionSchema }, async (request, reply) => {
      const admin = requireAdmin(request)
      const { user_id: userId, session_id: sessionId } = request.params
      await endSessionsOf(needs, { userId, sessionId, admin, address: request.ip })
      return reply.code(204).send()
    })
  }
}
