import { validationFailed } from '../errors.ts'
import { OAUTH_REDIRECT_URIS_MAX, OAUTH_URI_CHARS_MAX } from '../limits.ts'

const SCRIPT_SCHEMES = new Set(['javascript:', 'data:', 'file:', 'vbscript:', 'about:', 'blob:'])
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Checks the redirect URIs of an app.
 *
 * @throws {HoldfastError} `validation_failed`
 * @see RFC 6749, section 3.1.2; RFC 8252, section 7
 */
export function requireRedirectUris(uris: readonly string[]): void {
  if (uris.length === 0) throw validationFailed('redirect_uris is required')
  if (uris.length > OAUTH_REDIRECT_URIS_MAX) {
    throw validationFailed(`redirect_uris cannot exceed ${OAUTH_REDIRECT_URIS_MAX} items`)
  }
  for (const uri of uris) {
    const fault = findFault(uri)
    if (fault !== undefined) throw validationFailed(`invalid redirect_uri '${uri}': ${fault}`)
  }
}

function findFault(uri: string): string | undefined {
  if (uri === '') return 'redirect URI cannot be empty'
  if (uri.length > OAUTH_URI_CHARS_MAX) return `cannot exceed ${OAUTH_URI_CHARS_MAX} characters`
  // The URIs share one column, separated by commas.
  if (/[\s,\\]/.test(uri)) return 'must not contain spaces, commas or backslashes'
  const url = URL.parse(uri)
  if (!url) return 'invalid URL format'
  if (SCRIPT_SCHEMES.has(url.protocol)) {
    return `scheme '${url.protocol.slice(0, -1)}' is not allowed for security reasons`
  }
  if (url.host === '') return 'must have scheme and host'
  if (url.username !== '' || url.password !== '') return 'must not contain a user'
  if (url.protocol === 'http:' && !LOOPBACK_HOSTS.has(url.hostname)) return 'HTTP scheme only allowed for localhost'
  if (uri.includes('#')) return 'fragment not allowed in redirect URI'
  return undefined
}

/**
 * Returns whether a redirect URI is registered. The match is exact except for the port on loopback, which native apps learn only at
 * startup.
 *
 * @see RFC 8252, section 7.3
 */
export function isRegisteredRedirect(registered: readonly string[], uri: string): boolean {
  return registered.some((each) => each === uri || isSameLoopback(each, uri))
}

function isSameLoopback(registered: string, uri: string): boolean {
  const left = portless(registered)
  return left !== undefined && left === portless(uri)
}

/** Returns a loopback URI without its port; `undefined` for other URIs and unusual spellings. */
function portless(uri: string): string | undefined {
  const match = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?([/?].*)?$/.exec(uri)
  return match && URL.canParse(uri) ? `${match[1]}${match[2] ?? ''}` : undefined
}

/** Adds parameters to an app's redirect URI and keeps its existing ones. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const [beforeQuery = '', query = ''] = uri.split(/\?(.*)/s, 2)
  const all = new URLSearchParams(query)
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) all.set(name, value)
  return `${beforeQuery}?${all.toString()}`
}
