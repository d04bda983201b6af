/** Placeholder for this app's origin. */
const HERE = 'https://own.invalid'

/**
 * Returns a path of this app, or `undefined` for other URLs, so that a link cannot lead to another site. Resolved like a browser does, which drops line breaks
 * and treats backslashes as slashes.
 */
export function ownPath(path: string | undefined): string | undefined {
  if (!path?.startsWith('/') || !URL.canParse(path, HERE)) return undefined
  return new URL(path, HERE).origin === HERE ? path : undefined
}
