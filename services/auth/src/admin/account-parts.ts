import { assert } from '@holdfast/foundation'
import { type Queryable, sql, type Pool } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { noSuchSession } from '../errors.ts'
import type { FactorType } from '../mfa/errors.ts'
import { removeFactor } from '../mfa/unenroll-factor.ts'
import { renderOwnSessions } from '../sessions/render-session.ts'
import { findSessionsOfUser, endSessions } from '../sessions/session-row.ts'
import { isoNow, type Store, violatedConstraint, isUuid } from '../store.ts'
import { parsePhone } from '../users/contact.ts'
import { factorNameConflict, factorNotFound, notAUuid, passkeyNotFound } from './errors.ts'
import { findAccount } from './find-account.ts'
import type { Admin } from './require-admin.ts'

/** A second factor as administrators see it, without its secret. */
interface FactorRow {
  readonly id: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly status: 'unverified' | 'verified'
  readonly friendly_name: string | null
  readonly factor_type: FactorType
  readonly phone: string | null
  readonly last_challenged_at: Date | null
}

/** @throws {HoldfastError} `user_not_found` */
export async function listFactors(pool: Pool, userId: string): Promise<Record<string, unknown>[]> {
  const user = await findAccount(pool, userId)
  const factors = await pool.query<FactorRow>(sql`
    select id, created_at, updated_at, status, friendly_name, factor_type, phone, last_challenged_at
      from auth.mfa_factors
     where user_id = ${user.id}
     order by created_at, id
  `)
  return factors.map(renderFactor)
}

/**
 * Changes the name of a factor, or the number of a phone factor.
 *
 * @throws {HoldfastError} `user_not_found`, `mfa_factor_not_found`, `mfa_factor_name_conflict`, `validation_failed`
 */
export async function changeFactor(
  { pool, clock }: Store,
  input: {
    readonly userId: string
    readonly factorId: string
    readonly friendlyName: string
    readonly phone: string
    readonly admin: Admin
    readonly address: string
  },
): Promise<Record<string, unknown>> {
  const { userId, factorId, friendlyName, admin, address } = input
  const now = isoNow(clock)
  try {
    return await pool.transaction(async (tx) => {
      const { id } = await findAccount(tx, userId)
      const factor = await findFactor(tx, id, factorId)
      const phone = input.phone !== '' && factor.factor_type === 'phone' ? parsePhone(input.phone) : factor.phone
      const [changed] = await tx.query<FactorRow>(sql`
        update auth.mfa_factors
           set friendly_name = ${friendlyName || factor.friendly_name}, phone = ${phone}, updated_at = ${now}
         where id = ${factor.id}
        returning id, created_at, updated_at, status, friendly_name, factor_type, phone, last_challenged_at
      `)
      assert(changed, 'the factor was just read')
      // Pending codes were sent to the old number, which a thief may control.
      if (phone !== factor.phone) await tx.execute(sql`delete from auth.mfa_challenges where factor_id = ${factor.id}`)
      const traits = { user_id: id, factor_id: factor.id, factor_type: factor.factor_type }
      await recordAudit(tx, { action: 'factor_updated', actor: admin, address, now, traits })
      return renderFactor(changed)
    })
  } catch (error) {
    throw violatedConstraint(error) === undefined ? error : factorNameConflict()
  }
}

/**
 * Deletes a factor that its user has lost. Sessions raised by it drop to `aal1`.
 *
 * @returns the deleted factor
 * @throws {HoldfastError} `user_not_found`, `mfa_factor_not_found`
 */
export async function deleteFactor(
  { pool, clock }: Store,
  input: { readonly userId: string; readonly factorId: string; readonly admin: Admin; readonly address: string },
): Promise<Record<string, unknown>> {
  const { userId, factorId, admin, address } = input
  const now = isoNow(clock)
  return pool.transaction(async (tx) => {
    const { id } = await findAccount(tx, userId)
    const factor = await findFactor(tx, id, factorId)
    await removeFactor(tx, { ...factor, user_id: id })
    const traits = { user_id: id, factor_id: factor.id }
    await recordAudit(tx, { action: 'factor_deleted', actor: admin, address, now, traits })
    return renderFactor(factor)
  })
}

async function findFactor(db: Queryable, userId: string, factorId: string): Promise<FactorRow> {
  if (!isUuid(factorId)) throw notAUuid('factor_id')
  const [factor] = await db.query<FactorRow>(sql`
    select id, created_at, updated_at, status, friendly_name, factor_type, phone, last_challenged_at
      from auth.mfa_factors
     where user_id = ${userId} and id = ${factorId}
       for update
  `)
  if (!factor) throw factorNotFound()
  return factor
}

function renderFactor(factor: FactorRow): Record<string, unknown> {
  return {
    id: factor.id,
    created_at: factor.created_at.toISOString(),
    updated_at: factor.updated_at.toISOString(),
    status: factor.status,
    ...(factor.friendly_name ? { friendly_name: factor.friendly_name } : {}),
    factor_type: factor.factor_type,
    phone: factor.phone,
    last_challenged_at: factor.last_challenged_at?.toISOString() ?? null,
  }
}

/**
 * Lists a user's sessions, including expired ones.
 *
 * @throws {HoldfastError} `user_not_found`
 */
export async function listSessions(pool: Pool, userId: string): Promise<Record<string, unknown>[]> {
  const user = await findAccount(pool, userId)
  return renderOwnSessions(pool, await findSessionsOfUser(pool, user.id))
}

/**
 * Ends all sessions of a user, or one.
 *
 * @param input.sessionId - `undefined` for all
 * @throws {HoldfastError} `user_not_found`, `session_not_found`, `validation_failed` (404)
 */
export async function endSessionsOf(
  { pool, clock }: Store,
  input: {
    readonly userId: string
    readonly sessionId: string | undefined
    readonly admin: Admin
    readonly address: string
  },
): Promise<void> {
  const { sessionId, admin, address } = input
  if (sessionId !== undefined && !isUuid(sessionId)) throw notAUuid('session_id')
  const now = isoNow(clock)
  await pool.transaction(async (tx) => {
    const { id } = await findAccount(tx, input.userId)
    const scope = sessionId === undefined ? 'global' : 'local'
    const ended = await endSessions(tx, { userId: id, sessionId, scope })
    if (sessionId !== undefined && ended === 0) throw noSuchSession()
    const traits = { user_id: id, ...(sessionId === undefined ? {} : { session_id: sessionId }) }
    await recordAudit(tx, { action: 'logout', actor: admin, address, now, traits })
  })
}

/** @throws {HoldfastError} `user_not_found` */
export async function listPasskeys(pool: Pool, userId: string): Promise<Record<string, unknown>[]> {
  const user = await findAccount(pool, userId)
  const passkeys = await pool.query<{
    id: string
    friendly_name: string
    created_at: Date
    last_used_at: Date | null
  }>(sql`
    select id, friendly_name, created_at, last_used_at
      from auth.webauthn_credentials
     where user_id = ${user.id}
     order by created_at, id
  `)
  return passkeys.map((passkey) => ({
    id: passkey.id,
    ...(passkey.friendly_name === '' ? {} : { friendly_name: passkey.friendly_name }),
    created_at: passkey.created_at.toISOString(),
    ...(passkey.last_used_at === null ? {} : { last_used_at: passkey.last_used_at.toISOString() }),
  }))
}

/** @throws {HoldfastError} `user_not_found`, `validation_failed` (404) if the account has no such passkey */
export async function deletePasskey(
  { pool, clock }: Store,
  input: { readonly userId: string; readonly passkeyId: string; readonly admin: Admin; readonly address: string },
): Promise<void> {
  const { userId, passkeyId, admin, address } = input
  const now = isoNow(clock)
  await pool.transaction(async (tx) => {
    const { id } = await findAccount(tx, userId)
    const deleted = isUuid(passkeyId)
      ? await tx.execute(sql`delete from auth.webauthn_credentials where user_id = ${id} and id = ${passkeyId}`)
      : 0
    if (deleted === 0) throw passkeyNotFound()
    const traits = { user_id: id, passkey_id: passkeyId }
    await recordAudit(tx, { action: 'passkey_deleted', actor: admin, address, now, traits })
  })
}
