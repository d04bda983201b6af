/** A path of this app, or `undefined`: a whole address from a link would lead elsewhere. */
export function ownPath(path: string | undefined): string | undefined {
  const isOwn = path !== undefined && path.startsWith('/') && !path.startsWith('//') && !path.startsWith('/\\')
  return isOwn ? path : undefined
}
