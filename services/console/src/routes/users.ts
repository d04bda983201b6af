import { includesRole, type ListedUser } from '@holdfast/protocol'
import { Type } from 'typebox'
import type { Pool } from '@holdfast/postgres'
import { requestApi, type CallApi } from '../call-api.ts'
import { invalidRequest } from '../errors.ts'
import { PAGE_ROWS, PAGE_ROWS_MAX, SUPPORT_SESSION_S } from '../limits.ts'
import { requireOperator } from '../operators/require-operator.ts'
import { answer, route, type Call, type Route } from '../routing/route.ts'
import { estimateUsers, listUsers } from '../users/list-users.ts'
import { maskEmail, maskName, maskPhone } from '../users/mask.ts'

export interface UserRoutesNeeds {
  readonly pool: Pool
  readonly callApi: CallApi
}

/** Fields of the accounts API that the console changes. */
const UserBody = Type.Object(
  {
    email: Type.Optional(Type.String({ maxLength: 255 })),
    phone: Type.Optional(Type.String({ maxLength: 20 })),
    password: Type.Optional(Type.String({ maxLength: 200 })),
    email_confirm: Type.Optional(Type.Boolean()),
    phone_confirm: Type.Optional(Type.Boolean()),
    user_metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    app_metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    /** A duration such as `24h`, or `none`. */
    ban_duration: Type.Optional(Type.String({ maxLength: 40 })),
  },
  { additionalProperties: false },
)

/** `support`: the session that it starts ends after {@link SUPPORT_SESSION_S} and is marked as support. */
const LINK_KINDS = Type.Union([Type.Literal('recovery'), Type.Literal('magiclink'), Type.Literal('support')])

/** Users of the project, through the accounts API. Viewers see masked personal data. */
export function userRoutes({ pool, callApi }: UserRoutesNeeds): readonly Route[] {
  return [...readRoutes(pool, callApi), ...changeRoutes(callApi), ...linkRoutes(callApi), ...sessionRoutes(callApi)]
}

interface AccountUser {
  readonly id: string
  readonly email?: string
  readonly [field: string]: unknown
}

function readRoutes(pool: Pool, call: CallApi): readonly Route[] {
  return [
    route('GET /users', {
      access: 'viewer',
      query: Type.Object({
        search: Type.Optional(Type.String({ maxLength: 255 })),
        state: Type.Optional(
          Type.Union([Type.Literal('banned'), Type.Literal('unconfirmed'), Type.Literal('anonymous')]),
        ),
        after: Type.Optional(Type.String({ pattern: '^[0-9T:.Z-]{20,32} [0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_ROWS_MAX })),
      }),
      run: async ({ query, session }) => {
        const { role } = requireOperator(session).operator
        // A search would reveal what masks hide, letter by letter.
        if (role === 'viewer' && query.search !== undefined && !UUID.test(query.search))
          throw invalidRequest('With the role viewer, search by the id of a user.')
        const [{ users, next }, estimate] = await Promise.all([
          listUsers(pool, { ...query, limit: query.limit ?? PAGE_ROWS }),
          estimateUsers(pool),
        ])
        const shown = includesRole(role, 'developer') ? users : users.map(masked)
        return { users: shown, estimate, ...(next !== undefined && { next }) }
      },
    }),
    route('GET /users/:id', {
      access: 'developer',
      run: async ({ parameters }) => {
        const path = pathOf(parameters)
        const [user, factors, sessions, passkeys] = await Promise.all(
          ['', '/factors', '/sessions', '/passkeys'].map((part) =>
            requestApi<AccountUser>(call, 'auth', { method: 'GET', path: `${path}${part}` }),
          ),
        )
        return { user, factors, sessions, passkeys }
      },
    }),
  ]
}

function changeRoutes(call: CallApi): readonly Route[] {
  return [
    route('POST /users', {
      access: 'developer',
      action: 'create_user',
      body: UserBody,
      run: async ({ body, note }) => {
        note({ target: `user ${body.email ?? body.phone ?? ''}`, after: withoutPassword(body) })
        const user = await requestApi<AccountUser>(call, 'auth', { method: 'POST', path: '/admin/users', body })
        note({ target: `user ${user.id}` })
        return answer({ status: 201, body: { user } })
      },
    }),
    route('POST /users/invite', {
      access: 'developer',
      action: 'invite_user',
      body: Type.Object({ email: Type.String({ maxLength: 255 }) }),
      run: async ({ body, note }) => {
        note({ target: `user ${body.email}` })
        const user = await requestApi<AccountUser>(call, 'auth', { method: 'POST', path: '/invite', body })
        return answer({ status: 201, body: { user } })
      },
    }),
    route('PATCH /users/:id', {
      access: 'developer',
      action: 'change_user',
      body: UserBody,
      run: async ({ parameters, body, note }) => {
        const path = pathOf(parameters)
        const before = await requestApi<AccountUser>(call, 'auth', { method: 'GET', path })
        const changed = Object.keys(body).filter((field) => field !== 'password')
        note({
          target: targetOf(before),
          before: Object.fromEntries(
            changed.map((field) => [field, before[field === 'ban_duration' ? 'banned_until' : field]]),
          ),
          after: withoutPassword(body),
        })
        return { user: await requestApi<AccountUser>(call, 'auth', { method: 'PUT', path, body }) }
      },
    }),
    route('DELETE /users/:id', {
      access: 'developer',
      action: 'delete_user',
      run: async ({ parameters, note }) => {
        const path = pathOf(parameters)
        const before = await requestApi<AccountUser>(call, 'auth', { method: 'GET', path })
        note({ target: targetOf(before), before: { email: before.email, created_at: before['created_at'] } })
        await requestApi(call, 'auth', { method: 'DELETE', path })
      },
    }),
  ]
}

/** Links and mails that sign a user in. */
function linkRoutes(call: CallApi): readonly Route[] {
  return [
    route('POST /users/:id/link', {
      access: 'developer',
      action: 'create_sign_in_link',
      body: Type.Object({ kind: LINK_KINDS }),
      run: async ({ parameters, body, note }) => {
        const user = await requestApi<AccountUser>(call, 'auth', { method: 'GET', path: pathOf(parameters) })
        const isSupport = body.kind === 'support'
        note({ target: targetOf(user), after: isSupport ? { ...body, seconds: SUPPORT_SESSION_S } : body })
        if (!user.email) throw invalidRequest('This user has no email address, and so no link.')
        const link = await requestApi<{ readonly action_link: string }>(call, 'auth', {
          method: 'POST',
          path: '/admin/generate_link',
          body: {
            type: isSupport ? 'magiclink' : body.kind,
            email: user.email,
            ...(isSupport && { support_seconds: SUPPORT_SESSION_S }),
          },
        })
        return { link: link.action_link }
      },
    }),
    route('POST /users/:id/recover', {
      access: 'developer',
      action: 'send_recovery_mail',
      run: async ({ parameters, note }) => {
        const user = await requestApi<AccountUser>(call, 'auth', { method: 'GET', path: pathOf(parameters) })
        note({ target: targetOf(user) })
        if (!user.email) throw invalidRequest('This user has no email address.')
        await requestApi(call, 'auth', { method: 'POST', path: '/recover', body: { email: user.email } })
      },
    }),
  ]
}

function sessionRoutes(call: CallApi): readonly Route[] {
  const deletion = (part: 'factors' | 'passkeys' | 'sessions', action: string): Route =>
    route(`DELETE /users/:id/${part}/:part`, {
      access: 'developer',
      action,
      run: async ({ parameters, note }) => {
        const id = parameters['part'] ?? ''
        if (!UUID.test(id)) throw invalidRequest('The id is not a UUID.')
        note({ target: `user ${parameters['id'] ?? ''}`, before: { id } })
        await requestApi(call, 'auth', { method: 'DELETE', path: `${pathOf(parameters)}/${part}/${id}` })
      },
    })
  return [
    deletion('factors', 'delete_factor'),
    deletion('passkeys', 'delete_passkey'),
    deletion('sessions', 'end_session'),
    route('DELETE /users/:id/sessions', {
      access: 'developer',
      action: 'end_sessions',
      run: async ({ parameters, note }) => {
        note({ target: `user ${parameters['id'] ?? ''}` })
        await requestApi(call, 'auth', { method: 'DELETE', path: `${pathOf(parameters)}/sessions` })
      },
    }),
  ]
}

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** @throws {HoldfastError} `invalid_request` for an id that is no UUID, which must not become part of a path */
function pathOf(parameters: Call['parameters']): string {
  const { id = '' } = parameters
  if (!UUID.test(id)) throw invalidRequest('The id of a user is a UUID.')
  return `/admin/users/${id}`
}

function targetOf({ id, email }: AccountUser): string {
  return email ? `user ${id} (${email})` : `user ${id}`
}

/** Passwords are never logged. */
function withoutPassword(body: { readonly password?: string }): unknown {
  const { password, ...others } = body
  return password === undefined ? others : { ...others, password: '(set)' }
}

function masked(user: ListedUser): ListedUser {
  return { ...user, email: maskEmail(user.email), phone: maskPhone(user.phone), name: maskName(user.name) }
}
