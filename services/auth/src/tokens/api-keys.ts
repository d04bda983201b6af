import { createHash, createHmac } from 'node:crypto'
import { SignJWT } from 'jose'
import { API_KEY_LIFETIME_S } from '../limits.ts'
import type { TokenClaims } from './claims.ts'

export type ApiKeyRole = 'anon' | 'service_role'

/** Source of an installation's API keys. They are derived from it, so they stay the same across restarts. */
export interface ApiKeyOrigin {
  /** The bytes of the JWT secret. */
  readonly secret: Uint8Array
  /** When the installation was created, in seconds since the epoch. */
  readonly issuedAtS: number
}

/** API keys in both formats; clients may use either. */
export interface ApiKeys {
  readonly anon: string
  readonly serviceRole: string
  /** `sb_publishable_…`, equivalent to the anon key. */
  readonly publishable: string
  /** `sb_secret_…`, equivalent to the service_role key. */
  readonly secret: string
}

/** Bytes of an opaque key, enough that it cannot be guessed. */
const OPAQUE_BYTES = 16
/** Checksum length in characters; detects an incompletely copied key. */
const CHECKSUM_CHARACTERS = 8

const PREFIXES: Readonly<Record<ApiKeyRole, string>> = { anon: 'sb_publishable_', service_role: 'sb_secret_' }

export async function mintApiKeys(origin: ApiKeyOrigin): Promise<ApiKeys> {
  const [anon, serviceRole] = await Promise.all([mintApiKey('anon', origin), mintApiKey('service_role', origin)])
  return {
    anon,
    serviceRole,
    publishable: opaqueKey('anon', origin),
    secret: opaqueKey('service_role', origin),
  }
}

/** Creates an API key in Supabase's older format, a JWT. */
export function mintApiKey(role: ApiKeyRole, { secret, issuedAtS }: ApiKeyOrigin): Promise<string> {
  return new SignJWT(claimsOf(role, issuedAtS)).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(secret)
}

/** @returns a function that returns the claims of an opaque key; `undefined` for other text. Lookup time does not depend on the key */
export function createOpaqueKeys(origin: ApiKeyOrigin): (key: string) => TokenClaims | undefined {
  const roles = ['anon', 'service_role'] as const
  const known = new Map(roles.map((role) => [digest(opaqueKey(role, origin)), claimsOf(role, origin.issuedAtS)]))
  const prefixes = Object.values(PREFIXES)
  return (key) => (prefixes.some((prefix) => key.startsWith(prefix)) ? known.get(digest(key)) : undefined)
}

/** Derives an opaque key from the secret without revealing it. */
function opaqueKey(role: ApiKeyRole, { secret, issuedAtS }: ApiKeyOrigin): string {
  const bytes = createHmac('sha256', secret).update(`api key ${role} ${issuedAtS}`).digest()
  const text = `${PREFIXES[role]}${bytes.subarray(0, OPAQUE_BYTES).toString('base64url')}`
  return `${text}_${digest(text).slice(0, CHECKSUM_CHARACTERS)}`
}

function claimsOf(role: ApiKeyRole, issuedAtS: number): TokenClaims & { readonly role: ApiKeyRole } {
  return { iss: 'supabase', role, iat: issuedAtS, exp: issuedAtS + API_KEY_LIFETIME_S }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
