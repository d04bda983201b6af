import type { FastifyRequest } from 'fastify'
import { requireCaller } from '@holdfast/http'
import type { AuditActor } from '../audit-log.ts'
import { noAuthorization } from '../errors.ts'
import type { AuthOptions } from '../options/auth-options.ts'
import { userNotAllowed } from './errors.ts'

/** Placeholder id. An administrator is a key rather than a user, so the role replaces the name, as in GoTrue's audit log. */
const NOBODYS_ID = '00000000-0000-0000-0000-000000000000'

/** The acting administrator, for the audit log. */
export type Admin = AuditActor

/**
 * Requires a role of `jwtAdminRoles` in a bearer token, or in the API key alone.
 *
 * @throws {HoldfastError} `no_authorization` (401) without a token, `not_admin` (403) for another role
 */
export type RequireAdmin = (request: FastifyRequest) => Admin

export function createRequireAdmin({ jwtAdminRoles }: Pick<AuthOptions, 'jwtAdminRoles'>): RequireAdmin {
  return (request) => {
    const { role } = requireCaller(request).claims
    if (typeof role === 'string' && jwtAdminRoles.includes(role)) {
      return { id: NOBODYS_ID, email: role, phone: null, is_sso_user: false }
    }
    throw request.headers.authorization === undefined ? noAuthorization() : userNotAllowed()
  }
}
