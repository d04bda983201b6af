import { recordAudit } from '../audit-log.ts'
import { emailProviderDisabled } from '../confirmations/errors.ts'
import { requireChannel } from '../confirmations/require-channel.ts'
import type { LinkTarget } from '../confirmations/send-token.ts'
import type { AuthContext } from '../context.ts'
import { phoneProviderDisabled, signUpDisabled, userAlreadyExists, validationFailed } from '../errors.ts'
import { requireGoodPassword } from '../passwords/require-good-password.ts'
import type { SignedIn } from '../sessions/render-session.ts'
import type { RequestOrigin } from '../sessions/session-row.ts'
import { startSession } from '../sessions/start-session.ts'
import { type Contact, parseEmail, parsePhone } from '../users/contact.ts'
import type { UserMetadata } from '../users/user-metadata.ts'
import { findUserByEmail, findUserByPhone, hasPassword } from '../users/user-row.ts'
import { confirmsItself, prepareUser, type PreparedUser, register, registering } from './register.ts'

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

/** Signed in at once, or waiting for the address to be confirmed. */
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
    // Hashed before the address is looked up, so that it takes as long for one that is known.
    passwordHash: await context.passwords.hash(input.password),
  })
  const matchingHash = await findMatchingHash(context, contact, input.password)
  const { origin } = input
  const { now } = newUser
  const smsChannel = contact.provider === 'phone' ? requireChannel(context, input.channel) : undefined
  if (!confirmsItself(context, contact)) countMessage(context, contact, origin)
  const outcome = await registering(context, async (tx): Promise<SignUpOutcome | 'exists'> => {
    const registration = await register(context, tx, { ...input, contact, newUser, smsChannel, matchingHash })
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

/**
 * The hash of an account that waits for confirmation, if the password is that of the account. Compares for every address, so that it takes as
 * long for one without an account.
 */
async function findMatchingHash(
  { pool, passwords }: AuthContext,
  contact: Contact,
  password: string,
): Promise<string | undefined> {
  const known =
    contact.provider === 'email'
      ? await findUserByEmail(pool, contact.email)
      : await findUserByPhone(pool, contact.phone)
  const hash = known && hasPassword(known) ? (known.encrypted_password ?? undefined) : undefined
  return (await passwords.verify(password, hash)) ? hash : undefined
}

function countMessage({ limits }: AuthContext, { provider }: Contact, { address }: RequestOrigin): void {
  if (provider === 'email') limits.mail.take(address)
  else limits.sms.take(address)
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
 * An account that waits for confirmation. Made from the request alone, so that it looks the same when there was one before.
 *
 * @param isTaken - whether the address has an account; clients know it by the absence of identities
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
