import { assert, type Clock, type Logger } from '@holdfast/foundation'
import type { Pool, Transaction } from '@holdfast/postgres'
import type { Hooks } from '../hooks/hooks.ts'
import type { AuthOptions } from '../options/auth-options.ts'
import { findUserById } from '../users/user-row.ts'
import { confirmationUrl, confirmPageUrl } from './confirmation-url.ts'
import { type OutgoingChannel, startDelivery } from './delivery.ts'
import { ACTION_TYPES, sendEmailPayload, sendNoticePayload, sendSmsPayload } from './hook-payloads.ts'
import { createHookSender } from './hook-sender.ts'
import { compile, loadMailTemplates } from './mail-templates.ts'
import { insertMessage } from './message-rows.ts'
import type { Messages, OutgoingMail, OutgoingNotice } from './messages.ts'
import { createSmtpSender } from './smtp-sender.ts'
import type { TemplateValues } from './template/compile-template.ts'
import { parseTestOtps } from './test-otps.ts'
import { createTwilioSender } from './twilio-sender.ts'

export interface MessagesOptions {
  readonly pool: Pool
  readonly options: AuthOptions
  readonly hooks: Hooks
  readonly clock: Clock
  readonly logger: Logger
  readonly projectName: string
  /** The address of this API. */
  readonly issuer: string
  readonly siteUrl: string
}

/**
 * Writes mails and text messages down and, where there is somebody who sends them, sends them.
 *
 * @throws {HoldfastError} `option_invalid` for a template, an account or a test number that cannot be used
 */
export function createMessages(input: MessagesOptions): Messages {
  const { pool, options, hooks, clock, logger, projectName, issuer, siteUrl } = input
  const templates = loadMailTemplates(options)
  const smsText = compile('smsTemplate', 'text', options.smsTemplate)
  const mfaText = compile('mfaPhoneTemplate', 'text', options.mfaPhoneTemplate)
  const testOtps = parseTestOtps(options.smsTestOtp)
  const smtp = createSmtpSender(options, projectName)
  const twilio = createTwilioSender(options)
  const mailSender = hooks.has('send_email') ? createHookSender(pool, hooks, smtp) : smtp
  const mailChannel: OutgoingChannel | undefined = mailSender && {
    sender: mailSender,
    lifeMs: options.emailOtpExpiry * 1000,
  }
  const smsChannel: OutgoingChannel | undefined = twilio && { sender: twilio, lifeMs: options.smsOtpExpiry * 1000 }
  const delivery = startDelivery({
    pool,
    clock,
    logger,
    channels: { ...(mailChannel ? { mail: mailChannel } : {}), ...(smsChannel ? { sms: smsChannel } : {}) },
  })

  return {
    async sendMail(tx, mail) {
      if (hooks.has('send_email')) {
        const user = await findUserById(tx, mail.userId)
        assert(user, 'a mail is for somebody who has an account')
        await hooks.run(tx, 'send_email', sendEmailPayload(user, mail, issuer), mail.address)
        return
      }
      const currentEmail = mail.kind === 'email_change' ? (await findUserById(tx, mail.userId))?.email : mail.to
      for (const half of halvesOf(mail)) await writeMail(tx, half, currentEmail ?? '')
      if (smtp) delivery.wake()
    },
    async sendNotice(tx, notice) {
      const { kind, user, to } = notice
      const { subject, html, text } = templates[kind](noticeValuesOf(notice))
      const hook = hooks.has('send_email') ? { hook: sendNoticePayload(notice, issuer, siteUrl) } : {}
      await insertMessage(tx, {
        channel: 'mail',
        kind,
        userId: user.id,
        recipient: to,
        subject,
        html,
        body: text,
        variables: { ...notice.values, to, ...hook },
        status: mailSender ? 'queued' : 'captured',
        now: nowText(),
      })
      if (mailSender) delivery.wake()
    },
    async sendSms(tx, sms) {
      if (testOtps.has(sms.to)) return
      if (hooks.has('send_sms')) {
        const user = await findUserById(tx, sms.userId)
        assert(user, 'a text message is for somebody who has an account')
        await hooks.run(tx, 'send_sms', sendSmsPayload(user, sms), sms.address)
        return
      }
      await insertMessage(tx, {
        channel: 'sms',
        kind: sms.kind,
        userId: sms.userId,
        recipient: sms.to,
        body: (sms.kind === 'mfa' ? mfaText : smsText)({ Code: sms.code }),
        variables: sms,
        status: twilio ? 'queued' : 'captured',
        now: nowText(),
      })
      if (twilio) delivery.wake()
    },
    testOtp: (phone) => testOtps.get(phone),
    settled: () => delivery.settled(),
    [Symbol.asyncDispose]: () => delivery[Symbol.asyncDispose](),
  }

  async function writeMail(tx: Transaction, mail: OutgoingMail, currentEmail: string): Promise<void> {
    const { subject, html, text } = templates[mail.kind](valuesOf(mail, currentEmail))
    await insertMessage(tx, {
      channel: 'mail',
      kind: mail.kind,
      userId: mail.userId,
      recipient: mail.to,
      subject,
      html,
      body: text,
      variables: mail,
      status: smtp ? 'queued' : 'captured',
      now: nowText(),
    })
  }

  function valuesOf(mail: OutgoingMail, currentEmail: string): TemplateValues {
    const { kind, tokenHash, redirectTo } = mail
    const type = ACTION_TYPES[kind]
    const hasLink = tokenHash !== undefined && type !== 'reauthentication'
    const link = hasLink ? confirmationUrl({ issuer, tokenHash, type, redirectTo }) : ''
    return {
      ConfirmationURL: link,
      ConfirmPageURL: confirmPageUrl(link),
      Token: mail.token,
      TokenHash: tokenHash ?? '',
      SiteURL: siteUrl,
      RedirectTo: redirectTo,
      Email: currentEmail,
      NewEmail: mail.newEmail ?? '',
      SendingTo: mail.to,
      Data: mail.data,
      ProjectName: projectName,
      ExpiryMinutes: Math.floor(options.emailOtpExpiry / 60),
    }
  }

  /** `.Email` of a mail about a way in that is gone is the address that it goes to: the account may have another by now. */
  function noticeValuesOf({ kind, to, user, values }: OutgoingNotice): TemplateValues {
    return {
      SiteURL: siteUrl,
      Email: kind === 'identity_unlinked_notification' ? to : (user.email ?? ''),
      OldEmail: values.oldEmail ?? '',
      Phone: user.phone ?? '',
      OldPhone: values.oldPhone ?? '',
      Provider: values.provider ?? '',
      FactorType: values.factorType ?? '',
      Data: user.raw_user_meta_data ?? {},
      SendingTo: to,
      ProjectName: projectName,
    }
  }

  function nowText(): string {
    return new Date(clock.now()).toISOString()
  }
}

/** One mail, or one to each address of a change that both confirm. */
function halvesOf(mail: OutgoingMail): readonly OutgoingMail[] {
  const { newEmail, tokenNew = '', tokenHashNew } = mail
  if (newEmail === undefined || tokenNew === '') return [mail]
  const toNew = { ...mail, to: newEmail, token: tokenNew, tokenHash: tokenHashNew }
  return mail.token === '' ? [toNew] : [mail, toNew]
}
