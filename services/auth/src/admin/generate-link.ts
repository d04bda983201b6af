import type { Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { issueToken, type IssuedToken } from '../confirmations/issue-token.ts'
import { emailExists, validationFailed } from '../errors.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { setUserMetadata } from '../identities/identity-changes.ts'
import { markUnverified } from '../identities/unverified-credentials.ts'
import { confirmationUrl } from '../messages/confirmation-url.ts'
import type { WithOptions } from '../options/auth-options.ts'
import type { Passwords } from '../passwords/passwords.ts'
import { isoNow, type Store } from '../store.ts'
import { parseEmail } from '../users/contact.ts'
import { mergeMetadata, type UserMetadata } from '../users/user-metadata.ts'
import { findUserByEmail, type UserRow } from '../users/user-row.ts'
import { noSuchUser } from './errors.ts'
import { findAccount, isEmailTaken } from './find-account.ts'
import { createEmailAccount } from './invite-account.ts'
import type { Admin } from './require-admin.ts'

export type GenerateLinkNeeds = Store &
  WithOptions<'emailDoubleConfirmChanges' | 'emailOtpLength'> & {
    readonly hooks: Hooks
    readonly issuer: string
    readonly passwords: Passwords
  }

const LINK_TYPES = ['signup', 'invite', 'magiclink', 'recovery', 'email_change_current', 'email_change_new'] as const

export type LinkType = (typeof LINK_TYPES)[number]

export interface LinkRequest {
  readonly type: string
  readonly email: string
  /** For an email change: the new address. */
  readonly newEmail: string
  /** For a sign-up. */
  readonly password: string
  readonly metadata: UserMetadata
  /** Redirect target after verification, already checked. */
  readonly redirectTo: string
  /** For a support link: seconds after which its session ends. */
  readonly supportSeconds?: number | undefined
}

export interface GeneratedLink {
  readonly user: UserRow
  readonly actionLink: string
  readonly token: IssuedToken
  readonly verificationType: LinkType
  readonly redirectTo: string
}

/**
 * Creates a link that would normally be mailed, for an administrator to deliver. Sends nothing. A magic link for an address without an
 * account becomes a sign-up.
 *
 * @throws {HoldfastError} `validation_failed`, `user_not_found`, `email_exists`, `weak_password`, and refusals of hooks
 */
export async function generateLink(
  { pool, clock, hooks, issuer, options, passwords }: GenerateLinkNeeds,
  input: { readonly request: LinkRequest; readonly admin: Admin; readonly address: string },
): Promise<GeneratedLink> {
  const { request } = input
  const email = parseEmail(request.email)
  const known = await findUserByEmail(pool, email)
  const type = chooseType(request.type, known)
  if (type === 'email_change_current' && !options.emailDoubleConfirmChanges) {
    throw validationFailed('Enable secure email change to generate link for current email')
  }
  if (request.supportSeconds !== undefined && !isForSupport(type, known))
    throw validationFailed('A support link is a magic link of a user with a confirmed address')
  const isNew = known === undefined
  const password = isNew && type === 'signup' && request.type === 'signup' ? request.password : undefined
  if (password !== undefined) {
    if (password === '') throw validationFailed('Signup requires a valid password')
    await passwords.requireGood(password)
  }
  const passwordHash = password === undefined ? undefined : await passwords.hash(password)
  const newEmail = type.startsWith('email_change') ? parseEmail(request.newEmail) : undefined
  const now = isoNow(clock)

  return pool.transaction(async (tx) => {
    const work = { ...input, type, email, newEmail, passwordHash, now }
    const user = await prepareUser(hooks, tx, work)
    await recordLink(tx, { ...work, user })
    const token = await issueToken(tx, {
      userId: user.id,
      purpose: type,
      sentTo: type === 'email_change_new' && newEmail !== undefined ? newEmail : email,
      ...(newEmail === undefined ? {} : { newEmail }),
      code: { digits: options.emailOtpLength },
      supportSeconds: request.supportSeconds,
      now,
    })
    const { redirectTo } = request
    const linkType = type === 'email_change_current' || type === 'email_change_new' ? 'email_change' : type
    return {
      user: await findAccount(tx, user.id),
      actionLink: confirmationUrl({ issuer, tokenHash: token.tokenHash, type: linkType, redirectTo }),
      token,
      verificationType: type,
      redirectTo,
    }
  })
}

function chooseType(text: string, known: UserRow | undefined): LinkType {
  const type = LINK_TYPES.find((each) => each === text)
  if (type === undefined) throw validationFailed(`Invalid email action link type requested: ${text}`)
  if (known || type === 'signup' || type === 'invite') return type
  if (type === 'magiclink') return 'signup'
  throw noSuchUser('User with this email not found')
}

/** Opening a link confirms its address, which an operator must not do for the user. */
function isForSupport(type: LinkType, user: UserRow | undefined): boolean {
  return type === 'magiclink' && user !== undefined && user.email_confirmed_at !== null
}

interface LinkWork {
  readonly request: LinkRequest
  readonly admin: Admin
  readonly address: string
  readonly type: LinkType
  readonly email: string
  readonly newEmail: string | undefined
  readonly passwordHash: string | undefined
  readonly now: string
}

/** Returns the account of the link, creating it if necessary. */
async function prepareUser(hooks: Hooks, tx: Transaction, work: LinkWork): Promise<UserRow> {
  const { request, type, email, newEmail, address, now, passwordHash } = work
  const { metadata } = request
  const user = await findUserByEmail(tx, email)
  if (!user) {
    if (await isEmailTaken(tx, email)) throw emailExists()
    return createEmailAccount(hooks, tx, { email, metadata, passwordHash, isConfirmed: false, address, now })
  }
  if (type === 'signup' || type === 'invite') {
    if (user.email_confirmed_at !== null) throw emailExists()
    await markUnverified(tx, user.id, 'email')
  }
  if (type === 'signup') {
    await setUserMetadata(tx, { userId: user.id, metadata: mergeMetadata(user.raw_user_meta_data, metadata), now })
  }
  if (newEmail !== undefined && (await isEmailTaken(tx, newEmail, user.id))) throw emailExists()
  return user
}

/** Records as GoTrue does: invitations under the administrator, recoveries under the user. */
async function recordLink(tx: Transaction, work: LinkWork & { readonly user: UserRow }): Promise<void> {
  const { type, user, admin, address, now } = work
  const traits = { user_id: user.id, user_email: user.email ?? '' }
  if (type === 'invite') await recordAudit(tx, { action: 'user_invited', actor: admin, address, now, traits })
  if (type === 'magiclink' || type === 'recovery') {
    await recordAudit(tx, { action: 'user_recovery_requested', actor: user, address, now })
  }
}
