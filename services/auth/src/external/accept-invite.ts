import { randomUUID } from 'node:crypto'
import type { Clock } from '@holdfast/foundation'
import type { Queryable, Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { confirmEmail, nameProviders } from '../confirmations/confirm-user.ts'
import { identityAlreadyExists } from '../identities/errors.ts'
import { setUserMetadata } from '../identities/identity-changes.ts'
import { insertIdentity } from '../identities/insert-identity.ts'
import { revokeUnverifiedCredentials } from '../identities/unverified-credentials.ts'
import { findOneTimeToken } from '../one-time-tokens/one-time-tokens.ts'
import type { WithOptions } from '../options/auth-options.ts'
import { violatedConstraint } from '../store.ts'
import { findUserById, lockUser, type UserRow } from '../users/user-row.ts'
import { lockExternalUser } from './account-linking.ts'
import type { EnterInput, SignInOutcome } from './enter-account.ts'
import { invitedEmailDiffers, inviteNotFound } from './errors.ts'
import { mergeProviderData, toIdentityData } from './profile.ts'

export type AcceptInviteNeeds = WithOptions<'emailOtpExpiry'> & { readonly clock: Clock }

/** Returns the invited user for an unexpired invitation token. */
export async function findInvited(
  { clock, options }: AcceptInviteNeeds,
  db: Queryable,
  inviteToken: string,
): Promise<UserRow | undefined> {
  const token = await findOneTimeToken(db, { tokenHash: inviteToken, types: ['confirmation_token'] })
  if (!token) return undefined
  const expiresAtMs = token.created_at.getTime() + options.emailOtpExpiry * 1000
  return expiresAtMs < clock.now() ? undefined : findUserById(db, token.user_id)
}

/**
 * Accepts an invitation with an external account that has the invited address.
 *
 * @throws {HoldfastError} `invite_not_found`, `validation_failed`, `identity_already_exists`
 */
export async function acceptInvite(
  needs: AcceptInviteNeeds,
  tx: Transaction,
  input: EnterInput & { readonly inviteToken: string },
): Promise<SignInOutcome> {
  const { provider, profile, origin, now } = input
  await lockExternalUser(tx, provider.name, profile.subject)
  const user = await findInvited(needs, tx, input.inviteToken)
  if (!user) throw inviteNotFound()
  await lockUser(tx, user.id)
  if (!profile.emails.some(({ email }) => email === user.email)) throw invitedEmailDiffers()
  const identityId = randomUUID()
  const identityData = toIdentityData(profile)
  try {
    const identity = { id: identityId, userId: user.id, provider: provider.name, providerId: profile.subject }
    await insertIdentity(tx, { ...identity, identityData, now })
  } catch (error) {
    throw violatedConstraint(error) === 'identities_provider_id_provider_unique'
      ? identityAlreadyExists('another')
      : error
  }
  // The invitation proves ownership of the address, so earlier unverified credentials are revoked.
  const metadata = mergeProviderData(user.raw_user_meta_data, identityData)
  await revokeUnverifiedCredentials(tx, { user, channel: 'email', keptIdentityId: identityId, now })
  await setUserMetadata(tx, { userId: user.id, metadata, now })
  await nameProviders(tx, { userId: user.id, now })
  await confirmEmail(tx, { userId: user.id, now })
  const traits = { provider: provider.name }
  await recordAudit(tx, { action: 'invite_accepted', actor: user, address: origin.address, now, traits })
  return { userId: user.id, refusal: undefined }
}
