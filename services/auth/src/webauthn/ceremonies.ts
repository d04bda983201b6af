import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { UserRow } from '../users/user-row.ts'
import type { RelyingParty } from './relying-party.ts'

/** Loaded on first use, because it is large and startup does not need it. */
const library = (): Promise<typeof import('@simplewebauthn/server')> => import('@simplewebauthn/server')

/** Ed25519, ECDSA with P-256, RSA. Every authenticator supports at least one. */
const ALGORITHMS = [-8, -7, -257]

/** Time in ms that browsers wait for the user; equals the lifetime of a challenge. */
const TIMEOUT_MS = 300_000

export type UserVerification = 'required' | 'preferred'

/** The stored part of an authenticator's credential. The private key never leaves the authenticator. */
export interface Credential {
  /** base64url. */
  readonly id: string
  /** COSE. */
  readonly publicKey: Uint8Array<ArrayBuffer>
  readonly signCount: number
  readonly transports: readonly string[]
  /** Whether it can be synced to the user's other devices, like passkeys of phones. */
  readonly backupEligible: boolean
}

export interface NewCredential extends Credential {
  readonly aaguid: string
  readonly attestationType: string
  readonly userVerified: boolean
  readonly backedUp: boolean
}

/** The challenge, for comparison with the response. */
export interface Question {
  /** base64url. */
  readonly challenge: string
  readonly userVerification: UserVerification
}

type Verdict<T> = ({ readonly valid: true } & T) | { readonly valid: false; readonly reason: unknown }

/** Creates the options for a new credential. The user handle is the user's id as text, as in GoTrue. */
export async function askToRegister(
  party: RelyingParty,
  input: {
    readonly userId: string
    readonly userName: string
    readonly displayName: string
    readonly exclude: readonly Pick<Credential, 'id' | 'transports'>[]
    readonly userVerification: UserVerification
    /** Whether the authenticator must find the credential without its id, which makes it a passkey. */
    readonly discoverable: boolean
  },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userID: Uint8Array.from(Buffer.from(input.userId)),
    userName: input.userName,
    userDisplayName: input.displayName,
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    excludeCredentials: input.exclude.map(({ id, transports }) => ({ id, transports: [...transports] })),
    authenticatorSelection: {
      residentKey: input.discoverable ? 'required' : 'discouraged',
      requireResidentKey: input.discoverable,
      userVerification: input.userVerification,
    },
    supportedAlgorithmIDs: ALGORITHMS,
  })
}

/** @param response - untrusted, from the browser */
export async function judgeRegistration(
  party: RelyingParty,
  input: { readonly response: unknown; readonly question: Question },
): Promise<Verdict<{ readonly credential: NewCredential }>> {
  const { question } = input
  const { verifyRegistrationResponse } = await library()
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: input.response as RegistrationResponseJSON,
      expectedChallenge: question.challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserPresence: true,
      requireUserVerification: question.userVerification === 'required',
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified) return { valid: false, reason: 'the attestation is not signed as it says' }
    const { credential } = registrationInfo
    return {
      valid: true,
      credential: {
        id: credential.id,
        publicKey: credential.publicKey,
        signCount: credential.counter,
        transports: (credential.transports ?? []).filter((transport) => typeof transport === 'string').slice(0, 8),
        aaguid: registrationInfo.aaguid,
        attestationType: registrationInfo.fmt,
        userVerified: registrationInfo.userVerified,
        backupEligible: registrationInfo.credentialDeviceType === 'multiDevice',
        backedUp: registrationInfo.credentialBackedUp,
      },
    }
  } catch (reason) {
    return { valid: false, reason }
  }
}

/** @param input.allow - allowed credentials; empty for passkeys, so that the authenticator offers any */
export async function askToSign(
  party: RelyingParty,
  input: {
    readonly allow: readonly Pick<Credential, 'id' | 'transports'>[]
    readonly userVerification: UserVerification
  },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const allow = input.allow.map(({ id, transports }) => ({ id, transports: [...transports] }))
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: party.id,
    timeout: TIMEOUT_MS,
    userVerification: input.userVerification,
    ...(allow.length > 0 ? { allowCredentials: allow } : {}),
  })
}

/**
 * Verifies the signature of a known credential. Refuses a counter that did not increase, which indicates two authenticators with one key.
 *
 * @param input.response - untrusted, from the browser
 */
export async function judgeSignature(
  party: RelyingParty,
  input: { readonly response: unknown; readonly question: Question; readonly credential: Credential },
): Promise<Verdict<{ readonly signCount: number; readonly backedUp: boolean }>> {
  const { question, credential } = input
  const response = input.response as AuthenticationResponseJSON
  const { verifyAuthenticationResponse } = await library()
  try {
    if (response.id !== credential.id) return { valid: false, reason: 'another credential has signed' }
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: question.challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      credential: { id: credential.id, publicKey: credential.publicKey, counter: credential.signCount },
      requireUserVerification: question.userVerification === 'required',
    })
    if (!verified) return { valid: false, reason: 'the signature is wrong' }
    if ((authenticationInfo.credentialDeviceType === 'multiDevice') !== credential.backupEligible) {
      return { valid: false, reason: 'whether the credential can be copied has changed' }
    }
    return { valid: true, signCount: authenticationInfo.newCounter, backedUp: authenticationInfo.credentialBackedUp }
  } catch (reason) {
    return { valid: false, reason }
  }
}

/** Returns the account name for browsers. They refuse an empty one, so a user without address or number is named by id. */
export function accountName(user: UserRow): { readonly userName: string; readonly displayName: string } {
  const userName = user.email || user.phone || user.id
  const name = user.raw_user_meta_data?.['name']
  return { userName, displayName: typeof name === 'string' && name !== '' ? name : userName }
}
