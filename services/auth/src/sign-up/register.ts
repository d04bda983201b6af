import { randomUUID } from 'node:crypto'
import type { Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import type { AddressLimitKind } from '../confirmations/address-limits.ts'
import { confirmEmail, confirmPhone, nameProviders } from '../confirmations/confirm-user.ts'
import { spendAccountTime, spendMessageTime } from '../confirmations/dummy-work.ts'
import type { LinkTarget, TokenMessages } from '../confirmations/token-messages.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { setUserMetadata } from '../identities/identity-changes.ts'
import { insertIdentity } from '../identities/insert-identity.ts'
import { markUnverified, revokeUnverifiedCredentials } from '../identities/unverified-credentials.ts'
import type { SmsChannel } from '../messages/messages.ts'
import type { AuthOptions, WithOptions } from '../options/auth-options.ts'
import type { RequestOrigin } from '../sessions/session-row.ts'
import { addressOf, channelOf, type Contact } from '../users/contact.ts'
import { mergeMetadata, type UserMetadata } from '../users/user-metadata.ts'
import { findUserById, findUserByPhone, lockUser, type UserRow, findUserByAnyEmail } from '../users/user-row.ts'
import { createUser, type FirstIdentity, type NewUser } from './create-user.ts'

export type RegisterNeeds = WithOptions<'emailEnableConfirmations' | 'smsEnableConfirmations'> & {
  readonly hooks: Hooks
  readonly tokenMessages: TokenMessages
}

export type ConfirmationOptions = Pick<AuthOptions, 'emailEnableConfirmations' | 'smsEnableConfirmations'>

/** Returns whether an address or number is confirmed automatically. */
export function confirmsItself(options: ConfirmationOptions, { provider }: Contact): boolean {
  return provider === 'email' ? !options.emailEnableConfirmations : !options.smsEnableConfirmations
}

/** `waiting`: a message was queued. `known`: a confirmed account existed. */
export type Registration =
  | { readonly kind: 'confirmed'; readonly user: UserRow }
  | { readonly kind: 'waiting'; readonly user: UserRow }
  | { readonly kind: 'known'; readonly user: UserRow }

export type PreparedUser = NewUser & { readonly identity: FirstIdentity }

/**
 * Creates an account unless it exists, and confirms it or sends the confirmation message. An account awaiting confirmation stays unchanged,
 * because the request may come from another user. Unless the request knows its password, the password is revoked with the other
 * unverified credentials once the address is proven.
 *
 * @throws {HoldfastError} `user_already_exists` in a race: retry
 */
export async function register(
  { hooks, options, tokenMessages }: RegisterNeeds,
  tx: Transaction,
  input: LinkTarget & {
    readonly contact: Contact
    readonly newUser: PreparedUser
    readonly origin: RequestOrigin
    /** Rate limit category of a mail, shared by all addresses for the same purpose. */
    readonly mailKind?: AddressLimitKind
    /** Hash of the account awaiting confirmation, if the request's password matches it. */
    readonly matchingHash?: string | undefined
    /** Channel of a code sent to a number. */
    readonly smsChannel?: SmsChannel | undefined
  },
): Promise<Registration> {
  const { contact, newUser, origin } = input
  const { provider } = contact
  const { now } = newUser
  const isSelfConfirming = confirmsItself(options, contact)
  if (!isSelfConfirming) {
    const counted = { address: addressOf(contact), kind: input.mailKind ?? 'confirmation' }
    await tokenMessages.count(tx, channelOf(contact), counted)
  }
  const known =
    provider === 'email' ? await findUserByAnyEmail(tx, contact.email) : await findUserByPhone(tx, contact.phone)
  const audit = { address: origin.address, now, traits: { provider } }
  if (known && isConfirmed(known, contact)) {
    await recordAudit(tx, { ...audit, action: 'user_repeated_signup', actor: known })
    if (!isSelfConfirming) {
      await spendAccountTime(tx)
      await spendMessageTime(tx)
    }
    return { kind: 'known', user: known }
  }
  const user = known
    ? await useKnown(tx, { ...input, known })
    : await createUser(hooks, tx, { user: newUser, address: origin.address, announce: true })
  if (isSelfConfirming || (known && !knowsPassword(known, input.matchingHash))) {
    await markUnverified(tx, user.id, provider)
  }
  if (isSelfConfirming) {
    await recordAudit(tx, { ...audit, action: 'user_signedup', actor: user })
    if (provider === 'email') await confirmEmail(tx, { userId: user.id, isProven: false, now })
    else await confirmPhone(tx, { userId: user.id, now })
    return { kind: 'confirmed', user: (await findUserById(tx, user.id)) ?? user }
  }
  await recordAudit(tx, { ...audit, action: 'user_confirmation_requested', actor: user })
  if (provider === 'email') {
    await tokenMessages.sendLinkMail(tx, { ...input, user, purpose: 'signup', address: origin.address, now })
  } else {
    await tokenMessages.sendPhoneCode(tx, {
      user,
      phone: contact.phone,
      purpose: 'sms',
      kind: 'confirmation',
      channel: input.smsChannel,
      address: origin.address,
      now,
    })
  }
  return { kind: 'waiting', user }
}

/**
 * Adds the requested identity to an account awaiting confirmation. If a provider reported the address without verifying it, that provider's
 * user may be a different one, so its identity is removed, as in GoTrue. A confirmed number establishes who owns the account.
 */
async function useKnown(
  tx: Transaction,
  input: { readonly contact: Contact; readonly newUser: PreparedUser; readonly known: UserRow },
): Promise<UserRow> {
  const { known, newUser, contact } = input
  const { identity, now } = newUser
  const { provider } = contact
  const userId = known.id
  await lockUser(tx, userId)
  if (known.identities.some((each) => each.provider === provider)) return known
  const identityData = { ...identity.data, sub: userId }
  await insertIdentity(tx, { id: identity.id, userId, provider, providerId: userId, identityData, now })
  if (provider === 'phone' || known.phone_confirmed_at !== null) return known
  await revokeUnverifiedCredentials(tx, { user: known, channel: 'email', keptIdentityId: identity.id, now })
  await setUserMetadata(tx, { userId, metadata: { ...newUser.userMetadata, sub: userId }, now })
  await nameProviders(tx, { userId, now })
  return (await findUserById(tx, userId)) ?? known
}

/** A password changed since the comparison counts as unknown. */
function knowsPassword(known: UserRow, matchingHash: string | undefined): boolean {
  return matchingHash !== undefined && known.encrypted_password === matchingHash
}

/** An address known only from a provider does not count as confirmed. */
function isConfirmed(user: UserRow, contact: Contact): boolean {
  if (contact.provider === 'phone') return user.phone_confirmed_at !== null
  return user.email_confirmed_at !== null || user.email !== contact.email
}

/** @param input.passwordHash - `undefined` for sign-up with a code */
export function prepareUser(input: {
  readonly contact: Contact
  readonly metadata: UserMetadata
  readonly passwordHash: string | undefined
  /** ISO 8601. */
  readonly now: string
}): PreparedUser {
  const { contact, passwordHash, now } = input
  const { provider } = contact
  const id = randomUUID()
  // Identity data. `email_verified` is a provider's claim, so it is absent here.
  const data = {
    sub: id,
    ...(provider === 'email' ? { email: contact.email } : { phone: contact.phone }),
    email_verified: false,
    phone_verified: false,
  }
  return {
    id,
    identity: { id: randomUUID(), provider, providerId: id, data },
    email: provider === 'email' ? contact.email : undefined,
    phone: provider === 'phone' ? contact.phone : undefined,
    appMetadata: { provider, providers: [provider] },
    // As in GoTrue, the identity's data overrides the sign-up metadata.
    userMetadata: mergeMetadata(input.metadata, data),
    passwordHash,
    now,
  }
}
