import type { HoldfastError } from '@holdfast/foundation'
import type { Transaction } from '@holdfast/postgres'
import { mfaAttemptRejected, passwordAttemptRejected } from '../hooks/errors.ts'
import type { HookPayload, Hooks } from '../hooks/hooks.ts'
import { endSessions } from './session-row.ts'

// A rejection is returned instead of thrown: the hook's writes and the end of the sessions must be committed before the request is
// refused.

/** A password sign-in attempt. */
export interface PasswordAttempt {
  readonly userId: string
  readonly valid: boolean
  /** Client address. */
  readonly address?: string | undefined
}

/**
 * Passes a password attempt to the `password_verification_attempt` hook, and ends sessions if the hook says so.
 *
 * @returns `invalid_credentials` (400) if the hook rejects, to be thrown after the commit
 * @throws {HoldfastError} the hook's failure
 */
export async function judgePasswordAttempt(
  hooks: Hooks,
  tx: Transaction,
  attempt: PasswordAttempt,
): Promise<HoldfastError | undefined> {
  const payload = { user_id: attempt.userId, valid: attempt.valid }
  const answer = await hooks.run(tx, 'password_verification_attempt', payload, attempt.address)
  if (answer?.['decision'] !== 'reject') return undefined
  if (answer['should_logout_user'] === true) {
    await endSessions(tx, { userId: attempt.userId, sessionId: undefined, scope: 'global' })
  }
  return passwordAttemptRejected(messageOf(answer) ?? 'Further password verification attempts will be rejected.')
}

/**
 * Passes a second-factor attempt, right or wrong, to the `mfa_verification_attempt` hook. A rejection ends all of the user's sessions.
 *
 * @param attempt.factorType - `totp`, `phone` or `webauthn`
 * @returns `mfa_verification_rejected` (403) if the hook rejects, to be thrown after the commit
 * @throws {HoldfastError} the hook's failure
 */
export async function judgeMfaAttempt(
  hooks: Hooks,
  tx: Transaction,
  attempt: {
    readonly userId: string
    readonly factorId: string
    readonly factorType: string
    readonly valid: boolean
    readonly address?: string | undefined
  },
): Promise<HoldfastError | undefined> {
  const { userId, factorId, factorType, valid } = attempt
  const payload = { user_id: userId, factor_id: factorId, factor_type: factorType, valid }
  const answer = await hooks.run(tx, 'mfa_verification_attempt', payload, attempt.address)
  if (answer?.['decision'] !== 'reject') return undefined
  await endSessions(tx, { userId, sessionId: undefined, scope: 'global' })
  return mfaAttemptRejected(messageOf(answer) ?? 'Further MFA verification attempts will be rejected.')
}

function messageOf(answer: HookPayload): string | undefined {
  const message = answer['message']
  return typeof message === 'string' && message !== '' ? message : undefined
}
