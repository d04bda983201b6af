import type { Pool } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { validationFailed } from '../errors.ts'
import type { Signer } from '../sessions/sessions.ts'
import { isoNow, type Store, isUuid } from '../store.ts'
import { passkeyNotFound } from './errors.ts'
import { PASSKEY_NAME_BYTES_MAX } from './limits.ts'
import { deletePasskeyOfUser, findPasskeysOfUser, renamePasskey, renderPasskey } from './passkey-row.ts'
import { requireAalForPasskeys } from './require-passkeys.ts'

/** The passkeys of the signed-in person. */
export async function listOwnPasskeys(pool: Pool, { user }: Signer): Promise<Record<string, unknown>[]> {
  return (await findPasskeysOfUser(pool, user.id)).map(renderPasskey)
}

/** @throws {HoldfastError} `validation_failed`, 404 when the person has no such passkey */
export async function renameOwnPasskey(
  { pool, clock }: Store,
  input: {
    readonly signer: Signer
    readonly passkeyId: string
    readonly friendlyName: string
    readonly address: string
  },
): Promise<Record<string, unknown>> {
  const { passkeyId: id, friendlyName, address } = input
  const { user } = input.signer
  if (!isUuid(id)) throw passkeyNotFound()
  if (friendlyName === '') throw validationFailed('friendly_name is required')
  if (Buffer.byteLength(friendlyName) > PASSKEY_NAME_BYTES_MAX) {
    throw validationFailed(`friendly_name must be ${PASSKEY_NAME_BYTES_MAX} characters or less`)
  }
  const now = isoNow(clock)
  return pool.transaction(async (tx) => {
    const passkey = await renamePasskey(tx, { id, userId: user.id, friendlyName, now })
    if (!passkey) throw passkeyNotFound()
    await recordAudit(tx, { action: 'passkey_updated', actor: user, address, now, traits: { passkey_id: id } })
    return renderPasskey(passkey)
  })
}

/** @throws {HoldfastError} `insufficient_aal`, `validation_failed` (404) when the person has no such passkey */
export async function deleteOwnPasskey(
  { pool, clock }: Store,
  input: { readonly signer: Signer; readonly passkeyId: string; readonly address: string },
): Promise<void> {
  const { passkeyId: id, address } = input
  const { user, session } = input.signer
  requireAalForPasskeys(user, session)
  if (!isUuid(id)) throw passkeyNotFound()
  const now = isoNow(clock)
  await pool.transaction(async (tx) => {
    if (!(await deletePasskeyOfUser(tx, { id, userId: user.id }))) throw passkeyNotFound()
    await recordAudit(tx, { action: 'passkey_deleted', actor: user, address, now, traits: { passkey_id: id } })
  })
}
