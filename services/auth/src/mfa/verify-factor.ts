import { timingSafeEqual } from 'node:crypto'
import type { HoldfastError } from '@holdfast/foundation'
import type { Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { validationFailed } from '../errors.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Messages } from '../messages/messages.ts'
import type { Notices } from '../messages/notices.ts'
import type { WithOptions } from '../options/auth-options.ts'
import { judgeMfaAttempt } from '../sessions/judge-attempt.ts'
import type { SignedIn } from '../sessions/render-session.ts'
import type { RequestOrigin } from '../sessions/session-row.ts'
import type { Store } from '../store.ts'
import type { AccessTokens } from '../tokens/access-tokens.ts'
import { lockUser } from '../users/user-row.ts'
import type { RelyingParty } from '../webauthn/relying-party.ts'
import { hashPhoneCode, requireVerifiable } from './challenge-factor.ts'
import { challengeEndMs, type ChallengeRow, deleteChallenge, findChallenge, markVerified } from './challenge-row.ts'
import {
  aal2ToEnroll,
  challengeExpired,
  challengeNotFound,
  challengeNotYours,
  factorNotFound,
  verificationFailed,
} from './errors.ts'
import {
  deleteUnverifiedFactors,
  type FactorRow,
  findFactor,
  findFactorsOfUser,
  lockFactor,
  noteVerified,
  noteFailedAttempt,
  requireAttemptsLeft,
} from './factor-row.ts'
import { FACTOR_METHODS, raiseSession } from './raise-session.ts'
import type { FactorSigner } from './require-factor-signer.ts'
import { readStoredSecret } from './stored-secret.ts'
import { matchTotp } from './totp.ts'
import { judgeSecurityKey, requireWebAuthnAnswer, type WebAuthnAnswer } from './webauthn-factor.ts'

export type VerifyFactorNeeds = Store &
  WithOptions<'mfaPhoneVerifyEnabled' | 'mfaTotpVerifyEnabled' | 'mfaWebAuthnVerifyEnabled'> & {
    readonly accessTokens: AccessTokens
    readonly factorSecretKeys: ReadonlyMap<string, Buffer>
    readonly hooks: Hooks
    readonly messages: Messages
    readonly notices: Notices
    readonly relyingParty: RelyingParty | undefined
  }

/** Outcome of the transaction. A refusal that changes rows must commit, so it is returned instead of thrown. */
type Outcome =
  | { readonly kind: 'verified'; readonly signedIn: SignedIn }
  | { readonly kind: 'refused'; readonly refusal: HoldfastError }

type Judgement = { readonly valid: boolean; readonly usedStep?: number | undefined }

/**
 * Verifies the response to a challenge and raises the session.
 *
 * @param input.code - from the app or the text message
 * @param input.webauthn - signed by a security key
 * @throws {HoldfastError} `mfa_verification_failed`, `mfa_challenge_expired`, `mfa_ip_address_mismatch`, `mfa_factor_not_found`,
 * `mfa_*_verify_not_enabled`, `mfa_verification_rejected`, `over_request_rate_limit`, `session_not_found`, `validation_failed`,
 * `insufficient_aal`
 */
export async function verifyFactor(
  needs: VerifyFactorNeeds,
  input: {
    readonly signer: FactorSigner
    readonly factorId: string
    readonly challengeId: string
    readonly code: string
    readonly webauthn: WebAuthnAnswer | undefined
    readonly origin: RequestOrigin
  },
): Promise<SignedIn> {
  const { pool, clock, accessTokens, hooks, notices, options, relyingParty } = needs
  const { signer, origin } = input
  const { user, session } = signer
  const known = await findFactor(pool, { factorId: input.factorId, userId: user.id })
  if (!known) throw factorNotFound()
  const type = requireVerifiable(options, known)
  if (type !== 'webauthn' && input.code === '') throw validationFailed('Code needs to be non-empty')
  const webauthn = type === 'webauthn' ? requireWebAuthnAnswer(input.webauthn) : undefined
  const approval = type === 'phone' ? await askForApproval(needs, known, input.code.trim()) : undefined

  const outcome = await pool.transaction(async (tx): Promise<Outcome> => {
    await lockUser(tx, user.id)
    const factor = await lockFactor(tx, { factorId: known.id, userId: user.id })
    if (!factor) throw factorNotFound()
    if (factor.status !== 'verified') await requireMayAdd(tx, signer)
    const nowMs = clock.now()
    const now = new Date(nowMs).toISOString()
    requireAttemptsLeft(factor, nowMs)
    const challenge = await findChallenge(tx, {
      challengeId: input.challengeId,
      factorId: factor.id,
      address: origin.address,
    })
    if (!challenge) throw challengeNotFound()
    if (challenge.verified_at !== null || !challenge.is_from_here) throw challengeNotYours()
    if (challengeEndMs(challenge.created_at.getTime()) < nowMs) {
      await deleteChallenge(tx, challenge.id)
      return { kind: 'refused', refusal: challengeExpired(challenge.id) }
    }
    const judgement = webauthn
      ? {
          valid: await judgeSecurityKey(relyingParty, tx, {
            factor,
            asked: challenge.web_authn_session_data,
            answer: webauthn,
          }),
        }
      : (approval ?? judgeCode(needs, { factor, challenge, code: input.code, nowMs }))
    const { valid } = judgement
    if (!valid) await noteFailedAttempt(tx, factor, nowMs)
    // A security key's challenge is invalid after any response.
    if (webauthn) await deleteChallenge(tx, challenge.id)
    const attempt = { userId: user.id, factorId: factor.id, factorType: type, valid, address: origin.address }
    const rejection = await judgeMfaAttempt(hooks, tx, attempt)
    if (rejection) return { kind: 'refused', refusal: rejection }
    if (!valid) return { kind: 'refused', refusal: verificationFailed(type) }

    const traits = { factor_id: factor.id, challenge_id: challenge.id, factor_type: type }
    await recordAudit(tx, { action: 'verification_attempted', actor: user, address: origin.address, now, traits })
    await markVerified(tx, { challengeId: challenge.id, now })
    await noteVerified(tx, { factorId: factor.id, usedStep: judgement.usedStep, now })
    await deleteUnverifiedFactors(tx, { userId: user.id, type })
    if (factor.status !== 'verified') {
      await notices.notifyUser(tx, { kind: 'mfa_factor_enrolled_notification', userId: user.id, factorType: type })
    }
    const raised = { sessionId: session.id, factorId: factor.id, method: FACTOR_METHODS[type], origin, now }
    return { kind: 'verified', signedIn: await raiseSession(accessTokens, tx, raised) }
  })
  if (outcome.kind === 'refused') throw outcome.refusal
  return outcome.signedIn
}

/**
 * Requires `aal2` to verify a factor once another is verified, even if enrolment began earlier. Otherwise an attacker with only the
 * password could add a factor.
 *
 * @throws {HoldfastError} `insufficient_aal`
 */
async function requireMayAdd(tx: Transaction, { user, session }: FactorSigner): Promise<void> {
  const factors = await findFactorsOfUser(tx, user.id)
  if (session.aal !== 'aal2' && factors.some(({ status }) => status === 'verified')) throw aal2ToEnroll()
}

/** Asks the external code service about a code; `undefined` if this server creates the codes. */
async function askForApproval(
  { clock, messages }: VerifyFactorNeeds,
  factor: FactorRow,
  code: string,
): Promise<Judgement | undefined> {
  const phone = factor.phone ?? ''
  if (messages.testOtp(phone) === code) return undefined
  requireAttemptsLeft(factor, clock.now())
  const valid = await messages.isApprovedElsewhere(phone, code)
  return valid === undefined ? undefined : { valid }
}

function judgeCode(
  { factorSecretKeys: keys }: VerifyFactorNeeds,
  input: {
    readonly factor: FactorRow
    readonly challenge: ChallengeRow
    readonly code: string
    readonly nowMs: number
  },
): Judgement {
  const { factor, challenge, code, nowMs } = input
  if (factor.factor_type === 'phone') {
    const expected = Buffer.from(challenge.otp_code ?? '')
    const given = Buffer.from(hashPhoneCode(challenge.id, code.trim()))
    return { valid: expected.length === given.length && timingSafeEqual(expected, given) }
  }
  const secret = readStoredSecret({ stored: factor.secret ?? '', ownerId: factor.id, keys })
  const lastUsedStep = factor.last_used_step === null ? undefined : Number(factor.last_used_step)
  const usedStep = matchTotp({ secret, code, nowMs, lastUsedStep })
  return { valid: usedStep !== undefined, usedStep }
}
