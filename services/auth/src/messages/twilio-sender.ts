import { optionInvalid } from '../errors.ts'
import { MESSAGE_SEND_TIMEOUT_MS } from '../limits.ts'
import type { AuthOptions } from '../options/auth-options.ts'
import { readLimitedJson } from '../read-limited.ts'
import type { DueMessage } from './message-rows.ts'
import { type Sender, SendError } from './sender.ts'
import { isRefusal } from './twilio-status.ts'

/**
 * Creates a sender that uses Twilio; `undefined` without an account.
 *
 * @throws {HoldfastError} `option_invalid` for incomplete account settings
 * @see https://www.twilio.com/docs/messaging/api/message-resource
 */
export function createTwilioSender(options: AuthOptions): Sender | undefined {
  const { smsTwilioAccountSid: account, smsTwilioAuthToken: token, smsTwilioMessageServiceSid: sender } = options
  if (account === undefined || account === '') return undefined
  if (!token) throw optionInvalid('smsTwilioAuthToken', 'Twilio needs it.')
  if (!sender) throw optionInvalid('smsTwilioMessageServiceSid', 'Twilio needs it.')
  const base = options.smsTwilioUrl.replace(/\/+$/, '')
  const url = `${base}/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`
  const service = /^MG[0-9a-f]{32}$/i.test(sender) ? { MessagingServiceSid: sender } : { From: sender }
  const whatsAppFrom = /^\+?[1-9][\d ]{1,14}$/.test(sender) ? `whatsapp:${sender}` : sender
  const closing = new AbortController()

  return {
    async send(message) {
      const form =
        message.sms_channel === 'whatsapp'
          ? whatsAppForm(message)
          : { To: `+${message.recipient}`, ...service, Body: message.body }
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}` },
        body: new URLSearchParams(form),
        redirect: 'error',
        signal: AbortSignal.any([closing.signal, AbortSignal.timeout(MESSAGE_SEND_TIMEOUT_MS)]),
      })
      const answer = (await readLimitedJson(response).catch(() => ({}))) as TwilioAnswer
      if (!response.ok) {
        const reason = `Twilio answered ${response.status}: ${answer.message ?? 'without a reason'}`
        throw isRefusal(response.status) ? new SendError(reason) : new Error(reason)
      }
      if (answer.status === 'failed' || answer.status === 'undelivered') {
        throw new SendError(`Twilio could not deliver: ${answer.error_message ?? answer.status}`)
      }
    },
    close: () => closing.abort(),
  }

  /** As in GoTrue. WhatsApp requires an approved template for codes; without one the text is sent unchanged. */
  function whatsAppForm({ recipient, body, code }: DueMessage): Record<string, string> {
    const to = { To: `whatsapp:+${recipient}`, Channel: 'whatsapp', From: whatsAppFrom }
    const template = options.smsTwilioContentSid
    if (!template) return { ...to, Body: body }
    return { ...to, ContentSid: template, ContentVariables: JSON.stringify({ 1: code ?? '' }) }
  }
}

interface TwilioAnswer {
  readonly message?: string
  readonly status?: string
  readonly error_message?: string | null
}
