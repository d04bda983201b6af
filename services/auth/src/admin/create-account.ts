import { randomUUID } from 'node:crypto'
import { HoldfastError } from '@holdfast/foundation'
import { sql } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { emailExists, userAlreadyExists, validationFailed } from '../errors.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { insertIdentity } from '../identities/insert-identity.ts'
import { PASSWORD_BYTES_MAX } from '../limits.ts'
import type { Passwords } from '../passwords/passwords.ts'
import { createUser, type FirstIdentity } from '../sign-up/create-user.ts'
import { type Store, isUuid } from '../store.ts'
import { mergeMetadata, mergeAppMetadata } from '../users/user-metadata.ts'
import type { UserRow } from '../users/user-row.ts'
import { type AccountAttributes, banEnd } from './account-attributes.ts'
import { phoneTaken } from './errors.ts'
import { findAccount, isEmailTaken, isPhoneTaken } from './find-account.ts'
import type { Admin } from './require-admin.ts'

export type CreateAccountNeeds = Store & { readonly hooks: Hooks; readonly passwords: Passwords }

/**
 * Creates an account without asking the user: no mail, no hook, no password rules. Without a password, sign-in by password is impossible.
 *
 * @param input.id - default: random
 * @throws {HoldfastError} `validation_failed`, `email_exists`, `phone_exists`, `user_already_exists` (the id is taken), `unexpected_failure`
 */
export async function createAccount(
  { pool, clock, hooks, passwords }: CreateAccountNeeds,
  input: {
    readonly id: string | undefined
    readonly attributes: AccountAttributes
    readonly admin: Admin
    readonly address: string
  },
): Promise<UserRow> {
  const { attributes, admin, address } = input
  const { email, phone, password } = attributes
  if (email === undefined && phone === undefined) {
    throw validationFailed('Cannot create a user without either an email or phone')
  }
  if (email !== undefined && (await isEmailTaken(pool, email))) throw emailExists()
  if (phone !== undefined && (await isPhoneTaken(pool, phone))) throw phoneTaken()
  const id = parseId(input.id)
  const passwordHash = attributes.passwordHash ?? (password ? await hashAnyPassword(passwords, password) : undefined)
  const nowMs = clock.now()
  const now = new Date(nowMs).toISOString()
  const identities = identitiesOf(id, email, phone)
  const providers = identities.map(({ provider }) => provider)
  const [first, second] = identities

  try {
    return await pool.transaction(async (tx) => {
      if ((await tx.query(sql`select from auth.users where id = ${id}`)).length > 0) throw userAlreadyExists()
      await createUser(hooks, tx, {
        user: {
          id,
          identity: first,
          email,
          phone,
          passwordHash,
          appMetadata: mergeAppMetadata({ provider: providers[0], providers }, attributes.appMetadata ?? {}),
          userMetadata: mergeMetadata(
            attributes.userMetadata ?? {},
            attributes.emailConfirm ? { email_verified: true } : {},
          ),
          emailConfirmed: attributes.emailConfirm,
          phoneConfirmed: attributes.phoneConfirm,
          role: attributes.role,
          bannedUntil: attributes.banMs ? (banEnd(nowMs, attributes.banMs) ?? undefined) : undefined,
          now,
        },
        address,
        announce: false,
      })
      if (second) {
        const { provider, providerId, data } = second
        await insertIdentity(tx, { id: second.id, userId: id, provider, providerId, identityData: data, now })
      }
      const traits = { user_id: id, user_email: email ?? '', user_phone: phone ?? '', provider: providers[0] }
      await recordAudit(tx, { action: 'user_signedup', actor: admin, address, now, traits })
      return findAccount(tx, id)
    })
  } catch (error) {
    // A concurrent request took the address or number after the check.
    if (!(error instanceof HoldfastError) || error.code !== 'user_already_exists') throw error
    if (email !== undefined && (await isEmailTaken(pool, email))) throw emailExists()
    if (phone !== undefined && (await isPhoneTaken(pool, phone))) throw phoneTaken()
    throw error
  }
}

/**
 * @returns the hash; password rules do not apply to administrators
 * @throws {HoldfastError} `validation_failed` for a password that bcrypt cannot hash
 */
async function hashAnyPassword(passwords: Passwords, password: string): Promise<string> {
  if (Buffer.byteLength(password) > PASSWORD_BYTES_MAX) {
    throw validationFailed(`Password cannot be longer than ${PASSWORD_BYTES_MAX} characters`)
  }
  if (password.includes('\0')) throw validationFailed('Password cannot contain the character NUL')
  return passwords.hash(password)
}

function parseId(text: string | undefined): string {
  if (text === undefined) return randomUUID()
  if (!isUuid(text)) throw validationFailed('ID must conform to the uuid v4 format')
  if (/^[0-]*$/.test(text)) throw validationFailed('ID cannot be a nil uuid')
  return text.toLowerCase()
}

function identitiesOf(userId: string, email: string | undefined, phone: string | undefined): FirstIdentity[] {
  const verified = { email_verified: false, phone_verified: false }
  const identity = (provider: 'email' | 'phone', contact: string): FirstIdentity => ({
    id: randomUUID(),
    provider,
    providerId: userId,
    data: { sub: userId, [provider]: contact, ...verified },
  })
  return [
    ...(email === undefined ? [] : [identity('email', email)]),
    ...(phone === undefined ? [] : [identity('phone', phone)]),
  ]
}
