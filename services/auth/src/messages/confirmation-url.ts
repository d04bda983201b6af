/** Type in a mail's link to `/verify`. */
export type LinkType = 'signup' | 'recovery' | 'magiclink' | 'invite' | 'email_change'

/**
 * Returns the link of a mail's button.
 *
 * @param input.issuer - URL of this API, without a trailing slash
 * @param input.tokenHash - with its PKCE prefix, if any
 * @see GoTrue, internal/mailer/templatemailer, "getPath"
 */
export function confirmationUrl(input: {
  readonly issuer: string
  readonly tokenHash: string
  readonly type: LinkType
  readonly redirectTo: string
}): string {
  const { issuer, tokenHash, type, redirectTo } = input
  return `${issuer}/verify?token=${encodeURIComponent(tokenHash)}&type=${type}&redirect_to=${encodeRedirect(redirectTo)}`
}

/**
 * Returns the page that asks for a click before it opens a confirmation link, so that mail scanners that open every link do not use it up.
 * The app serves the page next to the API. An API not at `/auth/v1` has no such page, so its links lead to `/verify` directly.
 */
export function confirmPageUrl(confirmation: string): string {
  return confirmation.replace(/^(https?:\/\/[^?]*)\/auth\/v1\/verify\?/, '$1/auth/confirm?')
}

/** Leaves unambiguous URLs readable, as in GoTrue's mails. */
function encodeRedirect(redirectTo: string): string {
  return /[&=#+%\s"'<>]/.test(redirectTo) ? encodeURIComponent(redirectTo) : redirectTo
}
