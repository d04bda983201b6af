import { assert } from '@holdfast/foundation'
import type { Transaction } from '@holdfast/postgres'
import type { AuthContext } from '../context.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import { mfaAttemptRejected, passwordAttemptRejected } from './errors.ts'
import type { HookPayload } from './hooks.ts'

/**
 * Tells the `password_verification_attempt` hook of a password that was tried, and obeys it.
 *
 * @throws {HoldfastError} `invalid_credentials` (400) when the hook rejects; what the hook fails with
 */
export async function judgePasswordAttempt(
  context: AuthContext,
  attempt: { readonly userId: string; readonly valid: boolean; readonly address?: string | undefined },
): Promise<void> {
  if (!context.hooks.has('password_verification_attempt')) return
  const rejection = await context.pool.transaction(async (tx) => {
    const payload = { user_id: attempt.userId, valid: attempt.valid }
    const answer = await context.hooks.run(tx, 'password_verification_attempt', payload, attempt.address)
    if (answer?.['decision'] !== 'reject') return undefined
    if (answer['should_logout_user'] === true) await endAllSessions(tx, attempt.userId)
    return messageOf(answer, 'Further password verification attempts will be rejected.')
  })
  if (rejection !== undefined) throw passwordAttemptRejected(rejection)
}

/**
 * Tells the `mfa_verification_attempt` hook of a second factor that was tried, and obeys it: a rejection ends all sessions.
 *
 * @param tx - `undefined` for a transaction of its own, which is what a refusal needs: inside that of the request it would undo what
 * the hook has counted and the end of the sessions with it. So call this before the transaction that acts on the verification.
 * @throws {HoldfastError} `mfa_verification_rejected` (403) when the hook rejects; what the hook fails with
 */
export async function judgeMfaAttempt(
  context: AuthContext,
  tx: Transaction | undefined,
  attempt: {
    readonly userId: string
    readonly factorId: string
    /** `totp`, `phone` or `webauthn`. */
    readonly factorType: string
    readonly valid: boolean
    readonly address?: string | undefined
  },
): Promise<void> {
  if (!context.hooks.has('mfa_verification_attempt')) return
  const judge = async (inner: Transaction): Promise<string | undefined> => {
    const { userId, factorId, factorType, valid } = attempt
    const payload = { user_id: userId, factor_id: factorId, factor_type: factorType, valid }
    const answer = await context.hooks.run(inner, 'mfa_verification_attempt', payload, attempt.address)
    if (answer?.['decision'] !== 'reject') return undefined
    await endAllSessions(inner, userId)
    return messageOf(answer, 'Further MFA verification attempts will be rejected.')
  }
  const rejection = await (tx === undefined ? context.pool.transaction(judge) : judge(tx))
  if (rejection !== undefined) throw mfaAttemptRejected(rejection)
}

async function endAllSessions(tx: Transaction, userId: string): Promise<void> {
  await endSessions(tx, { userId, sessionId: undefined, scope: 'global' })
}

function messageOf(answer: HookPayload | undefined, standard: string): string {
  assert(answer, 'a hook that has rejected has answered')
  const message = answer['message']
  return typeof message === 'string' && message !== '' ? message : standard
}
