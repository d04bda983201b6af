import { sql, type Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { userBanned, validationFailed } from '../errors.ts'
import {
  acceptCredentials,
  isMarkedUnverified,
  revokeUnverifiedCredentials,
} from '../identities/unverified-credentials.ts'
import type { Messages } from '../messages/messages.ts'
import type { Notices } from '../messages/notices.ts'
import {
  deleteOneTimeTokens,
  findNewestOneTimeToken,
  findOneTimeToken,
  findOneTimeTokenByOtp,
  type OneTimeToken,
  type OneTimeTokenType,
  supportSecondsOf,
} from '../one-time-tokens/one-time-tokens.ts'
import type { AuthOptions, WithOptions } from '../options/auth-options.ts'
import type { Store } from '../store.ts'
import { findUserById, findUserByPhone, isBanned, lockUser, type UserRow } from '../users/user-row.ts'
import { isCodeAttemptLeft, returnCodeAttempt } from './address-limits.ts'
import { confirmEmail, confirmEmailChange, confirmPhone, confirmPhoneChange, nameProviders } from './confirm-user.ts'
import { otpExpired } from './errors.ts'

export type VerifyTokenNeeds = Store &
  WithOptions<'emailDoubleConfirmChanges' | 'emailEnableConfirmations' | 'emailOtpExpiry' | 'smsOtpExpiry'> & {
    readonly messages: Messages
    readonly notices: Notices
  }

/** Token storage per `type`. `email` accepts any token that a sign-in mail may contain. */
const TOKEN_TYPES = {
  signup: ['confirmation_token'],
  invite: ['confirmation_token'],
  magiclink: ['recovery_token'],
  recovery: ['recovery_token'],
  email: ['confirmation_token', 'recovery_token'],
  email_change: ['email_change_token_current', 'email_change_token_new'],
  sms: ['confirmation_token'],
  phone_change: ['phone_change_token'],
} as const satisfies Readonly<Record<string, readonly OneTimeTokenType[]>>

type VerificationType = keyof typeof TOKEN_TYPES

/** Presented credentials: a link's token, or a code with its email or phone number. */
export type Presented =
  | { readonly kind: 'link'; readonly tokenHash: string }
  | { readonly kind: 'email-code'; readonly email: string; readonly otp: string }
  | {
      readonly kind: 'phone-code'
      readonly phone: string
      readonly otp: string
      /** An external service created the code and has confirmed it. */
      readonly isApproved?: boolean
    }

/** `half`: one of the two addresses of a change is confirmed, and the other is pending. */
export type Verification =
  | {
      readonly kind: 'whole'
      readonly userId: string
      readonly type: Exclude<VerificationType, 'email'>
      /** Of a support link: seconds after which the session ends. */
      readonly supportSeconds: number | undefined
    }
  | { readonly kind: 'half' }

/**
 * Consumes a link or code and applies its effect. Wrong codes are counted by address before any lookup, and outside `tx` so that refusals
 * count too.
 *
 * @param input.type - as in the request
 * @throws {HoldfastError} `otp_expired`, `user_banned`, `validation_failed`, `email_exists`, `phone_exists`
 */
export async function verifyToken<Result>(
  needs: VerifyTokenNeeds,
  input: { readonly type: string; readonly presented: Presented; readonly address: string },
  /** Continues in the same transaction. */
  proceed: (tx: Transaction, verification: Verification, now: string) => Promise<Result>,
): Promise<Result> {
  const { pool, clock, messages } = needs
  const type = parseType(input.type, input.presented)
  const nowMs = clock.now()
  const counted = addressOf(input.presented)
  if (counted !== undefined && !(await isCodeAttemptLeft(pool, { address: counted, nowMs }))) {
    throw otpExpired('code')
  }
  const presented = await withApproval(messages, input.presented)
  return pool.transaction(async (tx) => {
    const now = new Date(nowMs).toISOString()
    const found = await takeToken(needs, tx, { type, presented, nowMs })
    if (counted !== undefined) await returnCodeAttempt(tx, counted)
    const verification = await makeTrue(needs, tx, { ...found, type, presented, address: input.address, now })
    return proceed(tx, verification, now)
  })
}

function addressOf(presented: Presented): string | undefined {
  if (presented.kind === 'link') return undefined
  return presented.kind === 'email-code' ? presented.email : presented.phone
}

/** Asks the external code service, if there is one. Runs before the transaction, which would otherwise stay open meanwhile. */
async function withApproval(messages: Messages, presented: Presented): Promise<Presented> {
  if (presented.kind !== 'phone-code' || messages.testOtp(presented.phone) === presented.otp) return presented
  const isApproved = await messages.isApprovedElsewhere(presented.phone, presented.otp)
  if (isApproved === undefined) return presented
  if (!isApproved) throw otpExpired('code')
  return { ...presented, isApproved }
}

function parseType(text: string, presented: Presented): VerificationType {
  if (!Object.hasOwn(TOKEN_TYPES, text)) {
    throw presented.kind === 'link' ? validationFailed('Invalid email verification type') : otpExpired('code')
  }
  const type = text as VerificationType
  const isPhoneType = type === 'sms' || type === 'phone_change'
  if (isPhoneType && presented.kind === 'link') throw validationFailed('Invalid email verification type')
  // A code sent to a number does not prove an address, and vice versa.
  if (isPhoneType !== (presented.kind === 'phone-code')) throw otpExpired('code')
  return type
}

interface Found {
  readonly user: UserRow
  /** `undefined` for the fixed code of a test number. */
  readonly token: OneTimeToken | undefined
}

async function takeToken(
  needs: VerifyTokenNeeds,
  tx: Transaction,
  input: { readonly type: VerificationType; readonly presented: Presented; readonly nowMs: number },
): Promise<Found> {
  const { options } = needs
  const { presented, type, nowMs } = input
  const refusal = otpExpired(presented.kind === 'link' ? 'link' : 'code')
  const owner = await findOwner(needs, tx, type, presented)
  if (owner === undefined) throw refusal
  await lockUser(tx, owner.userId)
  // Checked again, because the previous holder of the lock may have used the token.
  const again = await findOwner(needs, tx, type, presented)
  const user = again?.userId === owner.userId ? await findUserById(tx, owner.userId) : undefined
  if (!user) throw refusal
  if (isBanned(user, nowMs)) throw userBanned(403)
  const token = again?.token
  if (token !== undefined && isExpired(options, token, user, presented, nowMs)) throw refusal
  return { user, token }
}

async function findOwner(
  { messages, options }: VerifyTokenNeeds,
  tx: Transaction,
  type: VerificationType,
  presented: Presented,
): Promise<{ readonly userId: string; readonly token: OneTimeToken | undefined } | undefined> {
  if (presented.kind === 'phone-code' && messages.testOtp(presented.phone) === presented.otp) {
    const userId = await findTestUser(tx, type, presented.phone)
    return userId === undefined ? undefined : { userId, token: undefined }
  }
  const token = await findPresented(options, tx, type, presented)
  return token && { userId: token.user_id, token }
}

async function findPresented(
  options: Pick<AuthOptions, 'emailDoubleConfirmChanges'>,
  tx: Transaction,
  type: VerificationType,
  presented: Presented,
): Promise<OneTimeToken | undefined> {
  const types: readonly OneTimeTokenType[] = TOKEN_TYPES[type]
  switch (presented.kind) {
    case 'link':
      return findOneTimeToken(tx, { tokenHash: presented.tokenHash, types })
    case 'phone-code':
      if (presented.isApproved) return findNewestOneTimeToken(tx, { relatesTo: presented.phone, types })
      return findOneTimeTokenByOtp(tx, { relatesTo: presented.phone, otp: presented.otp, types })
    case 'email-code': {
      const isSingleChange = type === 'email_change' && !options.emailDoubleConfirmChanges
      return findOneTimeTokenByOtp(tx, {
        relatesTo: presented.email,
        otp: presented.otp,
        types: isSingleChange ? ['email_change_token_new'] : types,
      })
    }
  }
}

async function findTestUser(tx: Transaction, type: VerificationType, phone: string): Promise<string | undefined> {
  if (type === 'sms') return (await findUserByPhone(tx, phone))?.id
  const [changing] = await tx.query<{ id: string }>(sql`
    select id from auth.users where phone_change = ${phone} and deleted_at is null order by phone_change_sent_at desc limit 1
  `)
  return changing?.id
}

function isExpired(
  options: Pick<AuthOptions, 'emailOtpExpiry' | 'smsOtpExpiry'>,
  token: OneTimeToken,
  user: UserRow,
  presented: Presented,
  nowMs: number,
): boolean {
  const sentAt = sentAtOf(token, user)
  const lifetimeS = presented.kind === 'phone-code' ? options.smsOtpExpiry : options.emailOtpExpiry
  return sentAt === null || sentAt.getTime() + lifetimeS * 1000 < nowMs
}

function sentAtOf(token: OneTimeToken, user: UserRow): Date | null {
  switch (token.token_type) {
    case 'confirmation_token':
      return user.confirmation_sent_at
    case 'recovery_token':
      return user.recovery_sent_at
    case 'email_change_token_current':
    case 'email_change_token_new':
      return user.email_change_sent_at
    case 'phone_change_token':
      return user.phone_change_sent_at
    case 'reauthentication_token':
      return user.reauthentication_sent_at
  }
}

async function makeTrue(
  { notices, options }: VerifyTokenNeeds,
  tx: Transaction,
  input: Found & {
    readonly type: VerificationType
    readonly presented: Presented
    readonly address: string
    readonly now: string
  },
): Promise<Verification> {
  const { user, token, presented, address, now } = input
  const type = input.type !== 'email' ? input.type : token?.token_type === 'recovery_token' ? 'magiclink' : 'signup'
  const audit = { actor: user, address, now }
  const supportSeconds = token && supportSecondsOf(token.token_hash)
  // A support link is opened by an operator, which proves nothing about the user.
  if (supportSeconds === undefined) await endUnverifiedCredentials(tx, { user, token, type, now })
  switch (type) {
    case 'signup':
    case 'invite':
      await recordAudit(tx, { ...audit, action: 'user_signedup', traits: { provider: 'email' } })
      await confirmEmail(tx, { userId: user.id, now })
      break
    case 'magiclink':
    case 'recovery':
      await tx.execute(sql`update auth.users set recovery_token = '' where id = ${user.id}`)
      await deleteOneTimeTokens(tx, user.id)
      if (user.email_confirmed_at === null) {
        await recordAudit(tx, { ...audit, action: 'user_signedup', traits: { provider: 'email' } })
        await confirmEmail(tx, { userId: user.id, now })
      } else {
        await recordAudit(tx, { ...audit, action: 'login' })
      }
      break
    case 'email_change':
      if (token !== undefined && (await isFirstHalf(options, tx, user))) {
        await confirmHalf(tx, { userId: user.id, token, now })
        return { kind: 'half' }
      }
      if (!user.email_change) throw otpExpired(presented.kind === 'link' ? 'link' : 'code')
      await recordAudit(tx, { ...audit, action: 'user_modified' })
      await confirmEmailChange(tx, { userId: user.id, email: user.email_change, now })
      await acceptCredentials(tx, user.id, 'email')
      await notices.notifyOfNewEmail(tx, user, user.email_change)
      break
    case 'sms':
      await recordAudit(tx, { ...audit, action: 'user_signedup', traits: { provider: 'phone' } })
      await confirmPhone(tx, { userId: user.id, now })
      break
    case 'phone_change':
      if (!user.phone_change) throw otpExpired('code')
      await recordAudit(tx, { ...audit, action: 'user_modified' })
      await confirmPhoneChange(tx, { userId: user.id, phone: user.phone_change, now })
      await acceptCredentials(tx, user.id, 'phone')
      await notices.notifyOfNewPhone(tx, user, user.phone_change)
      break
  }
  await nameProviders(tx, { userId: user.id, now })
  return { kind: 'whole', userId: user.id, type, supportSeconds }
}

/**
 * Revokes credentials that predate the first proof of ownership, unless the proof answers the sign-up message that set them: only that
 * message is requested with the password. Contact changes keep credentials, because the user is signed in.
 */
async function endUnverifiedCredentials(
  tx: Transaction,
  input: {
    readonly user: UserRow
    readonly token: OneTimeToken | undefined
    readonly type: Exclude<VerificationType, 'email'>
    readonly now: string
  },
): Promise<void> {
  const { user, token, type, now } = input
  if (type === 'email_change' || type === 'phone_change') return
  const channel = type === 'sms' ? 'phone' : 'email'
  const isFirstProof = (type === 'magiclink' || type === 'recovery') && user.email_confirmed_at === null
  if (!isFirstProof && !(await isMarkedUnverified(tx, user.id, channel))) return
  const flowsFrom = token && { flowsFrom: token.created_at }
  await revokeUnverifiedCredentials(tx, { user, channel, ...flowsFrom, now })
}

/** With auto-confirm, either address is sufficient, as in GoTrue. */
async function isFirstHalf(
  options: Pick<AuthOptions, 'emailDoubleConfirmChanges' | 'emailEnableConfirmations'>,
  tx: Transaction,
  user: UserRow,
): Promise<boolean> {
  if (!options.emailEnableConfirmations || !options.emailDoubleConfirmChanges || !user.email) return false
  const [row] = await tx.query<{ email_change_confirm_status: number | null }>(
    sql`select email_change_confirm_status from auth.users where id = ${user.id}`,
  )
  return (row?.email_change_confirm_status ?? 0) === 0
}

async function confirmHalf(
  tx: Transaction,
  input: { readonly userId: string; readonly token: OneTimeToken; readonly now: string },
): Promise<void> {
  const { userId, token, now } = input
  await tx.execute(sql`
    update auth.users
       set email_change_confirm_status = 1, ${sql.identifier(token.token_type)} = '', updated_at = ${now}
     where id = ${userId}
  `)
  await deleteOneTimeTokens(tx, userId, [token.token_type])
}
