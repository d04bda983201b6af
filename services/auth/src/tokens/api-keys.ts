import { createHash, createHmac } from 'node:crypto'
import { SignJWT } from 'jose'
import { API_KEY_LIFETIME_S } from '../limits.ts'
import type { TokenClaims } from './claims.ts'

export type ApiKeyRole = 'anon' | 'service_role'

/** Source of an installation's keys, which are equal at every start. */
export interface ApiKeyOrigin {
  /** The bytes of the JWT secret. */
  readonly secret: Uint8Array
  /** When the installation was born, in seconds since the epoch. */
  readonly issuedAtS: number
}

/** Both forms of the keys, of which clients take either. */
export interface ApiKeys {
  readonly anon: string
  readonly serviceRole: string
  /** `sb_publishable_…`, good for what the anon key is good for. */
  readonly publishable: string
  /** `sb_secret_…`, good for what the service_role key is good for. */
  readonly secret: string
}

/** Bytes of an opaque key that cannot be guessed. */
const OPAQUE_BYTES = 16
/** Characters that show a key that was not copied whole. */
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

/** Makes an API key in Supabase's older form, a token. */
export function mintApiKey(role: ApiKeyRole, { secret, issuedAtS }: ApiKeyOrigin): Promise<string> {
  return new SignJWT(claimsOf(role, issuedAtS)).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(secret)
}

/** @returns tells what a key of the newer form claims; `undefined` for any other text. Takes as long for one as for the other. */
export function createOpaqueKeys(origin: ApiKeyOrigin): (key: string) => TokenClaims | undefined {
  const roles = ['anon', 'service_role'] as const
  const known = new Map(roles.map((role) => [digest(opaqueKey(role, origin)), claimsOf(role, origin.issuedAtS)]))
  const prefixes = Object.values(PREFIXES)
  return (key) => (prefixes.some((prefix) => key.startsWith(prefix)) ? known.get(digest(key)) : undefined)
}

/** Follows from the secret, as the tokens do, and tells nothing about it. */
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
