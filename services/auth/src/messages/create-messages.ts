import { assert, type Clock, type Logger } from '@holdfast/foundation'
import type { Pool, Transaction } from '@holdfast/postgres'
import type { Hooks } from '../hooks/hooks.ts'
import type { AuthOptions } from '../options/auth-options.ts'
import { findUserByEmail, findUserById } from '../users/user-row.ts'
import { type Delivery, startDelivery } from './delivery.ts'
import {
  sendAutomationPayload,
  sendDigestPayload,
  sendEmailPayload,
  sendInvitationPayload,
  sendNoticePayload,
  sendSmsPayload,
} from './hook-payloads.ts'
import { createHookSender } from './hook-sender.ts'
import { describeMails } from './describe-mails.ts'
import { compile, loadMailTemplates, type MailTemplates } from './mail-templates.ts'
import { insertMessage } from './message-rows.ts'
import type {
  Messages,
  OutgoingAutomationMail,
  OutgoingDigest,
  OutgoingInvitation,
  OutgoingMail,
  OutgoingNotice,
  OutgoingSms,
} from './messages.ts'
import type { Sender } from './sender.ts'
import { createSmtpSender } from './smtp-sender.ts'
import type { TemplateValues } from './template/compile-template.ts'
import { invitationValues, mailValues, noticeValues } from './template-values.ts'
import { parseTestOtps } from './test-otps.ts'
import { createTwilioSender } from './twilio-sender.ts'
import { createTwilioVerify } from './twilio-verify.ts'

export interface MessagesOptions {
  readonly pool: Pool
  readonly options: AuthOptions
  readonly hooks: Hooks
  readonly clock: Clock
  readonly logger: Logger
  readonly projectName: string
  /** URL of this API. */
  readonly issuer: string
  readonly siteUrl: string
}

/** Inputs and senders of mails and text messages. */
interface Outbox extends MessagesOptions {
  readonly templates: MailTemplates
  readonly smsText: (values: TemplateValues) => string
  readonly mfaText: (values: TemplateValues) => string
  /** Sends the mails that no hook handles; `undefined` without a mail server. */
  readonly smtp: Sender | undefined
  /** Sends notices: through the hook or the mail server. */
  readonly noticeSender: Sender | undefined
  readonly smsSender: Sender | undefined
  readonly testOtps: ReadonlyMap<string, string>
  readonly delivery: Delivery
}

/**
 * Stores mails and text messages and, if a sender is configured, sends them.
 *
 * @throws {HoldfastError} `option_invalid` for an invalid template, sender account or test number
 */
export function createMessages(input: MessagesOptions): Messages {
  const { pool, options, hooks, clock, logger, projectName } = input
  const smtp = createSmtpSender(options, projectName)
  const twilioVerify = createTwilioVerify(options)
  const smsSender = twilioVerify ?? createTwilioSender(options)
  const noticeSender = hooks.has('send_email') ? createHookSender(pool, hooks, smtp) : smtp
  const channels = {
    ...(noticeSender && { mail: { sender: noticeSender, lifeMs: options.emailOtpExpiry * 1000 } }),
    ...(smsSender && { sms: { sender: smsSender, lifeMs: options.smsOtpExpiry * 1000 } }),
  }
  const outbox: Outbox = {
    ...input,
    templates: loadMailTemplates(options),
    smsText: compile('smsTemplate', 'text', options.smsTemplate),
    mfaText: compile('mfaPhoneTemplate', 'text', options.mfaPhoneTemplate),
    smtp,
    noticeSender,
    smsSender,
    testOtps: parseTestOtps(options.smsTestOtp),
    delivery: startDelivery({ pool, clock, logger, channels }),
  }
  return {
    capturesMails: !smtp && !hooks.has('send_email'),
    templates: describeMails(outbox, outbox.templates),
    sendMail: (tx, mail) => sendMail(outbox, tx, mail),
    sendNotice: (tx, notice) => sendNotice(outbox, tx, notice),
    sendInvitation: (tx, invitation) => sendInvitation(outbox, tx, invitation),
    sendDigest: (tx, digest) => sendDigest(outbox, tx, digest),
    sendAutomationMail: (tx, mail) => sendAutomationMail(outbox, tx, mail),
    sendSms: (tx, sms) => sendSms(outbox, tx, sms),
    testOtp: (phone) => outbox.testOtps.get(phone),
    isApprovedElsewhere: (phone, code) => (hooks.has('send_sms') ? undefined : twilioVerify?.isApproved(phone, code)),
    settled: () => outbox.delivery.settled(),
    [Symbol.asyncDispose]: () => outbox.delivery[Symbol.asyncDispose](),
  }
}

async function sendMail(outbox: Outbox, tx: Transaction, mail: OutgoingMail): Promise<void> {
  const { hooks, issuer, smtp, delivery } = outbox
  if (hooks.has('send_email')) {
    const user = await findUserById(tx, mail.userId)
    assert(user, 'a mail is for a user who has an account')
    await hooks.run(tx, 'send_email', sendEmailPayload(user, mail, issuer), mail.address)
    return
  }
  const currentEmail = mail.kind === 'email_change' ? (await findUserById(tx, mail.userId))?.email : mail.to
  for (const half of halvesOf(mail)) await writeMail(outbox, tx, half, currentEmail ?? '')
  if (smtp) delivery.wake()
  else delivery.noteCaptured()
}

async function writeMail(outbox: Outbox, tx: Transaction, mail: OutgoingMail, currentEmail: string): Promise<void> {
  const { subject, html, text } = outbox.templates[mail.kind].render(mailValues(outbox, mail, currentEmail))
  await insertMessage(tx, {
    channel: 'mail',
    kind: mail.kind,
    userId: mail.userId,
    recipient: mail.to,
    subject,
    html,
    body: text,
    variables: mail,
    status: outbox.smtp ? 'queued' : 'captured',
    now: nowText(outbox),
  })
}

async function sendNotice(outbox: Outbox, tx: Transaction, notice: OutgoingNotice): Promise<void> {
  const { templates, hooks, issuer, siteUrl, noticeSender, delivery } = outbox
  const { kind, user, to } = notice
  const { subject, html, text } = templates[kind].render(noticeValues(outbox, notice))
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
    status: noticeSender ? 'queued' : 'captured',
    now: nowText(outbox),
  })
  if (noticeSender) delivery.wake()
  else delivery.noteCaptured()
}

async function sendInvitation(outbox: Outbox, tx: Transaction, invitation: OutgoingInvitation): Promise<void> {
  const { templates, hooks, issuer, noticeSender, delivery } = outbox
  const { to, secret } = invitation
  const user = await findUserByEmail(tx, to)
  const { subject, html, text } = templates.workspace_invitation.render(invitationValues(outbox, invitation))
  await insertMessage(tx, {
    channel: 'mail',
    kind: 'workspace_invitation',
    userId: user?.id,
    recipient: to,
    subject,
    html,
    body: text,
    // The secret identifies the mail's link.
    variables: hooks.has('send_email')
      ? { hook: sendInvitationPayload(invitation, user, issuer) }
      : { tokenHash: secret },
    status: noticeSender ? 'queued' : 'captured',
    now: nowText(outbox),
  })
  if (noticeSender) delivery.wake()
  else delivery.noteCaptured()
}

async function sendDigest(outbox: Outbox, tx: Transaction, digest: OutgoingDigest): Promise<void> {
  const { hooks, issuer, noticeSender, delivery } = outbox
  const { userId, to, subject, html, text, offUrl } = digest
  const user = await findUserById(tx, userId)
  // The account may have been deleted or have a new address.
  if (user?.email !== to) return
  await insertMessage(tx, {
    channel: 'mail',
    kind: 'daily_mail',
    userId,
    recipient: to,
    subject,
    html,
    body: text,
    variables: {
      listUnsubscribe: offUrl,
      ...(hooks.has('send_email') && { hook: sendDigestPayload(digest, user, issuer) }),
    },
    status: noticeSender ? 'queued' : 'captured',
    now: nowText(outbox),
  })
  if (noticeSender) delivery.wake()
  else delivery.noteCaptured()
}

async function sendAutomationMail(outbox: Outbox, tx: Transaction, mail: OutgoingAutomationMail): Promise<void> {
  const { hooks, issuer, noticeSender, delivery } = outbox
  const { id, userId, to, subject, html, text } = mail
  const user = userId === undefined ? undefined : await findUserById(tx, userId)
  await insertMessage(tx, {
    id,
    channel: 'mail',
    kind: 'automation',
    userId: user?.id,
    recipient: to,
    subject,
    html,
    body: text,
    variables: hooks.has('send_email') ? { hook: sendAutomationPayload(mail, user, issuer) } : {},
    status: noticeSender ? 'queued' : 'captured',
    now: nowText(outbox),
  })
  if (noticeSender) delivery.wake()
  else delivery.noteCaptured()
}

async function sendSms(outbox: Outbox, tx: Transaction, sms: OutgoingSms): Promise<void> {
  const { hooks, testOtps, smsSender, delivery, mfaText, smsText } = outbox
  if (testOtps.has(sms.to)) return
  if (hooks.has('send_sms')) {
    const user = await findUserById(tx, sms.userId)
    assert(user, 'a text message is for a user who has an account')
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
    status: smsSender ? 'queued' : 'captured',
    now: nowText(outbox),
  })
  if (smsSender) delivery.wake()
  else delivery.noteCaptured()
}

function nowText({ clock }: Outbox): string {
  return new Date(clock.now()).toISOString()
}

/** Splits a change that both addresses confirm into one mail per address. */
function halvesOf(mail: OutgoingMail): readonly OutgoingMail[] {
  const { newEmail, tokenNew = '', tokenHashNew } = mail
  if (newEmail === undefined || tokenNew === '') return [mail]
  const toNew = { ...mail, to: newEmail, token: tokenNew, tokenHash: tokenHashNew }
  return mail.token === '' ? [toNew] : [mail, toNew]
}
