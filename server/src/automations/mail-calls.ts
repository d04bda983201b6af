import { createHash } from 'node:crypto'
import type { Claimed } from '@holdfast/queue'
import { type Attempt, type AutomationCallsOptions, failed } from './call-attempt.ts'
import { type AutomationCall, type CallRequest, type CallSubject, listRecipients, mayUse } from './call-queue.ts'
import { MAIL_LOOKS_MS, MAIL_WAITS_MS } from './limits.ts'
import { renderMail } from './render-mail.ts'

interface MailCall {
  readonly call: AutomationCall & Claimed
  readonly request: Extract<CallRequest, { readonly kind: 'mail' }>
  readonly subject: CallSubject
}

/** Queues the mails of a call, then waits until the mail server has taken or refused them. */
export async function sendMails(options: AutomationCallsOptions, given: MailCall): Promise<Attempt> {
  const { call } = given
  return call.messages === null ? queueMails(options, given) : followMails(options, call, call.messages)
}

async function queueMails(
  { pool, mails }: AutomationCallsOptions,
  { call, request, subject }: MailCall,
): Promise<Attempt> {
  const { workspaceId } = subject
  const recipients = await listRecipients(pool, workspaceId, call.runsAs, request.to)
  if (recipients.length === 0) return failed('automation.no_recipients')
  const others = recipients.filter(({ userId }) => userId === null).length
  // Only the first attempt is counted; mails that it has queued are not queued again.
  const mayOthers = call.attempts > 1 || others === 0 || (await mayUse(pool, workspaceId, 'other mails', others))
  const mayAll = call.attempts > 1 || (mayOthers && (await mayUse(pool, workspaceId, 'mails', recipients.length)))
  if (!mayOthers || !mayAll) return failed('automation.too_many_mails')
  const mail = renderMail({ ...request, about: subject, home: mails.home })
  const messages: string[] = []
  for (const { userId, email } of recipients) {
    const id = idOf(`${call.id} ${call.createdAt}`, email)
    await mails.send({ id, userId: userId ?? undefined, to: email, ...mail })
    messages.push(id)
  }
  if (!mails.hasMail) return failed('automation.no_mail')
  return { outcome: { state: 'waiting' }, retryMs: MAIL_LOOKS_MS[0], messages }
}

async function followMails(
  { mails }: AutomationCallsOptions,
  { attempts, ageMs }: AutomationCall,
  messages: readonly string[],
): Promise<Attempt> {
  const states = await mails.statesOf(messages)
  const sent = states.filter(({ status }) => status === 'sent').length
  const error = states.find((state) => state.error !== null)?.error ?? null
  const isWaiting = states.some(({ status }) => status === 'queued')
  if (isWaiting && ageMs < MAIL_WAITS_MS) {
    const retryMs = MAIL_LOOKS_MS[Math.min(attempts - 1, MAIL_LOOKS_MS.length - 1)] ?? MAIL_LOOKS_MS[0]
    return { outcome: { state: 'waiting', sent, error }, retryMs, messages }
  }
  if (sent === messages.length) return { outcome: { state: 'done', sent } }
  return failed(isWaiting ? 'automation.mail_waits' : 'automation.mail_refused', { sent, error })
}

/** The same mail has the same id with every attempt. */
function idOf(call: string, email: string): string {
  const hex = createHash('sha256').update(`${call} ${email.toLowerCase()}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
