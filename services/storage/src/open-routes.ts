/** How much a request has to show of who it is from. */
export type KeyDemand =
  /** A key or the token of a person. */
  | 'required'
  /** An invalid key or token counts as none. */
  | 'optional'
  /** Not looked at: the address is public, or signed. */
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
 * Browsers ask for images without a key, so that many addresses cannot insist on one.
 *
 * @param path - below where the service is mounted, without the query
 */
export function keyDemandOf(method: string, path: string): KeyDemand {
  const matches = (rules: typeof ANY_KEY): boolean =>
    rules.some(([methods, pattern]) => methods.split(' ').includes(method) && pattern.test(path))
  if (method === 'OPTIONS' || matches(ANY_KEY)) return 'none'
  return matches(OPTIONAL_KEY) ? 'optional' : 'required'
}
