/** The user's intent when a mail or provider leads back. `link` is a sign-in link. */
export const FLOWS = ['sign-up', 'link', 'recovery', 'email-change', 'provider', 'identity'] as const
export type Flow = (typeof FLOWS)[number]

/**
 * The URL for mails and providers to return to; its screen accepts the session or explains why the link failed.
 *
 * @param redirect - path of this app to continue at
 * @param provider - display name, for a failed confirmation
 */
export function callbackUrl({
  flow,
  redirect,
  provider,
}: {
  readonly flow: Flow
  readonly redirect?: string | undefined
  readonly provider?: string | undefined
}): string {
  const url = new URL('/auth/callback', location.origin)
  url.searchParams.set('flow', flow)
  if (redirect !== undefined) url.searchParams.set('redirect', redirect)
  if (provider !== undefined) url.searchParams.set('provider', provider)
  return url.href
}
