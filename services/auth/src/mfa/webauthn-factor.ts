import { assert } from '@holdfast/foundation'
import { type Queryable, sql, type Transaction } from '@holdfast/postgres'
import { validationFailed } from '../errors.ts'
import type { UserRow } from '../users/user-row.ts'
import {
  askToRegister,
  askToSign,
  type Credential,
  judgeRegistration,
  judgeSignature,
  type NewCredential,
  type Question,
  accountName,
} from '../webauthn/ceremonies.ts'
import type { RelyingParty } from '../webauthn/relying-party.ts'
import { factorNotFound } from './errors.ts'
import { type FactorRow, findFactorsOfUser } from './factor-row.ts'

/** Input of auth-js's `mfa.verify` for a security key. */
export interface WebAuthnAnswer {
  readonly type: string
  readonly credentialResponse: unknown
}

/** A credential in the format that go-webauthn stores in `web_authn_credential`; bytes are base64. */
interface StoredCredential {
  readonly id: string
  readonly publicKey: string
  readonly attestationType: string
  readonly transport: readonly string[] | null
  readonly flags: {
    readonly userPresent: boolean
    readonly userVerified: boolean
    readonly backupEligible: boolean
    readonly backupState: boolean
  }
  readonly authenticator: { readonly AAGUID: string; readonly signCount: number; readonly cloneWarning: boolean }
}

/** The stored part of a challenge. */
interface StoredQuestion extends Question {
  readonly type: 'create' | 'request'
  readonly rpId: string
}

/** Returns the relying party. Startup already refused security keys for a site that cannot have them. */
function requireParty(relyingParty: RelyingParty | undefined): RelyingParty {
  assert(relyingParty, 'security keys are on, so there is a relying party')
  return relyingParty
}

/**
 * Requests a new credential for an unverified factor, and a signature from its credential for a verified one.
 *
 * @throws {HoldfastError} `mfa_factor_not_found` if the factor is verified but its credential is missing
 */
export async function askForSecurityKey(
  relyingParty: RelyingParty | undefined,
  tx: Transaction,
  input: { readonly factor: FactorRow; readonly user: UserRow },
): Promise<{
  readonly question: StoredQuestion
  readonly webauthn: {
    readonly type: 'create' | 'request'
    readonly credential_options: { readonly publicKey: object }
  }
}> {
  const party = requireParty(relyingParty)
  const { factor, user } = input
  const userVerification = 'preferred'
  const own = readCredential(factor)
  if (factor.status === 'verified') {
    if (!own) throw factorNotFound()
    const publicKey = await askToSign(party, { allow: [own], userVerification })
    const question = { type: 'request', challenge: publicKey.challenge, userVerification, rpId: party.id } as const
    return { question, webauthn: { type: 'request', credential_options: { publicKey } } }
  }
  const others = (await findFactorsOfUser(tx, user.id)).flatMap((other) => readCredential(other) ?? [])
  const publicKey = await askToRegister(party, {
    userId: user.id,
    ...accountName(user),
    exclude: others,
    userVerification,
    discoverable: false,
  })
  const question = { type: 'create', challenge: publicKey.challenge, userVerification, rpId: party.id } as const
  return { question, webauthn: { type: 'create', credential_options: { publicKey } } }
}

/** @throws {HoldfastError} `validation_failed` */
export function requireWebAuthnAnswer(answer: WebAuthnAnswer | undefined): WebAuthnAnswer {
  if (answer === undefined) throw validationFailed('WebAuthn config required')
  if (answer.type !== 'create' && answer.type !== 'request') {
    throw validationFailed('WebAuthn type must be create or request')
  }
  if (typeof answer.credentialResponse !== 'object' || answer.credentialResponse === null) {
    throw validationFailed('credential_response required')
  }
  return answer
}

/** Checks a security key's response. For a valid one, stores the new credential or its counter with the factor. */
export async function judgeSecurityKey(
  relyingParty: RelyingParty | undefined,
  tx: Transaction,
  input: { readonly factor: FactorRow; readonly asked: unknown; readonly answer: WebAuthnAnswer },
): Promise<boolean> {
  const party = requireParty(relyingParty)
  const { factor, answer } = input
  const question = input.asked as StoredQuestion | null
  if (question?.type !== answer.type || question.rpId !== party.id) return false
  const response = answer.credentialResponse
  if (question.type === 'create') {
    // The user may have enrolled twice at the same time; a verified credential is not replaced.
    if (factor.status === 'verified') return false
    const verdict = await judgeRegistration(party, { response, question })
    if (verdict.valid) await saveCredential(tx, factor.id, toStored(verdict.credential), verdict.credential.aaguid)
    return verdict.valid
  }
  const credential = readCredential(factor)
  if (!credential) return false
  const verdict = await judgeSignature(party, { response, question, credential })
  if (verdict.valid) await saveSignCount(tx, factor.id, verdict.signCount)
  return verdict.valid
}

function readCredential(factor: FactorRow): Credential | undefined {
  const stored = factor.web_authn_credential as StoredCredential | null
  if (factor.factor_type !== 'webauthn' || !stored?.id || !stored.publicKey) return undefined
  return {
    id: Buffer.from(stored.id, 'base64').toString('base64url'),
    publicKey: Uint8Array.from(Buffer.from(stored.publicKey, 'base64')),
    signCount: stored.authenticator.signCount,
    transports: stored.transport ?? [],
    backupEligible: stored.flags.backupEligible,
  }
}

function toStored(credential: NewCredential): StoredCredential {
  return {
    id: Buffer.from(credential.id, 'base64url').toString('base64'),
    publicKey: Buffer.from(credential.publicKey).toString('base64'),
    attestationType: credential.attestationType,
    transport: credential.transports,
    flags: {
      userPresent: true,
      userVerified: credential.userVerified,
      backupEligible: credential.backupEligible,
      backupState: credential.backedUp,
    },
    authenticator: {
      AAGUID: Buffer.from(credential.aaguid.replaceAll('-', ''), 'hex').toString('base64'),
      signCount: credential.signCount,
      cloneWarning: false,
    },
  }
}

async function saveCredential(
  db: Queryable,
  factorId: string,
  credential: StoredCredential,
  aaguid: string,
): Promise<void> {
  await db.execute(sql`
    update auth.mfa_factors
       set web_authn_credential = ${JSON.stringify(credential)}::jsonb, web_authn_aaguid = ${aaguid}
     where id = ${factorId}
  `)
}

async function saveSignCount(db: Queryable, factorId: string, signCount: number): Promise<void> {
  await db.execute(sql`
    update auth.mfa_factors
       set web_authn_credential = jsonb_set(web_authn_credential, '{authenticator,signCount}', to_jsonb(${signCount}::bigint))
     where id = ${factorId}
  `)
}
