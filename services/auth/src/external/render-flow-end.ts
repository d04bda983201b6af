import { HoldfastError } from '@holdfast/foundation'
import { redirectUrl } from '../redirects/redirect-url.ts'
import { renderSessionFragment } from '../sessions/render-session.ts'
import type { FlowEnd } from './finish-flow.ts'

/** Errors that concern the user, whatever their status. */
const DENIALS = new Set(['signup_disabled', 'user_banned', 'provider_email_needs_verification'])

/** OAuth error code per status. */
const WORDS: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  500: 'server_error',
  503: 'temporarily_unavailable',
}

/** Length limit in characters of a provider's error description. */
const DESCRIPTION_CHARS_MAX = 500

/** Renders the final redirect. Errors appear in the query and again after `#`, where auth-js reads them. Source: GoTrue API reference. */
export function renderFlowEnd(
  end: FlowEnd,
  siteUrl: string,
): { readonly status: 302 | 303; readonly location: string } {
  switch (end.kind) {
    case 'unknown':
      return { status: 303, location: redirectUrl(siteUrl, { query: describeError(end.error) }) }
    case 'failed':
      return { status: 302, location: withError(end.redirectTo, describeError(end.error)) }
    case 'refused': {
      const description = end.description.slice(0, DESCRIPTION_CHARS_MAX)
      const error = end.error.slice(0, DESCRIPTION_CHARS_MAX)
      return { status: 302, location: withError(end.redirectTo, { error, error_description: description }) }
    }
    case 'code':
      return { status: 302, location: redirectUrl(end.redirectTo, { query: { code: end.code } }) }
    case 'tokens': {
      const fragment = {
        ...renderSessionFragment(end.signedIn),
        ...(end.providerRefreshToken ? { provider_refresh_token: end.providerRefreshToken } : {}),
        provider_token: end.providerToken,
      }
      return { status: 302, location: redirectUrl(end.redirectTo, { fragment }) }
    }
  }
}

function describeError(error: unknown): Record<string, string> {
  if (!(error instanceof HoldfastError)) {
    return {
      error: 'server_error',
      error_code: 'unexpected_failure',
      error_description: 'Unexpected failure, please check server logs for more information',
    }
  }
  const word = DENIALS.has(error.code) ? 'access_denied' : (WORDS[error.status] ?? 'server_error')
  return { error: word, error_code: error.code, error_description: error.message }
}

function withError(redirectTo: string, error: Record<string, string>): string {
  return redirectUrl(redirectTo, { query: error, fragment: { ...error, sb: '' } })
}
