/** What a person had asked for when a mail or a provider brings them back. `link` is a sign-in link. */
export const FLOWS = ['sign-up', 'link', 'recovery', 'email-change', 'provider', 'identity'] as const
export type Flow = (typeof FLOWS)[number]

/**
 * The address that mails and providers lead back to; the screen there takes the session up, or says why the link did not work.
 *
 * @param redirect - a path of this app where the person goes on
 * @param provider - the provider's name for people, to be named when it did not confirm
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
