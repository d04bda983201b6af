import { MESSAGE_SEND_TIMEOUT_MS } from '../limits.ts'
import type { AuthOptions } from '../options/auth-options.ts'
import { optionInvalid } from '../options/option-invalid.ts'
import { type Sender, SendError } from './sender.ts'

/**
 * Sends text messages through Twilio; `undefined` when there is no account.
 *
 * @throws {HoldfastError} `option_invalid` when only a part of the account is set
 * @see https://www.twilio.com/docs/messaging/api/message-resource
 */
export function createTwilioSender(options: AuthOptions): Sender | undefined {
  const { smsTwilioAccountSid: account, smsTwilioAuthToken: token, smsTwilioMessageServiceSid: sender } = options
  if (account === undefined || account === '') return undefined
  if (!token) throw optionInvalid('smsTwilioAuthToken', 'Twilio needs it.')
  if (!sender) throw optionInvalid('smsTwilioMessageServiceSid', 'Twilio needs it.')
  const base = options.smsTwilioUrl.replace(/\/+$/, '')
  const url = `${base}/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`
  const from = /^MG[0-9a-f]{32}$/i.test(sender) ? { MessagingServiceSid: sender } : { From: sender }
  const closing = new AbortController()

  return {
    async send({ recipient, body }) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}` },
        body: new URLSearchParams({ To: `+${recipient}`, ...from, Body: body }),
        redirect: 'error',
        signal: AbortSignal.any([closing.signal, AbortSignal.timeout(MESSAGE_SEND_TIMEOUT_MS)]),
      })
      const answer = (await response.json().catch(() => ({}))) as TwilioAnswer
      if (!response.ok) {
        const reason = `Twilio answered ${response.status}: ${answer.message ?? 'without a reason'}`
        const isFinal = response.status >= 400 && response.status < 500 && response.status !== 429
        throw isFinal ? new SendError(reason) : new Error(reason)
      }
      if (answer.status === 'failed' || answer.status === 'undelivered') {
        throw new SendError(`Twilio could not deliver: ${answer.error_message ?? answer.status}`)
      }
    },
    close: () => closing.abort(),
  }
}

interface TwilioAnswer {
  readonly message?: string
  readonly status?: string
  readonly error_message?: string | null
}
