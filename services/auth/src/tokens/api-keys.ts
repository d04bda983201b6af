import { SignJWT } from 'jose'
import { API_KEY_LIFETIME_S } from '../limits.ts'

export type ApiKeyRole = 'anon' | 'service_role'

/**
 * Makes an API key in Supabase's form.
 *
 * @param input.issuedAtS - when the installation was born, in seconds since the epoch, so that the key is the same at every start
 */
export function mintApiKey(input: {
  readonly role: ApiKeyRole
  readonly jwtSecret: string
  readonly issuedAtS: number
}): Promise<string> {
  return new SignJWT({
    iss: 'supabase',
    role: input.role,
    iat: input.issuedAtS,
    exp: input.issuedAtS + API_KEY_LIFETIME_S,
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(input.jwtSecret))
}
