import { sql, type Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { nameProviders } from '../confirmations/confirm-user.ts'
import { userNotFound } from '../errors.ts'
import { isTaken } from '../external/account-linking.ts'
import {
  emailConflictIdentityNotDeletable,
  identityNotFound,
  singleIdentityNotDeletable,
} from '../identities/errors.ts'
import { setUserEmail } from '../identities/identity-changes.ts'
import { markUnverified } from '../identities/unverified-credentials.ts'
import type { Notices } from '../messages/notices.ts'
import { endPending } from '../one-time-tokens/one-time-tokens.ts'
import type { WithOptions } from '../options/auth-options.ts'
import { isoNow, type Store } from '../store.ts'
import { findUserById, lockUser, type UserIdentity, type UserRow } from '../users/user-row.ts'

export type UnlinkIdentityNeeds = Store & WithOptions<'emailEnableConfirmations'> & { readonly notices: Notices }

/**
 * Unlinks an identity. At least one must remain. If the account's address came from it, another identity's address replaces it.
 *
 * @throws {HoldfastError} `single_identity_not_deletable`, `identity_not_found`, `email_conflict_identity_not_deletable`
 */
export async function unlinkIdentity(
  { pool, clock, notices, options }: UnlinkIdentityNeeds,
  input: { readonly userId: string; readonly identityId: string; readonly address: string },
): Promise<void> {
  const now = isoNow(clock)
  await pool.transaction(async (tx) => {
    await lockUser(tx, input.userId)
    const user = await findUserById(tx, input.userId)
    if (!user) throw userNotFound()
    if (user.identities.length <= 1) throw singleIdentityNotDeletable()
    const identity = user.identities.find(({ id }) => id === input.identityId)
    if (!identity) throw identityNotFound()
    const traits = { identity_id: identity.id, provider: identity.provider, provider_id: identity.provider_id }
    await recordAudit(tx, { action: 'identity_unlinked', actor: user, address: input.address, now, traits })
    await tx.execute(sql`delete from auth.identities where id = ${identity.id}`)
    if (identity.provider === 'phone') {
      await tx.execute(sql`
        update auth.users set phone = null, phone_confirmed_at = null, updated_at = ${now} where id = ${user.id}
      `)
      await endPending(tx, user.id)
    } else {
      const left = user.identities.filter(({ id }) => id !== identity.id)
      await keepAnAddress(tx, { user, left, isAutoConfirmed: !options.emailEnableConfirmations, now })
    }
    await nameProviders(tx, { userId: user.id, now })
    const notice = { kind: 'identity_unlinked_notification', provider: identity.provider } as const
    await notices.notifyUser(tx, { ...notice, userId: user.id, to: user.email ?? '' })
  })
}

/** Ensures that the user's address is one of the identities', choosing the best one if necessary. As in GoTrue. */
async function keepAnAddress(
  tx: Transaction,
  input: {
    readonly user: UserRow
    readonly left: readonly UserIdentity[]
    readonly isAutoConfirmed: boolean
    readonly now: string
  },
): Promise<void> {
  const { user, left, now } = input
  if (left.some((identity) => (identity.email ?? '') === (user.email ?? ''))) return
  for (const identity of left.toSorted((one, other) => rank(one) - rank(other))) {
    const email = identity.email ?? ''
    if (email !== '' && (await isTaken(tx, email, user.id))) continue
    const isConfirmed = email !== '' && (isVerified(identity) || input.isAutoConfirmed)
    await setUserEmail(tx, { userId: user.id, email: email === '' ? undefined : email, isConfirmed, now })
    if (isConfirmed && !isVerified(identity)) await markUnverified(tx, user.id, 'email')
    await endPending(tx, user.id)
    return
  }
  throw emailConflictIdentityNotDeletable()
}

/** Ranks verified addresses first, then unverified, then none. The sort is stable, so the oldest comes first within a rank. */
function rank(identity: UserIdentity): number {
  if ((identity.email ?? '') === '') return 2
  return isVerified(identity) ? 0 : 1
}

function isVerified(identity: UserIdentity): boolean {
  return identity.identity_data['email_verified'] === true
}
