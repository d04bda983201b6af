import { randomUUID } from 'node:crypto'
import { assert, type HoldfastError, type Clock } from '@holdfast/foundation'
import type { Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { confirmEmail, nameProviders } from '../confirmations/confirm-user.ts'
import type { TokenMessages } from '../confirmations/token-messages.ts'
import { emailExists, signUpDisabled, userBanned } from '../errors.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { setUserEmail, setUserMetadata, updateIdentity } from '../identities/identity-changes.ts'
import { insertIdentity } from '../identities/insert-identity.ts'
import {
  isMarkedUnverified,
  markUnverified,
  revokeUnverifiedCredentials,
} from '../identities/unverified-credentials.ts'
import type { WithOptions } from '../options/auth-options.ts'
import type { RequestOrigin } from '../sessions/session-row.ts'
import { createUser } from '../sign-up/create-user.ts'
import { findUserById, isBanned, lockUser, type UserRow } from '../users/user-row.ts'
import { decideLinking, isTaken, type LinkingDecision, lockExternalUser } from './account-linking.ts'
import { multipleAccounts, noEmailFromProvider, providerEmailNeedsVerification } from './errors.ts'
import { type ExternalProfile, mainEmail, mergeProviderData, toIdentityData } from './profile.ts'

export type EnterAccountNeeds = WithOptions<'emailEnableConfirmations' | 'enableSignup'> & {
  readonly clock: Clock
  readonly hooks: Hooks
  readonly tokenMessages: TokenMessages
}

export interface EnterInput {
  readonly provider: { readonly name: string; readonly emailOptional: boolean }
  readonly profile: ExternalProfile
  readonly origin: RequestOrigin
  /** Redirect target of a confirmation link. */
  readonly redirectTo: string
  /** ISO 8601. */
  readonly now: string
}

/** The chosen account; with a refusal, written rows (an account awaiting confirmation) must be kept. */
export interface SignInOutcome {
  readonly userId: string
  readonly refusal: HoldfastError | undefined
}

/**
 * Finds or creates the account of a provider's user.
 *
 * @throws {HoldfastError} `signup_disabled`, `user_banned`, `provider_email_needs_verification`, `over_email_send_rate_limit`,
 * `email_exists`, `user_already_exists` (created by a concurrent request: retry), `unexpected_failure`
 */
export async function enterAccount(
  needs: EnterAccountNeeds,
  tx: Transaction,
  input: EnterInput,
): Promise<SignInOutcome> {
  const { clock } = needs
  const { provider, profile } = input
  await lockExternalUser(tx, provider.name, profile.subject)
  const decision = await decideLinking(tx, { provider: provider.name, profile })
  const entered = await takeDecision(needs, tx, input, decision)
  const { userId } = entered
  const user = await findUserById(tx, userId)
  assert(user, 'the decision named or made a user')
  if (isBanned(user, clock.now())) throw userBanned(403)
  await endUnverifiedCredentials(tx, { ...input, user, identityId: entered.identityId })
  const hasEmail = (user.email ?? '') !== ''
  if (!hasEmail) await takeVerifiedAddress(tx, { ...input, user })
  if (!hasEmail || user.email_confirmed_at !== null) {
    const action = decision.kind === 'create' || decision.kind === 'taken' ? 'user_signedup' : 'login'
    const traits = { provider: provider.name }
    await recordAudit(tx, { action, actor: user, address: input.origin.address, now: input.now, traits })
    return { userId, refusal: undefined }
  }
  const refusal = await confirmByProvider(needs, tx, { ...input, user, identityId: entered.identityId })
  return { userId, refusal }
}

async function takeDecision(
  { hooks, options }: EnterAccountNeeds,
  tx: Transaction,
  input: EnterInput,
  decision: LinkingDecision,
): Promise<{ readonly userId: string; readonly identityId: string }> {
  const { provider, profile, now, origin } = input
  const identityData = toIdentityData(profile)
  switch (decision.kind) {
    case 'exists': {
      const { user, identityId } = decision
      await lockUser(tx, user.id)
      await updateIdentity(tx, { id: identityId, identityData, now })
      const metadata = mergeProviderData(user.raw_user_meta_data, identityData)
      await setUserMetadata(tx, { userId: user.id, metadata, now })
      await nameProviders(tx, { userId: user.id, now })
      return { userId: user.id, identityId }
    }
    case 'link': {
      const { user } = decision
      const identityId = randomUUID()
      await lockUser(tx, user.id)
      const identity = { id: identityId, userId: user.id, provider: provider.name, providerId: profile.subject }
      await insertIdentity(tx, { ...identity, identityData, now })
      const metadata = mergeProviderData(user.raw_user_meta_data, identityData)
      await setUserMetadata(tx, { userId: user.id, metadata, now })
      await nameProviders(tx, { userId: user.id, now })
      const traits = { identity_id: identityId, provider: provider.name, provider_id: profile.subject }
      await recordAudit(tx, { action: 'identity_linked', actor: user, address: origin.address, now, traits })
      return { userId: user.id, identityId }
    }
    case 'create':
    case 'taken': {
      if (decision.kind === 'taken' && !provider.emailOptional)
        throw providerEmailNeedsVerification(provider.name, false)
      const email = decision.kind === 'create' ? decision.email : undefined
      if (!email && !provider.emailOptional) throw noEmailFromProvider()
      if (!options.enableSignup) throw signUpDisabled()
      const userId = randomUUID()
      const identityId = randomUUID()
      const isConfirmed = email !== undefined && (email.verified || !options.emailEnableConfirmations)
      await createUser(hooks, tx, {
        user: {
          id: userId,
          identity: { id: identityId, provider: provider.name, providerId: profile.subject, data: identityData },
          email: email?.email,
          appMetadata: { provider: provider.name, providers: [provider.name] },
          userMetadata: mergeProviderData(null, isConfirmed ? { ...identityData, email_verified: true } : identityData),
          emailConfirmed: isConfirmed,
          now,
        },
        address: origin.address,
        announce: true,
      })
      if (isConfirmed && !email.verified) await markUnverified(tx, userId, 'email')
      return { userId, identityId }
    }
    case 'ambiguous':
      throw multipleAccounts()
  }
}

/** Revokes credentials of an account whose address was never verified, once the provider vouches for the address. */
async function endUnverifiedCredentials(
  tx: Transaction,
  input: EnterInput & { readonly user: UserRow; readonly identityId: string },
): Promise<void> {
  const { user, profile, identityId, now } = input
  if (!profile.emails.some(({ email, verified }) => verified && email === user.email)) return
  if (user.email_confirmed_at !== null && !(await isMarkedUnverified(tx, user.id, 'email'))) return
  await revokeUnverifiedCredentials(tx, { user, channel: 'email', keptIdentityId: identityId, now })
  await nameProviders(tx, { userId: user.id, now })
}

/** Gives a user without an address the provider's verified one, unless another account has it. */
async function takeVerifiedAddress(tx: Transaction, input: EnterInput & { readonly user: UserRow }): Promise<void> {
  const email = mainEmail(input.profile)
  if (!email?.verified || (await isTaken(tx, email.email, input.user.id))) return
  await setUserEmail(tx, { userId: input.user.id, email: email.email, isConfirmed: true, now: input.now })
}

/**
 * Gives an account with an unconfirmed address to the provider's user, if the provider vouches for an address. An attacker may have
 * created the account in advance, so its other credentials are revoked.
 *
 * @returns why the user is not signed in yet
 */
async function confirmByProvider(
  { options, tokenMessages }: EnterAccountNeeds,
  tx: Transaction,
  input: EnterInput & { readonly user: UserRow; readonly identityId: string },
): Promise<HoldfastError | undefined> {
  const { user, provider, profile, identityId, origin, now } = input
  const verified = profile.emails.filter((email) => email.verified)
  const vouched = verified.find(({ email }) => email === user.email) ?? verified.find((email) => email.primary)
  const metadata = mergeProviderData(null, toIdentityData(profile))
  await revokeUnverifiedCredentials(tx, { user, channel: 'email', keptIdentityId: identityId, now })
  await setUserMetadata(tx, { userId: user.id, metadata, now })
  await nameProviders(tx, { userId: user.id, now })
  if (vouched || !options.emailEnableConfirmations) {
    if (vouched && vouched.email !== user.email) {
      // The account awaits confirmation of a different address; the verified one replaces it.
      if (await isTaken(tx, vouched.email, user.id)) throw emailExists()
      await setUserEmail(tx, { userId: user.id, email: vouched.email, isConfirmed: true, now })
    }
    await confirmEmail(tx, { userId: user.id, isProven: vouched !== undefined, now })
    if (!vouched) await markUnverified(tx, user.id, 'email')
    const traits = { provider: provider.name }
    await recordAudit(tx, { action: 'user_signedup', actor: user, address: origin.address, now, traits })
    return undefined
  }
  await sendConfirmation(tokenMessages, tx, { ...input, user })
  return providerEmailNeedsVerification(provider.name, true)
}

/** Mails a confirmation link to an address that the provider has not verified. */
export async function sendConfirmation(
  tokenMessages: TokenMessages,
  tx: Transaction,
  input: { readonly user: UserRow; readonly redirectTo: string; readonly origin: RequestOrigin; readonly now: string },
): Promise<void> {
  const { user, redirectTo, now } = input
  assert(user.email !== null && user.email !== '', 'there is an address to be confirmed')
  await tokenMessages.count(tx, 'mail', { address: user.email, kind: 'confirmation' })
  await tokenMessages.sendLinkMail(tx, {
    user,
    purpose: 'signup',
    redirectTo,
    codeChallenge: undefined,
    address: input.origin.address,
    now,
  })
  await recordAudit(tx, { action: 'user_confirmation_requested', actor: user, address: input.origin.address, now })
}
