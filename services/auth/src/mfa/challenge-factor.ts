import type { Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import type { TokenMessages } from '../confirmations/token-messages.ts'
import { tooSoon } from '../errors.ts'
import type { Messages } from '../messages/messages.ts'
import { createOtp, hashOneTimeToken } from '../one-time-tokens/one-time-tokens.ts'
import type { AuthOptions, WithOptions } from '../options/auth-options.ts'
import type { RateLimits } from '../rate-limits.ts'
import type { Store } from '../store.ts'
import type { RelyingParty } from '../webauthn/relying-party.ts'
import { challengeEndMs, createChallengeId, insertChallenge } from './challenge-row.ts'
import { type FactorType, factorNotFound, verifyDisabled } from './errors.ts'
import { type FactorRow, lockFactor } from './factor-row.ts'
import type { FactorSigner } from './require-factor-signer.ts'
import { askForSecurityKey } from './webauthn-factor.ts'

export type ChallengeFactorNeeds = Store &
  WithOptions<
    | 'mfaPhoneMaxFrequency'
    | 'mfaPhoneOtpLength'
    | 'mfaPhoneVerifyEnabled'
    | 'mfaTotpVerifyEnabled'
    | 'mfaWebAuthnVerifyEnabled'
  > & {
    readonly messages: Messages
    readonly relyingParty: RelyingParty | undefined
    readonly tokenMessages: TokenMessages
    readonly limits: Pick<RateLimits, 'sms'>
  }

/** Recovery codes are accepted without a challenge. */
type ChallengedType = Exclude<FactorType, 'recovery_code'>

/** auth-js's `AuthMFAChallengeResponse`. */
export interface Challenge {
  readonly id: string
  readonly type: FactorType
  /** Seconds since the epoch. */
  readonly expires_at: number
  /** WebAuthn request for the browser. */
  readonly webauthn?: { readonly type: 'create' | 'request'; readonly credential_options: object }
}

/**
 * Creates a challenge for a factor. For a phone factor, sends the code.
 *
 * @param input.channel - for a phone: empty, `sms` or `whatsapp`
 * @throws {HoldfastError} `mfa_factor_not_found`, `mfa_*_verify_not_enabled`, `over_sms_send_rate_limit`, `validation_failed`
 */
export async function challengeFactor(
  needs: ChallengeFactorNeeds,
  input: {
    readonly signer: FactorSigner
    readonly factorId: string
    readonly channel: string
    readonly address: string
  },
): Promise<Challenge> {
  const { pool, clock, options, relyingParty } = needs
  const { signer, address } = input
  const { user } = signer
  return pool.transaction(async (tx) => {
    const factor = await lockFactor(tx, { factorId: input.factorId, userId: user.id })
    if (!factor) throw factorNotFound()
    const type = requireVerifiable(options, factor)
    const nowMs = clock.now()
    const now = new Date(nowMs).toISOString()
    const id = createChallengeId()
    const sent = type === 'phone' ? await sendCode(needs, tx, { factor, challengeId: id, nowMs, ...input }) : {}
    const key = type === 'webauthn' ? await askForSecurityKey(relyingParty, tx, { factor, user }) : undefined
    const question = key ? { webAuthn: key.question } : {}
    await insertChallenge(tx, { id, factorId: factor.id, address, now, ...sent, ...question })
    const traits = { factor_id: factor.id, factor_status: factor.status }
    await recordAudit(tx, { action: 'challenge_created', actor: user, address, now, traits })
    const expiresAt = Math.floor(challengeEndMs(nowMs) / 1000)
    return { id, type, expires_at: expiresAt, ...(key ? { webauthn: key.webauthn } : {}) }
  })
}

export type VerifyOptions = Pick<
  AuthOptions,
  'mfaTotpVerifyEnabled' | 'mfaPhoneVerifyEnabled' | 'mfaWebAuthnVerifyEnabled'
>

/** @throws {HoldfastError} `mfa_*_verify_not_enabled`, `mfa_factor_not_found` */
export function requireVerifiable(options: VerifyOptions, factor: FactorRow): ChallengedType {
  const type = factor.factor_type
  if (type === 'recovery_code') throw factorNotFound()
  const enabled = {
    totp: options.mfaTotpVerifyEnabled,
    phone: options.mfaPhoneVerifyEnabled,
    webauthn: options.mfaWebAuthnVerifyEnabled,
  }
  if (!enabled[type]) throw verifyDisabled(type)
  return type
}

/** Returns the stored hash of a code, which is valid for this challenge only. */
export function hashPhoneCode(challengeId: string, code: string): string {
  return hashOneTimeToken(challengeId, code)
}

async function sendCode(
  { limits, messages, options, tokenMessages }: ChallengeFactorNeeds,
  tx: Transaction,
  input: {
    readonly factor: FactorRow
    readonly challengeId: string
    readonly channel: string
    readonly address: string
    readonly nowMs: number
  },
): Promise<{ readonly otpHash: string }> {
  const { factor, challengeId, nowMs } = input
  const channel = tokenMessages.requireChannel(input.channel)
  const freeAtMs = (factor.last_challenged_at?.getTime() ?? -Infinity) + options.mfaPhoneMaxFrequency * 1000
  if (freeAtMs > nowMs) throw tooSoon('sms', Math.ceil((freeAtMs - nowMs) / 1000))
  await limits.sms.take(input.address)
  const to = factor.phone ?? ''
  const code = messages.testOtp(to) ?? createOtp(options.mfaPhoneOtpLength)
  await messages.sendSms(tx, { kind: 'mfa', channel, to, userId: factor.user_id, code })
  return { otpHash: hashPhoneCode(challengeId, code) }
}
