import type { Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import type { AuthContext } from '../context.ts'
import { tooSoon } from '../errors.ts'
import { createOtp, hashOneTimeToken } from '../one-time-tokens/one-time-tokens.ts'
import { requireChannel } from '../confirmations/require-channel.ts'
import { challengeEndMs, createChallengeId, insertChallenge } from './challenge-row.ts'
import { type FactorType, factorNotFound, verifyDisabled } from './errors.ts'
import { type FactorRow, lockFactor } from './factor-row.ts'
import type { FactorSigner } from './require-factor-signer.ts'
import { askForSecurityKey } from './webauthn-factor.ts'

/** Recovery codes answer without having been asked for. */
type ChallengedType = Exclude<FactorType, 'recovery_code'>

/** As auth-js's `AuthMFAChallengeResponse` has it. */
export interface Challenge {
  readonly id: string
  readonly type: FactorType
  /** Seconds since the epoch. */
  readonly expires_at: number
  /** What the browser is to do with a security key. */
  readonly webauthn?: { readonly type: 'create' | 'request'; readonly credential_options: object }
}

/**
 * Asks for a proof that the person still has a factor: sends the code, for a phone.
 *
 * @param input.channel - for a phone; empty, `sms` or `whatsapp`
 * @throws {HoldfastError} `mfa_factor_not_found`, `mfa_*_verify_not_enabled`, `over_sms_send_rate_limit`, `validation_failed`
 */
export async function challengeFactor(
  context: AuthContext,
  input: {
    readonly signer: FactorSigner
    readonly factorId: string
    readonly channel: string
    readonly address: string
  },
): Promise<Challenge> {
  const { signer, address } = input
  const { user } = signer
  return context.pool.transaction(async (tx) => {
    const factor = await lockFactor(tx, { factorId: input.factorId, userId: user.id })
    if (!factor) throw factorNotFound()
    const type = requireVerifiable(context, factor)
    const nowMs = context.clock.now()
    const now = new Date(nowMs).toISOString()
    const id = createChallengeId()
    const sent = type === 'phone' ? await sendCode(context, tx, { factor, challengeId: id, nowMs, ...input }) : {}
    const key = type === 'webauthn' ? await askForSecurityKey(context, tx, { factor, user }) : undefined
    const question = key ? { webAuthn: key.question } : {}
    await insertChallenge(tx, { id, factorId: factor.id, address, now, ...sent, ...question })
    const traits = { factor_id: factor.id, factor_status: factor.status }
    await recordAudit(tx, { action: 'challenge_created', actor: user, address, now, traits })
    const expiresAt = Math.floor(challengeEndMs(nowMs) / 1000)
    return { id, type, expires_at: expiresAt, ...(key ? { webauthn: key.webauthn } : {}) }
  })
}

/** @throws {HoldfastError} `mfa_*_verify_not_enabled`, `mfa_factor_not_found` */
export function requireVerifiable({ options }: AuthContext, factor: FactorRow): ChallengedType {
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

/** The stored hash of a code. It is worth nothing for another challenge. */
export function hashPhoneCode(challengeId: string, code: string): string {
  return hashOneTimeToken(challengeId, code)
}

async function sendCode(
  context: AuthContext,
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
  const { options, messages, limits } = context
  const channel = requireChannel(context, input.channel)
  const freeAtMs = (factor.last_challenged_at?.getTime() ?? -Infinity) + options.mfaPhoneMaxFrequency * 1000
  if (freeAtMs > nowMs) throw tooSoon('sms', Math.ceil((freeAtMs - nowMs) / 1000))
  limits.sms.take(input.address)
  const to = factor.phone ?? ''
  const code = messages.testOtp(to) ?? createOtp(options.mfaPhoneOtpLength)
  await messages.sendSms(tx, { kind: 'mfa', channel, to, userId: factor.user_id, code })
  return { otpHash: hashPhoneCode(challengeId, code) }
}
