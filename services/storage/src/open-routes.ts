/** Credentials that a request needs. */
export type KeyDemand =
  /** An API key or a user's token. */
  | 'required'
  /** An invalid key or token counts as absent. */
  | 'optional'
  /** Not checked: the URL is public or signed. */
  | 'none'

const ANY_KEY: readonly (readonly [methods: string, path: RegExp])[] = [
  ['GET HEAD', /^\/object\/(?:public|sign|info\/public)\/[^/]+\/./],
  ['PUT', /^\/object\/upload\/sign\/[^/]+\/./],
  ['POST HEAD PATCH DELETE', /^\/upload\/resumable\/sign(?:\/|$)/],
  ['GET HEAD', /^\/render\/image\/(?:public|sign)\/[^/]+\/./],
  ['GET HEAD PUT POST DELETE', /^\/s3(?:\/|$)/],
  ['GET', /^\/(?:status|health|version)$/],
]

const OPTIONAL_KEY: readonly (readonly [methods: string, path: RegExp])[] = [
  ['GET HEAD', /^\/object\/(?!authenticated\/[^/]+\/.)(?!info\/authenticated\/[^/]+\/.)[^/]+\/./],
]

/**
 * Returns the credentials a route needs. Browsers request images without a key, so many routes accept that.
 *
 * @param path - below the mount point, without the query
 */
export function keyDemandOf(method: string, path: string): KeyDemand {
  const matches = (rules: typeof ANY_KEY): boolean =>
    rules.some(([methods, pattern]) => methods.split(' ').includes(method) && pattern.test(path))
  if (method === 'OPTIONS' || matches(ANY_KEY)) return 'none'
  return matches(OPTIONAL_KEY) ? 'optional' : 'required'
}
