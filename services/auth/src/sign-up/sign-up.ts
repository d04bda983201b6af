import { randomUUID } from 'node:crypto'
import { recordAudit } from '../audit-log.ts'
import { emailProviderDisabled } from '../confirmations/errors.ts'
import type { LinkTarget } from '../confirmations/token-messages.ts'
import { phoneProviderDisabled, signUpDisabled, userAlreadyExists, validationFailed } from '../errors.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { WithOptions } from '../options/auth-options.ts'
import type { Passwords } from '../passwords/passwords.ts'
import type { RateLimits } from '../rate-limits.ts'
import type { SignedIn } from '../sessions/render-session.ts'
import type { RequestOrigin } from '../sessions/session-row.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { isoNow, type Store } from '../store.ts'
import { channelOf, type Contact, parseEmail, parsePhone } from '../users/contact.ts'
import { type UserMetadata, mergeMetadata } from '../users/user-metadata.ts'
import { findUserByContact, hasPassword } from '../users/user-row.ts'
import { retryIfTaken, createUser } from './create-user.ts'
import { confirmsItself, prepareUser, type PreparedUser, register, type RegisterNeeds } from './register.ts'

export type SignUpNeeds = Store &
  RegisterNeeds &
  WithOptions<'emailEnableSignup' | 'enableSignup' | 'smsEnableSignup'> & {
    readonly passwords: Passwords
    readonly sessions: Sessions
    readonly limits: Pick<RateLimits, 'mail' | 'sms'>
  }

export interface SignUpInput extends LinkTarget {
  /** The email, or empty if `phone` is set. Setting both is refused. */
  readonly email: string
  readonly phone: string
  readonly password: string
  readonly metadata: UserMetadata
  /** Channel for a number; empty for a text message. */
  readonly channel: string
  readonly origin: RequestOrigin
}

/** Signed in, or awaiting confirmation. */
export type SignUpOutcome =
  | { readonly kind: 'signed-in'; readonly signedIn: SignedIn }
  | { readonly kind: 'waiting'; readonly user: Readonly<Record<string, unknown>> }

/**
 * Creates an account with a password.
 *
 * With auto-confirm, an address that has an account gets an error. Otherwise the response is an invented user without identities (GoTrue's
 * "sanitized" user), by which clients recognize the case; an unconfirmed account gets its message again.
 *
 * @throws {HoldfastError} `signup_disabled`, `weak_password`, `validation_failed`, `user_already_exists`, `email_provider_disabled`,
 * `phone_provider_disabled`, `over_email_send_rate_limit`, `over_sms_send_rate_limit`, `unexpected_failure`, and a hook's refusal
 */
export async function signUp(needs: SignUpNeeds, input: SignUpInput): Promise<SignUpOutcome> {
  const { pool, clock, limits, options, passwords, sessions, tokenMessages } = needs
  if (!options.enableSignup) throw signUpDisabled()
  const contact = checkSignUp(needs, input)
  await passwords.requireGood(input.password)
  const newUser = prepareUser({
    contact,
    metadata: input.metadata,
    // Hashed before the lookup, so that known and unknown addresses take equally long.
    passwordHash: await passwords.hash(input.password),
    now: isoNow(clock),
  })
  const matchingHash = await findMatchingHash(needs, contact, input.password)
  const { origin } = input
  const { now } = newUser
  const smsChannel = contact.provider === 'phone' ? tokenMessages.requireChannel(input.channel) : undefined
  if (!confirmsItself(options, contact)) await limits[channelOf(contact)].take(origin.address)
  const outcome = await retryIfTaken(() =>
    pool.transaction(async (tx): Promise<SignUpOutcome | 'exists'> => {
      const registration = await register(needs, tx, { ...input, contact, newUser, smsChannel, matchingHash })
      if (registration.kind === 'confirmed') {
        const { user } = registration
        const traits = { provider: contact.provider }
        await recordAudit(tx, { action: 'login', actor: user, address: origin.address, now, traits })
        const signedIn = await sessions.start(tx, { userId: user.id, method: 'password', origin, now })
        return { kind: 'signed-in', signedIn }
      }
      if (registration.kind === 'known' && confirmsItself(options, contact)) return 'exists'
      return { kind: 'waiting', user: renderWaiting(newUser, registration.kind === 'known') }
    }),
  )
  // Thrown outside the transaction, so that its audit entry is kept.
  if (outcome === 'exists') throw userAlreadyExists()
  return outcome
}

/**
 * Returns the hash of an account awaiting confirmation if the password matches it. Compares for every address, so that addresses without
 * an account take equally long.
 */
async function findMatchingHash(
  { pool, passwords }: SignUpNeeds,
  contact: Contact,
  password: string,
): Promise<string | undefined> {
  const known = await findUserByContact(pool, contact)
  const hash = known && hasPassword(known) ? (known.encrypted_password ?? undefined) : undefined
  return (await passwords.verify(password, hash)) ? hash : undefined
}

function checkSignUp({ options, tokenMessages }: SignUpNeeds, input: SignUpInput): Contact {
  const { email, phone, password } = input
  if (password === '') throw validationFailed('Signup requires a valid password')
  if (email !== '' && phone !== '') {
    throw validationFailed('Only an email address or phone number should be provided on signup.')
  }
  if (email === '') {
    tokenMessages.requireChannel(input.channel)
    if (input.codeChallenge !== undefined) throw validationFailed('PKCE not supported for phone signups')
    if (!options.smsEnableSignup) throw phoneProviderDisabled('signups')
    return { provider: 'phone', phone: parsePhone(phone) }
  }
  if (!options.emailEnableSignup) throw emailProviderDisabled('signups', 400)
  return { provider: 'email', email: parseEmail(email) }
}

/**
 * Renders an account awaiting confirmation from the request alone, so that it looks the same if an account existed.
 *
 * @param isTaken - whether the address has an account; clients recognize this by missing identities
 */
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

export type SignUpAnonymouslyNeeds = Store &
  WithOptions<'enableSignup'> & { readonly hooks: Hooks; readonly sessions: Sessions }

/**
 * Creates an anonymous account, which has no way to sign in again, and signs in to it. An address, a number or an identity makes it
 * permanent.
 *
 * @throws {HoldfastError} `signup_disabled`, `validation_failed`, `unexpected_failure`, and a hook's refusal
 */
export async function signUpAnonymously(
  { pool, clock, hooks, options, sessions }: SignUpAnonymouslyNeeds,
  input: { readonly metadata: UserMetadata; readonly origin: RequestOrigin },
): Promise<SignedIn> {
  const { origin } = input
  if (!options.enableSignup) throw signUpDisabled()
  const userMetadata = mergeMetadata(null, input.metadata)
  const now = isoNow(clock)
  return pool.transaction(async (tx) => {
    const user = { id: randomUUID(), identity: undefined, appMetadata: {}, userMetadata, isAnonymous: true, now }
    await createUser(hooks, tx, { user, address: origin.address, announce: true })
    return sessions.start(tx, { userId: user.id, method: 'anonymous', origin, now })
  })
}
