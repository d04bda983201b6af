import { createHmac } from 'node:crypto'

/** Reads tables bypassing policies; read-only. Created by `0003_reader_roles.sql`. */
export const READER_ROLE = 'holdfast_reader'

/** Evaluates the row filters of policies with only the API roles' rights. Created by `0003_reader_roles.sql`. */
export const EVALUATOR_ROLE = 'holdfast_evaluator'

/** Runs the auth service in the embedded cluster: owns the tables of schema `auth`, without other rights. */
export const AUTH_ROLE = 'supabase_auth_admin'

/**
 * Returns the URL of another Holdfast role. Its password is derived from `authenticator`'s, so only one secret is stored.
 *
 * @param requestUrl - connects as `authenticator`, or as `authenticator.<project>` through a pooler
 */
export function roleUrl(requestUrl: string, role: string): string {
  const url = new URL(requestUrl)
  const tenant = /\.(.+)$/.exec(url.username)?.[0] ?? ''
  url.password = createHmac('sha256', decodeURIComponent(url.password)).update(role).digest('base64url')
  url.username = `${role}${tenant}`
  return url.href
}
