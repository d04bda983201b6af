import type { HoldfastError } from '@holdfast/foundation'
import type { Queryable, Pool } from '@holdfast/postgres'
import { type AuditAction, recordAudit } from '../audit-log.ts'
import { validationFailed } from '../errors.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { WithOptions } from '../options/auth-options.ts'
import { judgeMfaAttempt } from '../sessions/judge-attempt.ts'
import type { SignedIn } from '../sessions/render-session.ts'
import type { RequestOrigin } from '../sessions/session-row.ts'
import { isoNow, type Store } from '../store.ts'
import type { AccessTokens } from '../tokens/access-tokens.ts'
import { lockUser } from '../users/user-row.ts'
import {
  aal2ForRecoveryCodes,
  enrollDisabled,
  factorNameConflict,
  factorNotFound,
  recoveryCodesExist,
  recoveryCodesLocked,
  soleFactor,
  verificationFailed,
  verifyDisabled,
} from './errors.ts'
import {
  type FactorRow,
  findFactorsOfUser,
  insertFactor,
  lockFactor,
  noteVerified,
  attemptsWaitS,
  noteFailedAttempt,
} from './factor-row.ts'
import { FACTOR_NAME_CHARS_MAX, RECOVERY_CODES } from './limits.ts'
import { FACTOR_METHODS, raiseSession } from './raise-session.ts'
import {
  countRecoveryCodes,
  replaceRecoveryCodes,
  useRecoveryCode,
  createRecoveryCode,
  hashRecoveryCode,
} from './recovery-code-row.ts'
import type { FactorSigner } from './require-factor-signer.ts'
import { removeFactor } from './unenroll-factor.ts'

export type RecoveryCodesNeeds = Store &
  WithOptions<'mfaRecoveryCodesEnrollEnabled' | 'mfaRecoveryCodesVerifyEnabled'> & {
    readonly accessTokens: AccessTokens
    readonly hooks: Hooks
  }

// GoTrue has no recovery codes yet. The source is auth-js's documentation (`AuthMFARecoveryCodesApi`).

/** As in auth-js, if the user gave none. */
const DEFAULT_NAME = 'Recovery codes'

/** auth-js's `AuthMFARecoveryCodesGenerateResponseData`. */
export interface RecoveryCodes {
  readonly id: string
  readonly type: 'recovery_code'
  readonly friendly_name: string
  readonly total: number
  /** Shown once; only hashes are stored. */
  readonly codes: readonly string[]
}

type Act = { readonly signer: FactorSigner; readonly address: string }

/** @throws {HoldfastError} `mfa_factor_not_found` if the user has none */
export async function readRecoveryCodesStatus(pool: Pool, signer: FactorSigner) {
  const factor = await requireRecoveryFactor(pool, signer.user.id)
  return { id: factor.id, type: 'recovery_code' as const, ...(await countRecoveryCodes(pool, factor.id)) }
}

/**
 * Creates the first recovery codes of the signed-in user.
 *
 * @throws {HoldfastError} `mfa_recovery_codes_enroll_not_enabled`, `mfa_recovery_codes_sole_factor`, `insufficient_aal`,
 * `mfa_verified_factor_exists`, `mfa_factor_name_conflict`, `validation_failed`
 */
export async function generateRecoveryCodes(
  { pool, clock, options }: RecoveryCodesNeeds,
  input: Act & { readonly friendlyName: string },
): Promise<RecoveryCodes> {
  const { signer, address } = input
  const userId = signer.user.id
  const friendlyName = input.friendlyName || DEFAULT_NAME
  if (!options.mfaRecoveryCodesEnrollEnabled) throw enrollDisabled('recovery_code')
  if ([...friendlyName].length > FACTOR_NAME_CHARS_MAX) throw validationFailed('friendly_name is too long')
  const codes = createCodes()
  const now = isoNow(clock)
  const id = await pool.transaction(async (tx) => {
    await lockUser(tx, userId)
    const factors = await findFactorsOfUser(tx, userId)
    if (!factors.some((factor) => factor.status === 'verified' && factor.factor_type !== 'recovery_code')) {
      throw soleFactor()
    }
    if (signer.session.aal !== 'aal2') throw aal2ForRecoveryCodes()
    if (factors.some((factor) => factor.factor_type === 'recovery_code')) throw recoveryCodesExist()
    if (factors.some((factor) => (factor.friendly_name ?? '') === friendlyName)) throw factorNameConflict(friendlyName)
    const factorId = await insertFactor(tx, { userId, type: 'recovery_code', friendlyName, now })
    await noteVerified(tx, { factorId, now })
    await replaceRecoveryCodes(tx, { factorId, hashes: codes.map(hashRecoveryCode), now })
    await audit(tx, 'factor_in_progress', { signer, factorId, address, now })
    return factorId
  })
  return { id, type: 'recovery_code', friendly_name: friendlyName, total: codes.length, codes }
}

/**
 * Replaces the recovery codes and resets failed attempts.
 *
 * @throws {HoldfastError} `mfa_recovery_codes_enroll_not_enabled`, `insufficient_aal`, `mfa_factor_not_found`
 */
export async function regenerateRecoveryCodes(
  { pool, clock, options }: RecoveryCodesNeeds,
  input: Act,
): Promise<RecoveryCodes> {
  const { signer, address } = input
  if (!options.mfaRecoveryCodesEnrollEnabled) throw enrollDisabled('recovery_code')
  if (signer.session.aal !== 'aal2') throw aal2ForRecoveryCodes()
  const codes = createCodes()
  const now = isoNow(clock)
  const factor = await pool.transaction(async (tx) => {
    await lockUser(tx, signer.user.id)
    const found = await requireRecoveryFactor(tx, signer.user.id)
    await noteVerified(tx, { factorId: found.id, now })
    await replaceRecoveryCodes(tx, { factorId: found.id, hashes: codes.map(hashRecoveryCode), now })
    await audit(tx, 'factor_updated', { signer, factorId: found.id, address, now })
    return found
  })
  const friendlyName = factor.friendly_name ?? ''
  return { id: factor.id, type: 'recovery_code', friendly_name: friendlyName, total: codes.length, codes }
}

/**
 * Accepts a recovery code instead of another second factor, and raises the session. Needs no challenge.
 *
 * @throws {HoldfastError} `mfa_verification_failed`, `mfa_recovery_codes_locked`, `mfa_recovery_codes_verify_not_enabled`,
 * `mfa_verification_rejected`, `session_not_found`
 */
export async function verifyRecoveryCode(
  { pool, clock, accessTokens, hooks, options }: RecoveryCodesNeeds,
  input: { readonly signer: FactorSigner; readonly code: string; readonly origin: RequestOrigin },
): Promise<SignedIn> {
  const { signer, origin } = input
  const { user, session } = signer
  if (!options.mfaRecoveryCodesVerifyEnabled) throw verifyDisabled('recovery_code')
  const outcome = await pool.transaction(
    async (tx): Promise<{ readonly signedIn: SignedIn } | { readonly refusal: HoldfastError }> => {
      await lockUser(tx, user.id)
      const known = await findRecoveryFactor(tx, user.id)
      const factor = known && (await lockFactor(tx, { factorId: known.id, userId: user.id }))
      if (!factor) throw verificationFailed('recovery_code')
      const nowMs = clock.now()
      const now = new Date(nowMs).toISOString()
      const waitS = attemptsWaitS(factor, nowMs)
      if (waitS > 0) throw recoveryCodesLocked(waitS)
      const valid = await useRecoveryCode(tx, { factorId: factor.id, hash: hashRecoveryCode(input.code), now })
      if (!valid) await noteFailedAttempt(tx, factor, nowMs)
      const attempt = { userId: user.id, factorId: factor.id, factorType: factor.factor_type, valid }
      const rejection = await judgeMfaAttempt(hooks, tx, { ...attempt, address: origin.address })
      if (rejection) return { refusal: rejection }
      if (!valid) return { refusal: verificationFailed('recovery_code') }

      await audit(tx, 'verification_attempted', { signer, factorId: factor.id, address: origin.address, now })
      await noteVerified(tx, { factorId: factor.id, now })
      const method = FACTOR_METHODS.recovery_code
      return {
        signedIn: await raiseSession(accessTokens, tx, {
          sessionId: session.id,
          factorId: factor.id,
          method,
          origin,
          now,
        }),
      }
    },
  )
  if ('refusal' in outcome) throw outcome.refusal
  return outcome.signedIn
}

/**
 * @returns the id of the removed factor
 * @throws {HoldfastError} `insufficient_aal`, `mfa_factor_not_found`
 */
export async function removeRecoveryCodes({ pool, clock }: RecoveryCodesNeeds, input: Act): Promise<string> {
  const { signer, address } = input
  if (signer.session.aal !== 'aal2') throw aal2ForRecoveryCodes()
  const now = isoNow(clock)
  return pool.transaction(async (tx) => {
    await lockUser(tx, signer.user.id)
    const factor = await requireRecoveryFactor(tx, signer.user.id)
    await removeFactor(tx, factor)
    await audit(tx, 'factor_unenrolled', { signer, factorId: factor.id, address, now })
    return factor.id
  })
}

function createCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, createRecoveryCode)
}

async function findRecoveryFactor(db: Queryable, userId: string): Promise<FactorRow | undefined> {
  return (await findFactorsOfUser(db, userId)).find((factor) => factor.factor_type === 'recovery_code')
}

async function requireRecoveryFactor(db: Queryable, userId: string): Promise<FactorRow> {
  const factor = await findRecoveryFactor(db, userId)
  if (!factor) throw factorNotFound()
  return factor
}

async function audit(
  db: Queryable,
  action: AuditAction,
  input: Act & { readonly factorId: string; readonly now: string },
): Promise<void> {
  const { signer, factorId, address, now } = input
  const traits = { factor_id: factorId, factor_type: 'recovery_code' }
  await recordAudit(db, { action, actor: signer.user, address, now, traits })
}
