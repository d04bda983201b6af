/** Parameters of a redirect, by part of the URL. */
export interface RedirectParts {
  readonly query?: Readonly<Record<string, string>>
  readonly fragment?: Readonly<Record<string, string>>
}

/**
 * Adds parameters to an address without touching its host or path. Those of the query replace ones of the same name; a fragment replaces
 * the one that was there, because clients read it whole.
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

/** The words of OAuth 2 for a status; others have none. */
const OAUTH_ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  500: 'server_error',
  503: 'temporarily_unavailable',
}

/**
 * An error on its way back to the app: in the fragment always, and in the query for clients that use PKCE.
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
  // `sb` tells clients that this fragment is ours.
  return redirectUrl(base, { fragment: { ...fields, sb: '' }, ...(isPkce ? { query: fields } : {}) })
}
