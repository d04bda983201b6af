import type { HoldfastError } from '@holdfast/foundation'
import type { Transaction } from '@holdfast/postgres'
import { mfaAttemptRejected, passwordAttemptRejected } from '../hooks/errors.ts'
import type { HookPayload, Hooks } from '../hooks/hooks.ts'
import { endSessions } from './session-row.ts'

// A rejection is returned, not thrown: what the hook has counted, and the end of the sessions, have to be committed before the request
// is refused.

/** A password that a person tried. */
export interface PasswordAttempt {
  readonly userId: string
  readonly valid: boolean
  /** Client address. */
  readonly address?: string | undefined
}

/**
 * Tells the `password_verification_attempt` hook of a password that was tried, and obeys it as far as sessions go.
 *
 * @returns `invalid_credentials` (400), to be thrown after the transaction has committed, when the hook rejects
 * @throws {HoldfastError} what the hook fails with
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
 * Tells the `mfa_verification_attempt` hook of a second factor that was tried, right or wrong, and obeys it: a rejection ends all sessions
 * of the person.
 *
 * @param attempt.factorType - `totp`, `phone` or `webauthn`
 * @returns `mfa_verification_rejected` (403), to be thrown after the transaction has committed, when the hook rejects
 * @throws {HoldfastError} what the hook fails with
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
