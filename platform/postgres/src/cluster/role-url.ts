import { createHmac } from 'node:crypto'

/** Reads tables past their policies and writes nothing. Made by `0003_reader_roles.sql`. */
export const READER_ROLE = 'holdfast_reader'

/** Evaluates the row filters of policies, with no rights but those of the API roles. Made by `0003_reader_roles.sql`. */
export const EVALUATOR_ROLE = 'holdfast_evaluator'

/** Runs the accounts service in the embedded cluster: owns the tables of schema `auth`, and has no rights but those. */
export const AUTH_ROLE = 'supabase_auth_admin'

/**
 * How another role of Holdfast logs in. Its password follows from the one of `authenticator`, so that one secret is stored.
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
