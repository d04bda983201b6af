import { HoldfastError } from '@holdfast/foundation'
import { optionInvalid } from '../errors.ts'
import { MESSAGE_SEND_TIMEOUT_MS } from '../limits.ts'
import type { AuthOptions } from '../options/auth-options.ts'
import { readLimitedJson } from '../read-limited.ts'
import type { DueMessage } from './message-rows.ts'
import { type Sender, SendError } from './sender.ts'
import { isRefusal } from './twilio-status.ts'

/** Twilio Verify, which creates, sends and checks codes. */
export interface TwilioVerify extends Sender {
  /**
   * Returns whether Twilio sent this code to the number, and consumes a correct code.
   *
   * @param phone - digits only
   * @throws {HoldfastError} `unexpected_failure` if Twilio is unreachable
   */
  isApproved(phone: string, code: string): Promise<boolean>
}

/**
 * @returns `undefined` without an account
 * @throws {HoldfastError} `option_invalid` for incomplete account settings
 * @see https://www.twilio.com/docs/verify/api/verification and …/verification-check
 */
export function createTwilioVerify(options: AuthOptions): TwilioVerify | undefined {
  const { smsTwilioVerifyAccountSid: account, smsTwilioVerifyAuthToken: token } = options
  const service = options.smsTwilioVerifyMessageServiceSid
  if (!account) return undefined
  if (!token) throw optionInvalid('smsTwilioVerifyAuthToken', 'Twilio needs it.')
  if (!service) throw optionInvalid('smsTwilioVerifyMessageServiceSid', 'Twilio needs it.')
  if (options.smsTwilioAccountSid) {
    throw optionInvalid('smsTwilioVerifyAccountSid', 'Messages go through Twilio or through Twilio Verify, not both.')
  }
  const url = `${options.smsTwilioVerifyUrl.replace(/\/+$/, '')}/v2/Services/${encodeURIComponent(service)}`
  const authorization = `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`
  const closing = new AbortController()
  const post = async (path: string, form: Readonly<Record<string, string>>): Promise<Answer> => {
    const response = await fetch(`${url}/${path}`, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams(form),
      redirect: 'error',
      signal: AbortSignal.any([closing.signal, AbortSignal.timeout(MESSAGE_SEND_TIMEOUT_MS)]),
    })
    return { status: response.status, body: (await readLimitedJson(response).catch(() => null)) as AnswerBody | null }
  }

  return {
    async send({ recipient, sms_channel: channel }: DueMessage) {
      const { status, body } = await post('Verifications', { To: `+${recipient}`, Channel: channel ?? 'sms' })
      if (isOk(status)) return
      const reason = `Twilio Verify answered ${status}: ${body?.message ?? 'without a reason'}`
      throw isRefusal(status) ? new SendError(reason) : new Error(reason)
    },
    async isApproved(phone, code) {
      const { status, body } = await post('VerificationCheck', { To: `+${phone}`, Code: code }).catch(unreachable)
      // Twilio may have consumed the code; a truncated response does not mean that the code is wrong.
      if (isOk(status) && body !== null) return body.status === 'approved' && body.valid === true
      // 404: no pending code for the number, or it was used or has expired. 400: malformed code.
      if (isRefusal(status)) return false
      return unreachable(`Twilio Verify answered ${status}`)
    },
    close: () => closing.abort(),
  }
}

interface Answer {
  readonly status: number
  /** `null` for a body that is not JSON. */
  readonly body: AnswerBody | null
}

interface AnswerBody {
  readonly message?: string
  readonly status?: string
  readonly valid?: boolean
}

function isOk(status: number): boolean {
  return status === 200 || status === 201
}

function unreachable(cause: unknown): never {
  throw new HoldfastError('unexpected_failure', 500, 'The code cannot be checked at the moment', { cause })
}
