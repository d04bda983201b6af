/** What `GET /verify` and `POST /verify` take as `type` from a mail. */
export type MailVerification = 'signup' | 'invite' | 'magiclink' | 'recovery' | 'email_change'

/**
 * The link of a mail. Opening it is the verification.
 *
 * @param input.issuer - the address of this API
 * @param input.redirectTo - where it leads afterwards
 */
export function buildVerifyLink(input: {
  readonly issuer: string
  readonly tokenHash: string
  readonly type: MailVerification
  readonly redirectTo: string
}): string {
  const query = new URLSearchParams({ token: input.tokenHash, type: input.type, redirect_to: input.redirectTo })
  return `${input.issuer}/verify?${query.toString()}`
}
