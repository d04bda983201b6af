import type { Clock } from '@holdfast/foundation'
import type { Transaction } from '@holdfast/postgres'
import { type CodeChallenge, insertFlowState } from '../flow-state/flow-state.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { MailKind, Messages, SmsChannel, SmsKind } from '../messages/messages.ts'
import type { WithOptions } from '../options/auth-options.ts'
import type { RedirectPolicy } from '../redirects/redirect-policy.ts'
import type { AuthenticationMethodName } from '../tokens/claims.ts'
import type { UserRow } from '../users/user-row.ts'
import { type AddressLimitKind, takeMessage } from './address-limits.ts'
import { unsupportedChannel } from './errors.ts'
import { issueToken, type TokenPurpose } from './issue-token.ts'

/** Response to sending a text message. */
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

/** Information about the requesting client, for every mail with a link. */
export interface LinkTarget {
  /** Final redirect target, already checked. */
  readonly redirectTo: string
  /** `undefined` if tokens are returned in the redirect URL. */
  readonly codeChallenge: CodeChallenge | undefined
}

/** A message to a user, requested by a client at `address`. */
interface ToUser {
  readonly user: UserRow
  readonly address: string
  readonly now: string
}

/** Sends mails and text messages with a link or a code. */
export interface TokenMessages {
  /** Mails a link and a code to a user's address. The caller has counted the message: see {@link TokenMessages.count}. */
  sendLinkMail(
    tx: Transaction,
    input: LinkTarget & ToUser & { readonly purpose: keyof typeof LINK_MAILS },
  ): Promise<void>
  /**
   * Mails the confirmation of a new address: to the new one and, with double confirmation, to the current one.
   *
   * @param input.newEmail - lowercase, not taken
   */
  sendEmailChange(tx: Transaction, input: LinkTarget & ToUser & { readonly newEmail: string }): Promise<void>
  /** Mails a code without a link to a signed-in user. */
  sendReauthenticationMail(tx: Transaction, input: ToUser & { readonly email: string }): Promise<void>
  /**
   * Sends a code to a number; for `phone_change`, to the new one.
   *
   * @param input.phone - digits only
   * @returns `message_id` for test numbers with a fixed code, otherwise an empty object
   */
  sendPhoneCode(
    tx: Transaction,
    input: ToUser & {
      readonly phone: string
      readonly purpose: 'sms' | 'phone_change' | 'reauthentication'
      readonly kind: SmsKind
      readonly channel?: SmsChannel | undefined
    },
  ): Promise<{ readonly message_id?: string }>
  /**
   * Counts a message for an address or number before any account lookup.
   *
   * @throws {HoldfastError} `over_email_send_rate_limit`, `over_sms_send_rate_limit`
   */
  count(
    tx: Transaction,
    channel: 'mail' | 'sms',
    input: { readonly address: string; readonly kind: AddressLimitKind },
  ): Promise<void>
  /**
   * Parses the channel of a text message. WhatsApp requires Twilio. With a `send_sms` hook, every value is accepted and returned as `sms`.
   *
   * @throws {HoldfastError} `validation_failed`
   */
  requireChannel(channel: string): SmsChannel
}

type TokenMessageNeeds = WithOptions<
  | 'emailOtpLength'
  | 'emailDoubleConfirmChanges'
  | 'emailMaxFrequency'
  | 'smsOtpLength'
  | 'smsMaxFrequency'
  | 'smsTwilioAccountSid'
  | 'smsTwilioVerifyAccountSid'
> & {
  readonly messages: Messages
  readonly hooks: Hooks
  readonly redirects: RedirectPolicy
  readonly clock: Clock
}

export function createTokenMessages(needs: TokenMessageNeeds): TokenMessages {
  const { options, messages, hooks, redirects, clock } = needs
  const mailCode = { digits: options.emailOtpLength }

  async function mailToken(
    tx: Transaction,
    mail: ToUser & {
      readonly kind: MailKind
      readonly purpose: TokenPurpose
      readonly to: string
      readonly isPkce: boolean
      readonly redirectTo: string
    },
  ): Promise<void> {
    const { user, kind, purpose, to, isPkce, redirectTo, address, now } = mail
    const issued = { userId: user.id, purpose, sentTo: to, code: mailCode, isPkce, now }
    const { otp, tokenHash } = await issueToken(tx, issued)
    const data = user.raw_user_meta_data ?? {}
    await messages.sendMail(tx, { kind, to, userId: user.id, token: otp, tokenHash, redirectTo, data, address })
  }

  return {
    async sendLinkMail(tx, input) {
      const { user, purpose, redirectTo } = input
      const { kind, method, providerType } = LINK_MAILS[purpose]
      const isPkce = input.codeChallenge !== undefined
      await rememberFlow(tx, { ...input, userId: user.id, method, providerType })
      await mailToken(tx, { ...input, kind, purpose, to: user.email ?? '', isPkce, redirectTo })
    },

    async sendEmailChange(tx, input) {
      const { user, newEmail, redirectTo, address, now } = input
      await rememberFlow(tx, { ...input, userId: user.id, method: 'email_change', providerType: 'email_change' })
      const common = { userId: user.id, newEmail, code: mailCode, isPkce: input.codeChallenge !== undefined, now }
      const forNew = await issueToken(tx, { ...common, purpose: 'email_change_new', sentTo: newEmail })
      const mail = {
        kind: 'email_change',
        userId: user.id,
        redirectTo,
        newEmail,
        data: user.raw_user_meta_data ?? {},
        address,
      } as const
      if (!options.emailDoubleConfirmChanges || !user.email) {
        await messages.sendMail(tx, { ...mail, to: newEmail, token: forNew.otp, tokenHash: forNew.tokenHash })
        return
      }
      const forCurrent = await issueToken(tx, { ...common, purpose: 'email_change_current', sentTo: user.email })
      await messages.sendMail(tx, {
        ...mail,
        to: user.email,
        token: forCurrent.otp,
        tokenHash: forCurrent.tokenHash,
        tokenNew: forNew.otp,
        tokenHashNew: forNew.tokenHash,
      })
    },

    async sendReauthenticationMail(tx, { email, ...asked }) {
      const kind = 'reauthentication'
      await mailToken(tx, { ...asked, kind, purpose: kind, to: email, isPkce: false, redirectTo: redirects.siteUrl })
    },

    async sendPhoneCode(tx, { user, phone, purpose, kind, channel, address, now }) {
      const fixed = messages.testOtp(phone)
      const code = fixed === undefined ? { digits: options.smsOtpLength } : { fixed }
      const { otp } = await issueToken(tx, { userId: user.id, purpose, sentTo: phone, code, now })
      await messages.sendSms(tx, { kind, channel, to: phone, userId: user.id, code: otp, address })
      return fixed === undefined ? {} : { message_id: 'test-otp' }
    },

    async count(tx, channel, input) {
      const frequencyS = channel === 'mail' ? options.emailMaxFrequency : options.smsMaxFrequency
      await takeMessage(tx, { ...input, channel, frequencyS, nowMs: clock.now() })
    },

    requireChannel(channel) {
      if (channel === '' || channel === 'sms' || hooks.has('send_sms')) return 'sms'
      if (channel === 'whatsapp' && (options.smsTwilioAccountSid || options.smsTwilioVerifyAccountSid)) {
        return 'whatsapp'
      }
      throw unsupportedChannel()
    },
  }
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
