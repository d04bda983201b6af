import { randomUUID } from 'node:crypto'
import { HoldfastError } from '@holdfast/foundation'
import type { Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { issueToken } from '../confirmations/issue-token.ts'
import { emailExists } from '../errors.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { markUnverified } from '../identities/unverified-credentials.ts'
import type { Messages } from '../messages/messages.ts'
import type { WithOptions } from '../options/auth-options.ts'
import type { Passwords } from '../passwords/passwords.ts'
import { createUser } from '../sign-up/create-user.ts'
import { isoNow, type Store } from '../store.ts'
import { parseEmail } from '../users/contact.ts'
import { type UserMetadata, mergeMetadata } from '../users/user-metadata.ts'
import { findUserByEmail, type UserRow } from '../users/user-row.ts'
import { findAccount, isEmailTaken } from './find-account.ts'
import type { Admin } from './require-admin.ts'

export type InviteAccountNeeds = Store &
  WithOptions<'emailOtpLength'> & { readonly hooks: Hooks; readonly messages: Messages }

/**
 * Invites a person by mail: makes an account that the link in the mail signs in to. Who was invited before and has not come gets another mail,
 * and the link of the one before is worth nothing.
 *
 * @throws {HoldfastError} `validation_failed`, `email_exists` when the address has an account, and what hooks refuse with
 */
export async function inviteAccount(
  { pool, clock, hooks, messages, options }: InviteAccountNeeds,
  input: {
    readonly email: string
    readonly metadata: UserMetadata
    readonly redirectTo: string
    readonly admin: Admin
    readonly address: string
  },
): Promise<UserRow> {
  const { metadata, redirectTo, admin, address } = input
  const email = parseEmail(input.email)
  const now = isoNow(clock)
  return pool.transaction(async (tx) => {
    const existing = await findUserByEmail(tx, email)
    const isFree = existing ? existing.email_confirmed_at === null : !(await isEmailTaken(tx, email))
    if (!isFree) throw emailExists()
    const user =
      existing ?? (await createEmailAccount(hooks, tx, { email, metadata, isConfirmed: false, address, now }))
    if (existing) await markUnverified(tx, user.id, 'email')
    const traits = { user_id: user.id, user_email: email }
    await recordAudit(tx, { action: 'user_invited', actor: admin, address, now, traits })
    const code = { digits: options.emailOtpLength }
    const token = await issueToken(tx, { userId: user.id, purpose: 'invite', sentTo: email, code, now })
    await messages.sendMail(tx, {
      kind: 'invite',
      to: email,
      userId: user.id,
      token: token.otp,
      tokenHash: token.tokenHash,
      redirectTo,
      data: user.raw_user_meta_data ?? {},
    })
    return findAccount(tx, user.id)
  })
}

/**
 * Makes an account for an address: of a person who was invited, or for whom an administrator made a link. The `before_user_created` hook is asked,
 * as at any sign-up.
 *
 * @throws {HoldfastError} those of `createUser`
 */
export function createEmailAccount(
  hooks: Hooks,
  tx: Transaction,
  input: {
    /** Lowercase. */
    readonly email: string
    readonly metadata: UserMetadata
    /** Whether the person has shown that they read its mails; else the account waits for that. */
    readonly isConfirmed: boolean
    readonly passwordHash?: string | undefined
    readonly address: string
    readonly now: string
  },
): Promise<UserRow> {
  const { email, isConfirmed, address, now } = input
  const id = randomUUID()
  return createUser(hooks, tx, {
    user: {
      id,
      identity: {
        id: randomUUID(),
        provider: 'email',
        providerId: id,
        data: { sub: id, email, email_verified: isConfirmed, phone_verified: false },
      },
      email,
      passwordHash: input.passwordHash,
      appMetadata: { provider: 'email', providers: ['email'] },
      userMetadata: mergeMetadata(input.metadata, isConfirmed ? { email_verified: true } : {}),
      emailConfirmed: isConfirmed,
      now,
    },
    address,
    announce: true,
  })
}

type CreateInvitedAccountNeeds = Store & { readonly hooks: Hooks; readonly passwords: Passwords }

/** Somebody who came by the link of an invitation, and so reads the mails of its address. */
export interface InvitedAccount {
  readonly email: string
  readonly password: string
  /** Display name. */
  readonly name: string
  /** Client address, for hooks and the audit log. */
  readonly address: string
}

/**
 * Makes a confirmed account for whoever holds the link of an invitation, also where people do not sign up by themselves. The rules for passwords and the
 * `before_user_created` hook hold as at any sign-up.
 *
 * @returns whether it was made; an address that has an account keeps it as it is
 * @throws {HoldfastError} `weak_password`, `validation_failed`, and what hooks refuse with
 */
export async function createInvitedAccount(
  { pool, clock, hooks, passwords }: CreateInvitedAccountNeeds,
  account: InvitedAccount,
): Promise<boolean> {
  const { password, name, address } = account
  const email = parseEmail(account.email)
  if (await isEmailTaken(pool, email)) return false
  await passwords.requireGood(password)
  const passwordHash = await passwords.hash(password)
  const now = isoNow(clock)
  try {
    await pool.transaction(async (tx) => {
      const metadata = { name }
      const { id } = await createEmailAccount(hooks, tx, {
        email,
        metadata,
        passwordHash,
        isConfirmed: true,
        address,
        now,
      })
      const actor = { id, email, phone: null, is_sso_user: false }
      await recordAudit(tx, { action: 'user_signedup', actor, address, now, traits: { provider: 'email' } })
    })
    return true
  } catch (error) {
    // Somebody made one since it was looked up.
    if (error instanceof HoldfastError && error.code === 'user_already_exists') return false
    throw error
  }
}
