import { randomUUID } from 'node:crypto'
import { HoldfastError } from '@holdfast/foundation'
import { recordAudit } from '../audit-log.ts'
import type { AuthContext } from '../context.ts'
import { phoneProviderDisabled, signUpDisabled, validationFailed } from '../errors.ts'
import { requireAcceptablePassword } from '../passwords/password-strength.ts'
import type { SignedIn } from '../sessions/render-session.ts'
import type { RequestOrigin } from '../sessions/session-row.ts'
import { startSession } from '../sessions/start-session.ts'
import { parseEmail, parsePhone } from './contact.ts'
import { createUser, type FirstIdentity, type NewUser } from './create-user.ts'
import { mergeMetadata, type UserMetadata } from './user-metadata.ts'

export interface SignUpInput {
  /** Either this or `phone` is not empty. */
  readonly email: string
  readonly phone: string
  readonly password: string
  readonly metadata: UserMetadata
  readonly origin: RequestOrigin
}

/** Signed in at once, or waiting for somebody to confirm the address. */
export type SignUpOutcome =
  | { readonly kind: 'signed-in'; readonly signedIn: SignedIn }
  | { readonly kind: 'waiting'; readonly user: Readonly<Record<string, unknown>> }

/**
 * Creates an account.
 *
 * Where addresses confirm themselves, an address that has an account is told so. Where they do not, it gets the same answer as a new
 * one, with an invented user, so that nobody learns who has an account.
 *
 * @throws {HoldfastError} `signup_disabled`, `weak_password`, `validation_failed`, `user_already_exists`,
 * `phone_provider_disabled`, `unexpected_failure`
 */
export async function signUp(context: AuthContext, input: SignUpInput): Promise<SignUpOutcome> {
  const { pool, options } = context
  if (!options.enableSignup) throw signUpDisabled()
  const newUser = await prepareUser(context, input)
  const { now } = newUser
  const { origin } = input
  try {
    return await pool.transaction(async (tx): Promise<SignUpOutcome> => {
      await createUser(context, tx, { user: newUser, address: origin.address, announce: true })
      const actor = { id: newUser.id, email: newUser.email ?? null, phone: newUser.phone ?? null, is_sso_user: false }
      const traits = { provider: newUser.identity.provider }
      await recordAudit(tx, { action: 'user_signedup', actor, address: origin.address, now, traits })
      if (newUser.emailConfirmed || newUser.phoneConfirmed) {
        const signedIn = await startSession(context, tx, { userId: newUser.id, method: 'password', origin, now })
        return { kind: 'signed-in', signedIn }
      }
      return { kind: 'waiting', user: renderWaiting(newUser) }
    })
  } catch (error) {
    const exists = error instanceof HoldfastError && error.code === 'user_already_exists'
    if (exists && options.emailEnableConfirmations && newUser.identity.provider === 'email') {
      return { kind: 'waiting', user: renderWaiting(newUser) }
    }
    throw error
  }
}

type PreparedUser = NewUser & { readonly identity: FirstIdentity }

async function prepareUser(context: AuthContext, input: SignUpInput): Promise<PreparedUser> {
  const { options, clock } = context
  if (input.password === '') throw validationFailed('Signup requires a valid password')
  requireAcceptablePassword(input.password, options.minimumPasswordLength)
  if (input.email !== '' && input.phone !== '') {
    throw validationFailed('Only an email address or phone number should be provided on signup.')
  }
  const provider = input.email === '' ? 'phone' : 'email'
  if (provider === 'phone' && !options.smsEnableSignup) throw phoneProviderDisabled('signups')
  const email = provider === 'email' ? parseEmail(input.email) : undefined
  const phone = provider === 'phone' ? parsePhone(input.phone) : undefined
  const id = randomUUID()
  const emailConfirmed = provider === 'email' && !options.emailEnableConfirmations
  // What an identity says about the person; `email_verified` is a provider's word, and here there is none.
  const data = {
    sub: id,
    ...(email ? { email } : {}),
    ...(phone ? { phone } : {}),
    email_verified: false,
    phone_verified: false,
  }
  return {
    id,
    identity: { id: randomUUID(), provider, providerId: id, data },
    email,
    phone,
    appMetadata: { provider, providers: [provider] },
    // What was given at sign-up and over it, as GoTrue does, what the identity says.
    userMetadata: mergeMetadata(input.metadata, { ...data, ...(emailConfirmed ? { email_verified: true } : {}) }),
    passwordHash: await context.passwords.hash(input.password),
    emailConfirmed,
    phoneConfirmed: provider === 'phone' && !options.smsEnableConfirmations,
    now: new Date(clock.now()).toISOString(),
  }
}

/** An account that waits for confirmation. Made from the request alone, so that it looks the same when there was one before. */
function renderWaiting(newUser: PreparedUser): Record<string, unknown> {
  const { id, identity, email = '', phone = '', now } = newUser
  return {
    id,
    aud: 'authenticated',
    role: 'authenticated',
    email,
    phone,
    app_metadata: newUser.appMetadata,
    user_metadata: newUser.userMetadata,
    identities: [
      {
        identity_id: identity.id,
        id,
        user_id: id,
        identity_data: identity.data,
        provider: identity.provider,
        last_sign_in_at: now,
        created_at: now,
        updated_at: now,
        email,
      },
    ],
    created_at: now,
    updated_at: now,
    is_anonymous: false,
  }
}
