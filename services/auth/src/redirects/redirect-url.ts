/** Parameters of a redirect, by part of the URL. */
export interface RedirectParts {
  readonly query?: Readonly<Record<string, string>>
  readonly fragment?: Readonly<Record<string, string>>
}

/**
 * Adds parameters to a URL without changing its host or path. Query parameters replace those of the same name. A fragment replaces the
 * existing one, because clients read it whole.
 */
export function redirectUrl(base: string, { query, fragment }: RedirectParts): string {
  const [withoutFragment = '', ...oldFragment] = base.split('#')
  const [path = '', ...oldQuery] = withoutFragment.split('?')
  const parameters = new URLSearchParams(oldQuery.join('?'))
  for (const [name, value] of Object.entries(query ?? {})) parameters.set(name, value)
  const queryText = query === undefined ? oldQuery.join('?') : parameters.toString()
  const fragmentText = fragment === undefined ? oldFragment.join('#') : new URLSearchParams(fragment).toString()
  return path + (queryText === '' ? '' : `?${queryText}`) + (fragmentText === '' ? '' : `#${fragmentText}`)
}

/** OAuth 2 error code per status, where there is one. */
const OAUTH_ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  500: 'server_error',
  503: 'temporarily_unavailable',
}

/**
 * Renders an error redirect to the app: always in the fragment, and also in the query for PKCE clients.
 *
 * @see RFC 6749, section 4.2.2.1
 */
export function errorRedirectUrl(
  base: string,
  error: { readonly status: number; readonly code: string; readonly message: string },
  isPkce: boolean,
): string {
  const word = OAUTH_ERRORS[error.status]
  const fields = {
    ...(word === undefined ? {} : { error: word }),
    error_code: error.code,
    error_description: error.message,
  }
  // `sb` marks the fragment as ours.
  return redirectUrl(base, { fragment: { ...fields, sb: '' }, ...(isPkce ? { query: fields } : {}) })
}
