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
 * Invites a user by mail: creates an account that the mail's link signs in to. Inviting again sends a new mail and invalidates the previous
 * link.
 *
 * @throws {HoldfastError} `validation_failed`, `email_exists` if the address has an account, and refusals of hooks
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
 * Creates an account for an invited user or an administrator's link. Calls the `before_user_created` hook, as every sign-up does.
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
    /** Whether the user has proved ownership of the address; otherwise the account awaits confirmation. */
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

/** A user who opened an invitation's link and so owns its address. */
export interface InvitedAccount {
  readonly email: string
  readonly password: string
  /** Display name. */
  readonly name: string
  /** Client address, for hooks and the audit log. */
  readonly address: string
}

/**
 * Creates a confirmed account for the holder of an invitation's link, even if sign-ups are disabled. Password rules and the
 * `before_user_created` hook apply as for every sign-up.
 *
 * @returns whether it was created; an existing account stays unchanged
 * @throws {HoldfastError} `weak_password`, `validation_failed`, and refusals of hooks
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
    // A concurrent request created the account after the check.
    if (error instanceof HoldfastError && error.code === 'user_already_exists') return false
    throw error
  }
}
