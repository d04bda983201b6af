import type { Transaction } from '@holdfast/postgres'
import type { AuthContext } from '../context.ts'
import { type CodeChallenge, insertFlowState } from '../flow-state/flow-state.ts'
import type { MailKind, SmsChannel, SmsKind } from '../messages/messages.ts'
import type { AuthenticationMethodName } from '../tokens/claims.ts'
import type { UserRow } from '../users/user-row.ts'
import { type AddressLimitKind, takeMessage } from './address-limits.ts'
import { issueToken } from './issue-token.ts'

/** What answers say about a text message. */
export type MessageAnswer = Readonly<Record<string, string>>

interface LinkMail {
  readonly kind: MailKind
  readonly method: AuthenticationMethodName
  readonly providerType: string
}

const LINK_MAILS: Readonly<Record<'signup' | 'magiclink' | 'recovery', LinkMail>> = {
  signup: { kind: 'confirmation', method: 'email/signup', providerType: 'email' },
  magiclink: { kind: 'magic_link', method: 'magiclink', providerType: 'magiclink' },
  recovery: { kind: 'recovery', method: 'recovery', providerType: 'recovery' },
}

/** What every mail with a link needs to know about the client that asked for it. */
export interface LinkTarget {
  /** Where the link leads in the end; allowed already. */
  readonly redirectTo: string
  /** `undefined` when tokens are to come back in the address. */
  readonly codeChallenge: CodeChallenge | undefined
}

/** Mails a link and a code to the address of a user. The caller has counted it: see `countMail`. */
export async function sendLinkMail(
  context: AuthContext,
  tx: Transaction,
  input: LinkTarget & {
    readonly user: UserRow
    readonly purpose: keyof typeof LINK_MAILS
    /** Of the client. */
    readonly address?: string | undefined
    readonly now: string
  },
): Promise<void> {
  const { user, purpose, redirectTo, address, now } = input
  const { kind, method, providerType } = LINK_MAILS[purpose]
  const to = user.email ?? ''
  await rememberFlow(tx, { ...input, userId: user.id, method, providerType })
  const { otp, tokenHash } = await issueToken(tx, {
    userId: user.id,
    purpose,
    sentTo: to,
    code: { digits: context.options.emailOtpLength },
    isPkce: input.codeChallenge !== undefined,
    now,
  })
  const data = user.raw_user_meta_data ?? {}
  await context.messages.sendMail(tx, { kind, to, userId: user.id, token: otp, tokenHash, redirectTo, data, address })
}

/**
 * Mails what confirms a new address: to the new one and, where changes are confirmed twice, to the one that the user has.
 *
 * @param input.newEmail - in lower case, free
 */
export async function sendEmailChange(
  context: AuthContext,
  tx: Transaction,
  input: LinkTarget & {
    readonly user: UserRow
    readonly newEmail: string
    /** Of the client. */
    readonly address: string
    readonly now: string
  },
): Promise<void> {
  const { user, newEmail, redirectTo, address, now } = input
  const { emailOtpLength, emailDoubleConfirmChanges } = context.options
  await rememberFlow(tx, { ...input, userId: user.id, method: 'email_change', providerType: 'email_change' })
  const common = {
    userId: user.id,
    newEmail,
    code: { digits: emailOtpLength },
    isPkce: input.codeChallenge !== undefined,
    now,
  }
  const forNew = await issueToken(tx, { ...common, purpose: 'email_change_new', sentTo: newEmail })
  const mail = {
    kind: 'email_change',
    userId: user.id,
    redirectTo,
    newEmail,
    data: user.raw_user_meta_data ?? {},
    address,
  } as const
  if (!emailDoubleConfirmChanges || !user.email) {
    await context.messages.sendMail(tx, { ...mail, to: newEmail, token: forNew.otp, tokenHash: forNew.tokenHash })
    return
  }
  const forCurrent = await issueToken(tx, { ...common, purpose: 'email_change_current', sentTo: user.email })
  await context.messages.sendMail(tx, {
    ...mail,
    to: user.email,
    token: forCurrent.otp,
    tokenHash: forCurrent.tokenHash,
    tokenNew: forNew.otp,
    tokenHashNew: forNew.tokenHash,
  })
}

/** Mails a code without a link to a person who is signed in. */
export async function sendReauthenticationMail(
  context: AuthContext,
  tx: Transaction,
  input: { readonly user: UserRow; readonly email: string; readonly address: string; readonly now: string },
): Promise<void> {
  const { user, email, address, now } = input
  const { otp, tokenHash } = await issueToken(tx, {
    userId: user.id,
    purpose: 'reauthentication',
    sentTo: email,
    code: { digits: context.options.emailOtpLength },
    now,
  })
  await context.messages.sendMail(tx, {
    kind: 'reauthentication',
    to: email,
    userId: user.id,
    token: otp,
    tokenHash,
    redirectTo: context.redirects.siteUrl,
    data: user.raw_user_meta_data ?? {},
    address,
  })
}

/**
 * Sends a code to a number, which for `phone_change` is the one that is to be.
 *
 * @param input.phone - digits only
 * @returns what the answer says about the message: numbers with a fixed code get none
 */
export async function sendPhoneCode(
  context: AuthContext,
  tx: Transaction,
  input: {
    readonly user: UserRow
    readonly phone: string
    readonly purpose: 'sms' | 'phone_change' | 'reauthentication'
    readonly kind: SmsKind
    readonly channel?: SmsChannel | undefined
    /** Of the client. */
    readonly address: string
    readonly now: string
  },
): Promise<{ readonly message_id?: string }> {
  const { user, phone, purpose, kind, channel, address, now } = input
  const fixed = context.messages.testOtp(phone)
  const code = fixed === undefined ? { digits: context.options.smsOtpLength } : { fixed }
  const { otp } = await issueToken(tx, { userId: user.id, purpose, sentTo: phone, code, now })
  await context.messages.sendSms(tx, { kind, channel, to: phone, userId: user.id, code: otp, address })
  return fixed === undefined ? {} : { message_id: 'test-otp' }
}

/** Counts a mail for an address before anybody looks whether it has an account. @throws {HoldfastError} `over_email_send_rate_limit` */
export async function countMail(
  context: AuthContext,
  tx: Transaction,
  input: { readonly address: string; readonly kind: AddressLimitKind },
): Promise<void> {
  const frequencyS = context.options.emailMaxFrequency
  await takeMessage(tx, { ...input, channel: 'mail', frequencyS, nowMs: context.clock.now() })
}

/** The same for a number. @throws {HoldfastError} `over_sms_send_rate_limit` */
export async function countSms(
  context: AuthContext,
  tx: Transaction,
  input: { readonly address: string; readonly kind: AddressLimitKind },
): Promise<void> {
  const frequencyS = context.options.smsMaxFrequency
  await takeMessage(tx, { ...input, channel: 'sms', frequencyS, nowMs: context.clock.now() })
}

async function rememberFlow(
  tx: Transaction,
  input: {
    readonly codeChallenge: CodeChallenge | undefined
    readonly userId: string
    readonly method: AuthenticationMethodName
    readonly providerType: string
    readonly now: string
  },
): Promise<void> {
  if (input.codeChallenge === undefined) return
  await insertFlowState(tx, {
    providerType: input.providerType,
    authenticationMethod: input.method,
    codeChallenge: input.codeChallenge,
    userId: input.userId,
    now: input.now,
  })
}
