/** Type in a mail's link to `/verify`. */
export type LinkType = 'signup' | 'recovery' | 'magiclink' | 'invite' | 'email_change'

/**
 * The address behind the button of a mail.
 *
 * @param input.issuer - the address of this API, without a slash at the end
 * @param input.tokenHash - with the mark of PKCE, if it has one
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
 * The page that asks for a press before it goes to such an address, so that programs that open every link of a mail use nothing up. It belongs to the app, beside the
 * API; where the API has another address than `/auth/v1` there is no such page, and the link leads to `/verify` itself.
 */
export function confirmPageUrl(confirmation: string): string {
  return confirmation.replace(/^(https?:\/\/[^?]*)\/auth\/v1\/verify\?/, '$1/auth/confirm?')
}

/** As in GoTrue's mails, unambiguous URLs stay readable. */
function encodeRedirect(redirectTo: string): string {
  return /[&=#+%\s"'<>]/.test(redirectTo) ? encodeURIComponent(redirectTo) : redirectTo
}
