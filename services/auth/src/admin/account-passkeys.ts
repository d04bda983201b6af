import { sql, type Pool } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { isoNow, type Store, isUuid } from '../store.ts'
import { passkeyNotFound } from './errors.ts'
import { findAccount } from './find-account.ts'
import type { Admin } from './require-admin.ts'

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

/** @throws {HoldfastError} `user_not_found`, `validation_failed` (404) when the account has no such passkey */
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
