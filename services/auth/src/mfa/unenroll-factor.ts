import { type Queryable, sql } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import type { Notices } from '../messages/notices.ts'
import { isoNow, type Store } from '../store.ts'
import { lockUser } from '../users/user-row.ts'
import { aal2ToUnenroll, factorNotFound } from './errors.ts'
import { deleteFactor, type FactorRow, findFactorsOfUser, lockFactor } from './factor-row.ts'
import { FACTOR_METHODS } from './raise-session.ts'
import type { FactorSigner } from './require-factor-signer.ts'

export type UnenrollFactorNeeds = Store & { readonly notices: Notices }

/**
 * Removes a factor of the signed-in user. Sessions raised by it drop to `aal1` at their next refresh.
 *
 * @throws {HoldfastError} `mfa_factor_not_found`, `insufficient_aal` if the factor is verified and the session was not raised
 */
export async function unenrollFactor(
  { pool, clock, notices }: UnenrollFactorNeeds,
  input: { readonly signer: FactorSigner; readonly factorId: string; readonly address: string },
): Promise<void> {
  const { user, session } = input.signer
  const now = isoNow(clock)
  await pool.transaction(async (tx) => {
    await lockUser(tx, user.id)
    const factor = await lockFactor(tx, { factorId: input.factorId, userId: user.id })
    if (!factor || factor.factor_type === 'recovery_code') throw factorNotFound()
    if (factor.status === 'verified' && session.aal !== 'aal2') throw aal2ToUnenroll()
    await removeFactor(tx, factor)
    const traits = { factor_id: factor.id, factor_status: factor.status, session_id: session.id }
    await recordAudit(tx, { action: 'factor_unenrolled', actor: user, address: input.address, now, traits })
    // The user was never notified of an unverified factor.
    if (factor.status === 'verified') {
      const notice = { kind: 'mfa_factor_unenrolled_notification', factorType: factor.factor_type } as const
      await notices.notifyUser(tx, { ...notice, userId: user.id })
    }
  })
}

type FactorToRemove = Pick<FactorRow, 'id' | 'user_id' | 'factor_type'>

/**
 * Deletes a factor and lowers the sessions raised by it. Deleting the last other factor also deletes the recovery codes. For users and
 * administrators.
 */
export async function removeFactor(db: Queryable, factor: FactorToRemove): Promise<void> {
  await deleteFactor(db, factor.id)
  await lowerSessions(db, factor)
  const left = await findFactorsOfUser(db, factor.user_id)
  if (left.some((other) => other.status === 'verified' && other.factor_type !== 'recovery_code')) return
  const codes = left.find((other) => other.factor_type === 'recovery_code')
  if (codes) await removeFactor(db, codes)
}

async function lowerSessions(db: Queryable, factor: FactorToRemove): Promise<void> {
  const method = FACTOR_METHODS[factor.factor_type]
  await db.execute(sql`
    with lowered as (
      update auth.sessions
         set aal = 'aal1', factor_id = null
       where user_id = ${factor.user_id} and factor_id = ${factor.id}
      returning id
    )
    delete from auth.mfa_amr_claims
     using lowered
     where mfa_amr_claims.session_id = lowered.id and mfa_amr_claims.authentication_method = ${method}
  `)
}
