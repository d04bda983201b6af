import { Type } from 'typebox'
import { validationFailed } from '../errors.ts'
import { OptionalFlag, OptionalRecord, OptionalText } from '../request-body.ts'
import { parsePasswordHash } from '../passwords/password-hash.ts'
import type { UserMetadata } from '../users/user-metadata.ts'
import { parseEmail, parsePhone } from '../users/contact.ts'
import { parseGoDuration } from './go-duration.ts'

/** Length limit of the column in characters. */
const PASSWORD_HASH_CHARS_MAX = 255

/** Attributes an administrator may set. Source: auth-js, `AdminUserAttributes`. */
export const AccountBody = Type.Object({
  id: OptionalText,
  role: OptionalText,
  email: OptionalText,
  phone: OptionalText,
  password: OptionalText,
  password_hash: OptionalText,
  email_confirm: OptionalFlag,
  phone_confirm: OptionalFlag,
  user_metadata: OptionalRecord,
  app_metadata: OptionalRecord,
  ban_duration: OptionalText,
})

/** Parsed attributes; `undefined` means not given. */
export interface AccountAttributes {
  readonly role: string | undefined
  /** Lowercase. */
  readonly email: string | undefined
  /** Digits only. */
  readonly phone: string | undefined
  readonly password: string | undefined
  readonly passwordHash: string | undefined
  readonly emailConfirm: boolean
  readonly phoneConfirm: boolean
  readonly userMetadata: UserMetadata | undefined
  readonly appMetadata: UserMetadata | undefined
  /** Milliseconds; 0 ends a ban. */
  readonly banMs: number | undefined
}

/** @throws {HoldfastError} `validation_failed` */
export function parseAccountAttributes(body: Type.Static<typeof AccountBody>): AccountAttributes {
  if (body.password && body.password_hash) {
    throw validationFailed('Only a password or a password hash should be provided')
  }
  // Nobody could sign in with a hash of an unknown format.
  if (body.password_hash && !isUsableHash(body.password_hash)) {
    throw validationFailed('The password hash has to be one of bcrypt, argon2i, argon2id or Firebase scrypt')
  }
  return {
    role: body.role || undefined,
    email: body.email ? parseEmail(body.email) : undefined,
    phone: body.phone ? parsePhone(body.phone) : undefined,
    password: body.password ?? undefined,
    passwordHash: body.password_hash || undefined,
    emailConfirm: body.email_confirm ?? false,
    phoneConfirm: body.phone_confirm ?? false,
    userMetadata: body.user_metadata ?? undefined,
    appMetadata: body.app_metadata ?? undefined,
    banMs: body.ban_duration ? parseBan(body.ban_duration) : undefined,
  }
}

/** @returns the end of the ban as ISO 8601; `null` for no ban */
export function banEnd(nowMs: number, banMs: number): string | null {
  return banMs === 0 ? null : new Date(nowMs + banMs).toISOString()
}

function isUsableHash(hash: string): boolean {
  return hash.length <= PASSWORD_HASH_CHARS_MAX && parsePasswordHash(hash) !== undefined
}

function parseBan(text: string): number {
  if (text === 'none') return 0
  const ms = parseGoDuration(text)
  if (ms === undefined) {
    throw validationFailed(`invalid format for ban duration: time: invalid duration ${JSON.stringify(text)}`)
  }
  return ms
}
