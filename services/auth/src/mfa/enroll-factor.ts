import type { Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { validationFailed } from '../errors.ts'
import type { AuthOptions, WithOptions } from '../options/auth-options.ts'
import type { RedirectPolicy } from '../redirects/redirect-policy.ts'
import { isoNow, type Store } from '../store.ts'
import { parsePhone } from '../users/contact.ts'
import { lockUser, type UserRow } from '../users/user-row.ts'
import {
  aal2ToEnroll,
  enrollDisabled,
  type FactorType,
  factorNameConflict,
  tooManyFactors,
  verifiedPhoneFactorExists,
} from './errors.ts'
import { deleteAbandonedFactors, deleteFactor, findFactorsOfUser, insertFactor } from './factor-row.ts'
import { FACTOR_NAME_CHARS_MAX, ISSUER_CHARS_MAX } from './limits.ts'
import { drawQrSvg } from './qr-svg.ts'
import type { FactorSigner } from './require-factor-signer.ts'
import { createTotpSecret, totpUri } from './totp.ts'

export type EnrollFactorNeeds = Store &
  WithOptions<
    'mfaMaxEnrolledFactors' | 'mfaPhoneEnrollEnabled' | 'mfaTotpEnrollEnabled' | 'mfaWebAuthnEnrollEnabled'
  > & { readonly redirects: RedirectPolicy }

/** Input of auth-js's `mfa.enroll`; omitted strings are empty. */
export interface EnrollInput {
  readonly factorType: string
  readonly friendlyName: string
  readonly issuer: string
  readonly phone: string
}

/** auth-js's `AuthMFAEnrollResponse`. */
export interface EnrolledFactor {
  readonly id: string
  readonly type: FactorType
  readonly friendly_name: string
  readonly totp?: { readonly qr_code: string; readonly secret: string; readonly uri: string }
  readonly phone?: string
}

/**
 * Adds a factor for the signed-in user. It counts once a challenge has verified it.
 *
 * @throws {HoldfastError} `mfa_*_enroll_not_enabled`, `mfa_factor_name_conflict`, `too_many_enrolled_mfa_factors`,
 * `mfa_verified_factor_exists`, `insufficient_aal`, `validation_failed`
 */
export async function enrollFactor(
  { pool, clock, options, redirects }: EnrollFactorNeeds,
  input: { readonly signer: FactorSigner; readonly enroll: EnrollInput; readonly address: string },
): Promise<EnrolledFactor> {
  const { enroll, signer } = input
  const type = requireEnrollable(options, enroll.factorType)
  if ([...enroll.friendlyName].length > FACTOR_NAME_CHARS_MAX) throw validationFailed('friendly_name is too long')
  if ([...enroll.issuer].length > ISSUER_CHARS_MAX) throw validationFailed('issuer is too long')
  const phone = type === 'phone' ? parseFactorPhone(enroll.phone) : undefined
  const totp = type === 'totp' ? createTotp(redirects, signer.user, enroll.issuer) : undefined

  const now = isoNow(clock)
  const id = await pool.transaction(async (tx) => {
    const { user } = signer
    await lockUser(tx, user.id)
    await deleteAbandonedFactors(tx, { userId: user.id, now })
    if (phone !== undefined) await replacePhoneFactor(tx, user.id, phone)
    await requireRoom(options, tx, signer, enroll.friendlyName)
    const factorId = await insertFactor(tx, {
      userId: user.id,
      type,
      friendlyName: enroll.friendlyName,
      now,
      ...(totp ? { secret: totp.secret } : {}),
      ...(phone === undefined ? {} : { phone }),
    })
    const traits = { factor_id: factorId, factor_type: type }
    await recordAudit(tx, { action: 'factor_in_progress', actor: user, address: input.address, now, traits })
    return factorId
  })
  return {
    id,
    type,
    friendly_name: enroll.friendlyName,
    ...(totp ? { totp } : {}),
    ...(phone === undefined ? {} : { phone: enroll.phone }),
  }
}

function requireEnrollable(
  options: Pick<AuthOptions, 'mfaPhoneEnrollEnabled' | 'mfaTotpEnrollEnabled' | 'mfaWebAuthnEnrollEnabled'>,
  type: string,
): FactorType {
  const enabled = {
    totp: options.mfaTotpEnrollEnabled,
    phone: options.mfaPhoneEnrollEnabled,
    webauthn: options.mfaWebAuthnEnrollEnabled,
  }
  if (type !== 'totp' && type !== 'phone' && type !== 'webauthn') {
    throw validationFailed('factor_type needs to be totp, phone, or webauthn')
  }
  if (!enabled[type]) throw enrollDisabled(type)
  return type
}

function createTotp(redirects: RedirectPolicy, user: UserRow, issuer: string) {
  const secret = createTotpSecret()
  const uri = totpUri({
    secret,
    issuer: issuer || new URL(redirects.siteUrl).host,
    account: user.email || user.phone || user.id,
  })
  return { qr_code: drawQrSvg(uri), secret, uri }
}

function parseFactorPhone(text: string): string {
  if (text === '') throw validationFailed('Phone number required to enroll Phone factor')
  return parsePhone(text)
}

/** Replaces an unverified factor of the same number. A verified one is a conflict. */
async function replacePhoneFactor(tx: Transaction, userId: string, phone: string): Promise<void> {
  const same = (await findFactorsOfUser(tx, userId)).find(
    (factor) => factor.factor_type === 'phone' && factor.phone === phone,
  )
  if (same?.status === 'verified') throw verifiedPhoneFactorExists()
  if (same) await deleteFactor(tx, same.id)
}

async function requireRoom(
  options: Pick<AuthOptions, 'mfaMaxEnrolledFactors'>,
  tx: Transaction,
  signer: FactorSigner,
  friendlyName: string,
): Promise<void> {
  const factors = await findFactorsOfUser(tx, signer.user.id)
  if (factors.some((factor) => (factor.friendly_name ?? '') === friendlyName)) throw factorNameConflict(friendlyName)
  const counted = factors.filter((factor) => factor.factor_type !== 'recovery_code')
  if (counted.length >= options.mfaMaxEnrolledFactors) throw tooManyFactors()
  const hasVerified = factors.some((factor) => factor.status === 'verified')
  if (hasVerified && signer.session.aal !== 'aal2') throw aal2ToEnroll()
}
