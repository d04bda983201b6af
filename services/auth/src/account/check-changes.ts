import type { Pool } from '@holdfast/postgres'
import { currentPasswordInvalid, currentPasswordRequired, reauthenticationNeeded } from '../confirmations/errors.ts'
import { requireNonce, type ReauthenticateNeeds } from '../confirmations/request-message.ts'
import {
  insufficientAal,
  notAdmin,
  phoneProviderDisabled,
  samePassword,
  userSsoManaged,
  validationFailed,
} from '../errors.ts'
import { RECENT_SIGN_IN_MS } from '../limits.ts'
import type { SmsChannel } from '../messages/messages.ts'
import type { WithOptions } from '../options/auth-options.ts'
import type { Passwords } from '../passwords/passwords.ts'
import { readSessionMethods, type SessionRow } from '../sessions/session-row.ts'
import type { Signer } from '../sessions/sessions.ts'
import { parseEmail, parsePhone } from '../users/contact.ts'
import type { UserMetadata } from '../users/user-metadata.ts'
import { hasPassword, hasVerifiedFactor, type UserRow } from '../users/user-row.ts'

export type CheckChangesNeeds = ReauthenticateNeeds &
  WithOptions<'emailSecurePasswordChange' | 'securityUpdatePasswordRequireCurrentPassword' | 'smsEnableSignup'> & {
    readonly passwords: Passwords
  }

/** Sign-in methods of users who may not know their password. */
const WITHOUT_PASSWORD = ['otp', 'magiclink', 'recovery']

/** Account changes by a user; `undefined` keeps a property. */
export interface UserChanges {
  readonly email: string | undefined
  readonly phone: string | undefined
  readonly password: string | undefined
  /** Required for a new password if the settings say so. */
  readonly currentPassword: string
  /** The code of `GET /reauthenticate`. */
  readonly nonce: string
  /** Channel for a new number; empty for a text message. */
  readonly channel: string
  /** Merged into the metadata; `null` removes a key. */
  readonly metadata: UserMetadata | undefined
  /** Always refused, because only administrators may set it. */
  readonly appMetadata: unknown
}

/** The changes that remain to be applied. */
export interface CheckedChanges {
  readonly email: string | undefined
  readonly phone: string | undefined
  readonly smsChannel: SmsChannel
  readonly passwordHash: string | undefined
  readonly usesNonce: boolean
  readonly metadata: UserMetadata | undefined
}

/** Checks the changes before anything is written, and hashes the password outside the transaction. */
export async function checkChanges(
  needs: CheckChangesNeeds,
  signer: Signer,
  changes: UserChanges,
): Promise<CheckedChanges> {
  const { options, passwords, tokenMessages } = needs
  const { user, session } = signer
  const { password } = changes
  const email = changes.email === undefined ? undefined : parseEmail(changes.email)
  const phone = changes.phone === undefined ? undefined : parsePhone(changes.phone)
  const smsChannel = phone === undefined ? 'sms' : tokenMessages.requireChannel(changes.channel)
  const newEmail = email === user.email ? undefined : email
  const newPhone = phone === user.phone ? undefined : phone
  if (password !== undefined) await passwords.requireGood(password)
  if (changes.appMetadata !== undefined) throw notAdmin()

  const changesCredentials = password !== undefined || newEmail !== undefined || newPhone !== undefined
  if (changesCredentials && hasVerifiedFactor(user) && session?.aal !== 'aal2') throw insufficientAal()
  if (password !== undefined && user.is_anonymous && email === undefined && phone === undefined) {
    throw validationFailed('Updating password of an anonymous user without an email or phone is not allowed', 422)
  }
  if ((changesCredentials || changes.nonce !== '') && user.is_sso_user) throw userSsoManaged()
  if (newPhone !== undefined && !options.smsEnableSignup) throw phoneProviderDisabled('signups')
  const usesNonce = password !== undefined && needsNonce(needs, session)
  if (usesNonce) {
    if (changes.nonce === '') throw reauthenticationNeeded()
    await requireNonce(needs, user, changes.nonce)
  }
  return {
    email: newEmail,
    phone: newPhone,
    smsChannel,
    passwordHash: password === undefined ? undefined : await hashNewPassword(needs, signer, password, changes),
    usesNonce,
    metadata: changes.metadata,
  }
}

function needsNonce({ clock, options }: CheckChangesNeeds, session: SessionRow | undefined): boolean {
  if (!options.emailSecurePasswordChange) return false
  return session === undefined || session.created_at.getTime() + RECENT_SIGN_IN_MS < clock.now()
}

async function hashNewPassword(
  { pool, options, passwords }: CheckChangesNeeds,
  { user, session }: Signer,
  password: string,
  { currentPassword }: UserChanges,
): Promise<string> {
  if (hasPassword(user)) {
    if (options.securityUpdatePasswordRequireCurrentPassword && !(await knowsNoPassword(pool, session))) {
      await requireCurrentPassword(passwords, user, currentPassword)
    }
    if (await passwords.verify(password, user.encrypted_password ?? undefined)) throw samePassword()
  }
  return passwords.hash(password)
}

async function requireCurrentPassword(passwords: Passwords, user: UserRow, currentPassword: string): Promise<void> {
  if (currentPassword === '') throw currentPasswordRequired()
  const isRight = await passwords.verify(currentPassword, user.encrypted_password ?? undefined)
  if (!isRight) throw currentPasswordInvalid()
}

/** Returns whether the user signed in by mail or text message, possibly because of a forgotten password. */
async function knowsNoPassword(pool: Pool, session: SessionRow | undefined): Promise<boolean> {
  if (session === undefined) return false
  const methods = await readSessionMethods(pool, session.id)
  return methods.some(({ method }) => WITHOUT_PASSWORD.includes(method))
}
