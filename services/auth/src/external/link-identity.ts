import { randomUUID } from 'node:crypto'
import { assert, type HoldfastError, type Clock } from '@holdfast/foundation'
import { sql, type Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { confirmEmail, nameProviders } from '../confirmations/confirm-user.ts'
import type { TokenMessages } from '../confirmations/token-messages.ts'
import { userBanned } from '../errors.ts'
import { identityAlreadyExists } from '../identities/errors.ts'
import { setUserEmail } from '../identities/identity-changes.ts'
import { insertIdentity } from '../identities/insert-identity.ts'
import { acceptCredentials } from '../identities/unverified-credentials.ts'
import type { Notices } from '../messages/notices.ts'
import { findUserById, isBanned, lockUser } from '../users/user-row.ts'
import { isTaken, lockExternalUser } from './account-linking.ts'
import { type EnterInput, type SignInOutcome, sendConfirmation } from './enter-account.ts'
import { linkedEmailExists, linkedEmailNotConfirmed, linkingTargetNotFound } from './errors.ts'
import { mainEmail, toIdentityData } from './profile.ts'

export type LinkIdentityNeeds = {
  readonly clock: Clock
  readonly notices: Notices
  readonly tokenMessages: TokenMessages
}

/**
 * Links an identity to the signed-in user. A user without an address gets the provider's, and an anonymous user becomes permanent.
 *
 * @throws {HoldfastError} `identity_already_exists`, `email_exists`, `user_not_found`, `user_banned`, `over_email_send_rate_limit`
 */
export async function linkIdentity(
  { clock, notices, tokenMessages }: LinkIdentityNeeds,
  tx: Transaction,
  input: EnterInput & { readonly targetUserId: string },
): Promise<SignInOutcome> {
  const { provider, profile, targetUserId, origin, now } = input
  await lockExternalUser(tx, provider.name, profile.subject)
  await lockUser(tx, targetUserId)
  const target = await findUserById(tx, targetUserId)
  if (!target) throw linkingTargetNotFound()
  if (isBanned(target, clock.now())) throw userBanned(403)
  const [owner] = await tx.query<{ user_id: string }>(sql`
    select user_id from auth.identities where provider_id = ${profile.subject} and provider = ${provider.name}
  `)
  if (owner) throw identityAlreadyExists(owner.user_id === target.id ? 'same' : 'another')

  const identityId = randomUUID()
  await insertIdentity(tx, {
    id: identityId,
    userId: target.id,
    provider: provider.name,
    providerId: profile.subject,
    identityData: toIdentityData(profile),
    now,
  })
  const traits = { identity_id: identityId, provider: provider.name, provider_id: profile.subject }
  await recordAudit(tx, { action: 'identity_linked', actor: target, address: origin.address, now, traits })
  await nameProviders(tx, { userId: target.id, now })
  if (profile.emails.some(({ email, verified }) => verified && email === target.email)) {
    await acceptCredentials(tx, target.id, 'email')
  }
  const refusal = (target.email ?? '') === '' ? await takeAddress(tokenMessages, tx, input) : undefined
  if (!refusal) {
    const notice = { kind: 'identity_linked_notification', provider: provider.name } as const
    await notices.notifyUser(tx, { ...notice, userId: target.id })
  }
  return { userId: target.id, refusal }
}

/** @returns why the user cannot sign in with it yet */
async function takeAddress(
  tokenMessages: TokenMessages,
  tx: Transaction,
  input: EnterInput & { readonly targetUserId: string },
): Promise<HoldfastError | undefined> {
  const { provider, targetUserId: userId, now } = input
  const email = mainEmail(input.profile)
  if (!email) {
    await tx.execute(sql`update auth.users set is_anonymous = false, updated_at = ${now} where id = ${userId}`)
    return undefined
  }
  if (await isTaken(tx, email.email, userId)) throw linkedEmailExists()
  await setUserEmail(tx, { userId, email: email.email, isConfirmed: email.verified, now })
  if (!email.verified) {
    const user = await findUserById(tx, userId)
    assert(user, 'the user is locked')
    await sendConfirmation(tokenMessages, tx, { ...input, user })
    return linkedEmailNotConfirmed(provider.name)
  }
  await confirmEmail(tx, { userId, now })
  await tx.execute(sql`update auth.users set is_anonymous = false, updated_at = ${now} where id = ${userId}`)
  return undefined
}
