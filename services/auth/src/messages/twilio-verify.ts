import { HoldfastError } from '@holdfast/foundation'
import { optionInvalid } from '../errors.ts'
import { MESSAGE_SEND_TIMEOUT_MS } from '../limits.ts'
import type { AuthOptions } from '../options/auth-options.ts'
import { readLimitedJson } from '../read-limited.ts'
import type { DueMessage } from './message-rows.ts'
import { type Sender, SendError } from './sender.ts'
import { isRefusal } from './twilio-status.ts'

/** Twilio Verify: Twilio makes the codes, sends them, and says whether one is right. */
export interface TwilioVerify extends Sender {
  /**
   * Whether a code is the one that Twilio has sent to the number. A right one is used up.
   *
   * @param phone - digits only
   * @throws {HoldfastError} `unexpected_failure` if Twilio cannot be asked
   */
  isApproved(phone: string, code: string): Promise<boolean>
}

/**
 * @returns `undefined` if there is no account for it
 * @throws {HoldfastError} `option_invalid` if only a part of the account is set
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
      // Twilio may have used the code up; an answer that broke off does not say that it is wrong.
      if (isOk(status) && body !== null) return body.status === 'approved' && body.valid === true
      // 404: no code is on its way to the number, or it has been used, or has expired; 400: no code at all.
      if (isRefusal(status)) return false
      return unreachable(`Twilio Verify answered ${status}`)
    },
    close: () => closing.abort(),
  }
}

interface Answer {
  readonly status: number
  /** `null` for one that is no JSON. */
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
