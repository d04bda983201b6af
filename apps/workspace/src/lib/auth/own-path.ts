/** Stands for this app's own address, whatever that is. */
const HERE = 'https://own.invalid'

/**
 * A path of this app, or `undefined`: a whole address from a link would lead to another site. The path is resolved as a
 * browser resolves it, which leaves out line breaks and takes a backslash for a slash.
 */
export function ownPath(path: string | undefined): string | undefined {
  if (!path?.startsWith('/') || !URL.canParse(path, HERE)) return undefined
  return new URL(path, HERE).origin === HERE ? path : undefined
}
