import { randomUUID } from 'node:crypto'
import { HoldfastError } from '@holdfast/foundation'
import type { Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import type { AddressLimitKind } from '../confirmations/address-limits.ts'
import { confirmEmail, confirmPhone } from '../confirmations/confirm-user.ts'
import { emailProviderDisabled, unsupportedChannel } from '../confirmations/errors.ts'
import { pretendToCreate, pretendToSend } from '../confirmations/pretend.ts'
import { countMail, countSms, type LinkTarget, sendLinkMail, sendPhoneCode } from '../confirmations/send-token.ts'
import type { AuthContext } from '../context.ts'
import { phoneProviderDisabled, signUpDisabled, userAlreadyExists, validationFailed } from '../errors.ts'
import { insertIdentity } from '../identities/insert-identity.ts'
import type { SmsChannel } from '../messages/messages.ts'
import { requireGoodPassword } from '../passwords/require-good-password.ts'
import type { SignedIn } from '../sessions/render-session.ts'
import type { RequestOrigin } from '../sessions/session-row.ts'
import { startSession } from '../sessions/start-session.ts'
import { type Contact, parseEmail, parsePhone } from './contact.ts'
import { createUser, type FirstIdentity, type NewUser } from './create-user.ts'
import { findUserByAnyEmail } from './find-by-any-email.ts'
import { mergeMetadata, type UserMetadata } from './user-metadata.ts'
import { findUserById, findUserByPhone, lockUser, type UserRow } from './user-row.ts'

export interface SignUpInput extends LinkTarget {
  /** Either this or `phone` is not empty. */
  readonly email: string
  readonly phone: string
  readonly password: string
  readonly metadata: UserMetadata
  /** How a number is reached; empty for a text message. */
  readonly channel: string
  readonly origin: RequestOrigin
}

/** Signed in at once, or waiting for somebody to confirm the address. */
export type SignUpOutcome =
  | { readonly kind: 'signed-in'; readonly signedIn: SignedIn }
  | { readonly kind: 'waiting'; readonly user: Readonly<Record<string, unknown>> }

/**
 * Creates an account with a password.
 *
 * Where addresses confirm themselves, an address that has an account is told so. Where they do not, it gets an invented user without identities,
 * by which clients know it (GoTrue's "sanitized" user); one that was never confirmed gets its message again.
 *
 * @throws {HoldfastError} `signup_disabled`, `weak_password`, `validation_failed`, `user_already_exists`, `email_provider_disabled`,
 * `phone_provider_disabled`, `over_email_send_rate_limit`, `over_sms_send_rate_limit`, `unexpected_failure`, and what a hook refuses with
 */
export async function signUp(context: AuthContext, input: SignUpInput): Promise<SignUpOutcome> {
  if (!context.options.enableSignup) throw signUpDisabled()
  const contact = checkSignUp(context, input)
  await requireGoodPassword(context, input.password)
  const newUser = prepareUser(context, {
    contact,
    metadata: input.metadata,
    // Before anybody looks for the address, so that it takes as long for one that is known.
    passwordHash: await context.passwords.hash(input.password),
  })
  const { origin } = input
  const { now } = newUser
  const smsChannel = contact.provider === 'phone' ? requireChannel(context, input.channel) : undefined
  if (!confirmsItself(context, contact)) countMessage(context, contact, origin)
  const outcome = await registering(context, async (tx): Promise<SignUpOutcome | 'exists'> => {
    const registration = await register(context, tx, { ...input, contact, newUser, smsChannel })
    if (registration.kind === 'confirmed') {
      const { user } = registration
      const traits = { provider: contact.provider }
      await recordAudit(tx, { action: 'login', actor: user, address: origin.address, now, traits })
      const signedIn = await startSession(context, tx, { userId: user.id, method: 'password', origin, now })
      return { kind: 'signed-in', signedIn }
    }
    if (registration.kind === 'known' && confirmsItself(context, contact)) return 'exists'
    return { kind: 'waiting', user: renderWaiting(newUser, registration.kind === 'known') }
  })
  // Not thrown inside: what was recorded of it stays.
  if (outcome === 'exists') throw userAlreadyExists()
  return outcome
}

function countMessage({ limits }: AuthContext, { provider }: Contact, { address }: RequestOrigin): void {
  if (provider === 'email') limits.mail.take(address)
  else limits.sms.take(address)
}

/** Runs a registration, once more when somebody else registered the same address at that moment. */
export async function registering<Outcome>(
  context: AuthContext,
  body: (tx: Transaction) => Promise<Outcome>,
): Promise<Outcome> {
  return context.pool.transaction(body).catch((error: unknown) => {
    if (error instanceof HoldfastError && error.code === 'user_already_exists') return context.pool.transaction(body)
    throw error
  })
}

function checkSignUp(context: AuthContext, input: SignUpInput): Contact {
  const { options } = context
  const { email, phone, password } = input
  if (password === '') throw validationFailed('Signup requires a valid password')
  if (email !== '' && phone !== '') {
    throw validationFailed('Only an email address or phone number should be provided on signup.')
  }
  if (email === '') {
    requireChannel(context, input.channel)
    if (input.codeChallenge !== undefined) throw validationFailed('PKCE not supported for phone signups')
    if (!options.smsEnableSignup) throw phoneProviderDisabled('signups')
    return { provider: 'phone', phone: parsePhone(phone) }
  }
  if (!options.emailEnableSignup) throw emailProviderDisabled('signups', 400)
  return { provider: 'email', email: parseEmail(email) }
}

/**
 * The way a message to a number takes. WhatsApp needs Twilio; a hook is handed every message, whatever the way.
 *
 * @throws {HoldfastError} `validation_failed`
 */
export function requireChannel(context: AuthContext, channel: string): SmsChannel {
  if (channel === '' || channel === 'sms' || context.hooks.has('send_sms')) return 'sms'
  if (channel === 'whatsapp' && context.options.smsTwilioAccountSid) return 'whatsapp'
  throw unsupportedChannel()
}

/** Whether an address or number counts without anybody confirming it. */
export function confirmsItself({ options }: AuthContext, { provider }: Contact): boolean {
  return provider === 'email' ? !options.emailEnableConfirmations : !options.smsEnableConfirmations
}

/** `waiting`: a message is on its way. `known`: the account was there, and confirmed. */
export type Registration =
  | { readonly kind: 'confirmed'; readonly user: UserRow }
  | { readonly kind: 'waiting'; readonly user: UserRow }
  | { readonly kind: 'known'; readonly user: UserRow }

export type PreparedUser = NewUser & { readonly identity: FirstIdentity }

/**
 * Makes an account unless there is one, and confirms it or sends what does. An account that waits for that is left as it is, because nobody knows
 * whether the same person asks.
 *
 * @throws {HoldfastError} `user_already_exists` in a race: try again
 */
export async function register(
  context: AuthContext,
  tx: Transaction,
  input: LinkTarget & {
    readonly contact: Contact
    readonly newUser: PreparedUser
    readonly origin: RequestOrigin
    /** What a mail counts as: the same for every address that the same thing is asked for. */
    readonly mailKind?: AddressLimitKind
    /** The way of a code to a number. */
    readonly smsChannel?: SmsChannel | undefined
  },
): Promise<Registration> {
  const { contact, newUser, origin } = input
  const { provider } = contact
  const { now } = newUser
  const isSelfConfirming = confirmsItself(context, contact)
  if (!isSelfConfirming) await countConfirmation(context, tx, contact, input.mailKind ?? 'confirmation')
  const known =
    provider === 'email' ? await findUserByAnyEmail(tx, contact.email) : await findUserByPhone(tx, contact.phone)
  const audit = { address: origin.address, now, traits: { provider } }
  if (known && isConfirmed(known, contact)) {
    await recordAudit(tx, { ...audit, action: 'user_repeated_signup', actor: known })
    if (!isSelfConfirming) {
      await pretendToCreate(tx)
      await pretendToSend(tx)
    }
    return { kind: 'known', user: known }
  }
  const user = known ?? (await createUser(context, tx, { user: newUser, address: origin.address, announce: true }))
  if (known) await lockUser(tx, known.id)
  if (known && !known.identities.some((identity) => identity.provider === provider)) {
    const { id, data } = newUser.identity
    const identityData = { ...data, sub: known.id }
    await insertIdentity(tx, { id, userId: known.id, provider, providerId: known.id, identityData, now })
  }
  if (isSelfConfirming) {
    await recordAudit(tx, { ...audit, action: 'user_signedup', actor: user })
    if (provider === 'email') await confirmEmail(tx, { userId: user.id, isProven: false, now })
    else await confirmPhone(tx, { userId: user.id, now })
    return { kind: 'confirmed', user: (await findUserById(tx, user.id)) ?? user }
  }
  await recordAudit(tx, { ...audit, action: 'user_confirmation_requested', actor: user })
  if (provider === 'email') {
    await sendLinkMail(context, tx, { ...input, user, purpose: 'signup', address: origin.address, now })
  } else {
    await sendPhoneCode(context, tx, {
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

async function countConfirmation(
  context: AuthContext,
  tx: Transaction,
  contact: Contact,
  mailKind: AddressLimitKind,
): Promise<void> {
  if (contact.provider === 'email') await countMail(context, tx, { address: contact.email, kind: mailKind })
  else await countSms(context, tx, { address: contact.phone, kind: 'confirmation' })
}

function isConfirmed(user: UserRow, { provider }: Contact): boolean {
  return provider === 'email' ? user.email_confirmed_at !== null : user.phone_confirmed_at !== null
}

/** @param input.passwordHash - `undefined` for who signs up with a code */
export function prepareUser(
  context: AuthContext,
  input: { readonly contact: Contact; readonly metadata: UserMetadata; readonly passwordHash: string | undefined },
): PreparedUser {
  const { contact, passwordHash } = input
  const { provider } = contact
  const id = randomUUID()
  // What an identity says about the person; `email_verified` is a provider's word, and here there is none.
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
    // What was given at sign-up and over it, as GoTrue does, what the identity says.
    userMetadata: mergeMetadata(input.metadata, data),
    passwordHash,
    now: new Date(context.clock.now()).toISOString(),
  }
}

/** An account that waits for confirmation. Made from the request alone, so that it looks the same when there was one before. */
/** @param isTaken - whether the address has an account; clients know it by there being no identity */
function renderWaiting(newUser: PreparedUser, isTaken: boolean): Record<string, unknown> {
  const { id, identity, email = '', phone = '', now } = newUser
  return {
    id,
    aud: 'authenticated',
    role: 'authenticated',
    email,
    phone,
    confirmation_sent_at: now,
    app_metadata: newUser.appMetadata,
    user_metadata: newUser.userMetadata,
    identities: isTaken
      ? []
      : [
          {
            identity_id: identity.id,
            id,
            user_id: id,
            identity_data: identity.data,
            provider: identity.provider,
            last_sign_in_at: now,
            created_at: now,
            updated_at: now,
            ...(email === '' ? {} : { email }),
          },
        ],
    created_at: now,
    updated_at: now,
    is_anonymous: false,
  }
}
