import { SignJWT } from 'jose'
import type { Clock } from '@holdfast/foundation'
import { ID_TOKEN_LIFETIME_S } from '../limits.ts'
import type { SigningKeys } from '../tokens/signing-keys.ts'
import type { UserRow } from '../users/user-row.ts'

export type SignIdTokenNeeds = { readonly clock: Clock; readonly issuer: string; readonly keys: SigningKeys }

/**
 * The `typ` of ID tokens. The verifier accepts only `JWT`, the type of access tokens, so an app that receives an ID token cannot use it to
 * act as the user.
 */
const ID_TOKEN_TYPE = 'id_token+jwt'

/**
 * Signs an ID token about a user who has just signed in to an app.
 *
 * @param input.authTimeMs - when the user authenticated
 * @see OpenID Connect Core 1.0, section 2
 */
export function signIdToken(
  { clock, issuer, keys }: SignIdTokenNeeds,
  input: {
    readonly user: UserRow
    readonly clientId: string
    readonly nonce: string | null
    readonly scopes: readonly string[]
    readonly authTimeMs: number
  },
): Promise<string> {
  const { user, clientId, nonce, scopes } = input
  const issuedAtS = Math.floor(clock.now() / 1000)
  const { kid, algorithm, privateKey } = keys.current
  return new SignJWT({
    iss: issuer,
    sub: user.id,
    aud: clientId,
    exp: issuedAtS + ID_TOKEN_LIFETIME_S,
    iat: issuedAtS,
    auth_time: Math.floor(input.authTimeMs / 1000),
    ...(nonce === null ? {} : { nonce }),
    ...userClaims(user, scopes),
    client_id: clientId,
  })
    .setProtectedHeader({ alg: algorithm, kid, typ: ID_TOKEN_TYPE })
    .sign(privateKey)
}

/**
 * Returns a user's OpenID claims per scope.
 *
 * @see OpenID Connect Core 1.0, section 5.4
 */
export function userClaims(user: UserRow, scopes: readonly string[]): Record<string, unknown> {
  const metadata = user.raw_user_meta_data ?? {}
  const firstText = (...names: readonly string[]): string | undefined =>
    names.map((name) => metadata[name]).find((value): value is string => typeof value === 'string' && value !== '')
  const email = user.email ?? ''
  const phone = user.phone ?? ''
  const claims: Record<string, unknown> = {}
  if (scopes.includes('email') && email !== '') {
    claims['email'] = email
    claims['email_verified'] = user.email_confirmed_at !== null
  }
  if (scopes.includes('phone') && phone !== '') {
    claims['phone_number'] = phone
    claims['phone_number_verified'] = user.phone_confirmed_at !== null
  }
  if (scopes.includes('profile')) {
    const name = firstText('name', 'full_name') ?? (email || undefined)
    const picture = firstText('picture', 'avatar_url')
    const username = firstText('preferred_username', 'username')
    if (name !== undefined) claims['name'] = name
    if (picture !== undefined) claims['picture'] = picture
    if (username !== undefined) claims['preferred_username'] = username
    if (user.updated_at !== null) claims['updated_at'] = Math.floor(user.updated_at.getTime() / 1000)
  }
  return claims
}

/**
 * Renders the UserInfo response: the same claims with GoTrue's name for the phone number, and all metadata for `profile`.
 *
 * @param scopes - of the session; none for a session not given to an app
 */
export function renderUserInfo(user: UserRow, scopes: readonly string[]): Record<string, unknown> {
  const claims = userClaims(user, scopes)
  return {
    sub: user.id,
    ...claims,
    ...(claims['phone_number'] === undefined
      ? {}
      : { phone: claims['phone_number'], phone_verified: claims['phone_number_verified'] }),
    ...(scopes.includes('profile') ? { user_metadata: user.raw_user_meta_data ?? {} } : {}),
  }
}
