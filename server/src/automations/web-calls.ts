import { createHmac } from 'node:crypto'
import type { Claimed } from '@holdfast/queue'
import { type Attempt, type AutomationCallsOptions, failed, retried } from './call-attempt.ts'
import { type AutomationCall, type CallRequest, type CallSubject, mayUse } from './call-queue.ts'
import { ANSWER_CHARS_MAX, TOKEN_SPARE_S } from './limits.ts'

interface WebCall<Kind extends CallRequest['kind']> {
  readonly call: AutomationCall & Claimed
  readonly request: Extract<CallRequest, { readonly kind: Kind }>
  readonly subject: CallSubject
  readonly signal: AbortSignal
}

/** Sends a webhook, signed as in Standard Webhooks. Redirects are refused, because a signed record must not reach another address. */
export async function sendWebhook(options: AutomationCallsOptions, given: WebCall<'webhook'>): Promise<Attempt> {
  const { call, request, subject, signal } = given
  const { url, header } = request
  const secret = header === undefined ? undefined : secretOf(subject, url, header)
  if (header !== undefined && secret === undefined) return failed('automation.secret')
  if (!(await isWithinDay(options, call, subject))) return failed('automation.too_many_calls')
  const text = textOf(given)
  const timestamp = String(Math.floor(Date.now() / 1000))
  const outcome = await options.sendOut(
    {
      method: 'POST',
      url,
      headers: {
        ...(header !== undefined && { [header]: secret }),
        'content-type': 'application/json',
        'user-agent': 'holdfast-automations',
        'webhook-id': call.id,
        'webhook-timestamp': timestamp,
        'webhook-signature': sign(subject.signing, `${call.id}.${timestamp}.${text}`),
      },
      body: Buffer.from(text),
      timeoutMs: options.webhookTimeoutMs,
    },
    signal,
  )
  if (outcome.kind === 'failed') {
    const { message: error, isFinal } = outcome
    return isFinal
      ? failed('automation.address', { error })
      : retried(options, call, { reason: 'automation.no_answer', error })
  }
  const { status } = outcome
  const answer = excerptOf(outcome.content)
  if (status >= 200 && status < 300) return { outcome: { state: 'done', status, answer } }
  if (status >= 300 && status < 400)
    return failed('automation.redirect', { status, error: outcome.headers['location'] ?? null })
  if (status === 408 || status === 429 || status >= 500)
    return retried(options, call, { reason: 'automation.status', status, answer })
  return failed('automation.status', { status, answer })
}

/** Runs an edge function of this server with a token of the automation's user. One that fails or takes too long is not run again. */
export async function runFunction(options: AutomationCallsOptions, given: WebCall<'function'>): Promise<Attempt> {
  const { call, request, subject, signal } = given
  const { baseUrl, anonKey, functionTimeoutMs } = options
  if (!(await isWithinDay(options, call, subject))) return failed('automation.too_many_calls')
  const token = await options.tokenOf(call.runsAs, Math.ceil(functionTimeoutMs / 1000) + TOKEN_SPARE_S)
  if (token === undefined) return failed('automation.no_account')
  const outcome = await options.sendHome(
    {
      method: 'POST',
      url: `${baseUrl}/functions/v1/${request.name}`,
      headers: {
        authorization: `Bearer ${token}`,
        apikey: anonKey,
        'content-type': 'application/json',
        'user-agent': 'holdfast-automations',
        'x-holdfast-call': call.id,
      },
      body: Buffer.from(textOf(given)),
      timeoutMs: functionTimeoutMs,
    },
    signal,
  )
  if (outcome.kind === 'failed') {
    const { message: error } = outcome
    if (outcome.timedOut) return failed('automation.function_timeout', { error })
    return retried(options, call, { reason: 'automation.no_answer', error })
  }
  const { status } = outcome
  const answer = excerptOf(outcome.content)
  if (status >= 200 && status < 300) return { outcome: { state: 'done', status, answer } }
  if (status === 404) return failed('automation.no_function', { status, answer })
  if (status === 429 || status === 503)
    return retried(options, call, { reason: 'automation.busy_function', status, answer })
  return failed('automation.function_failed', { status, answer })
}

function textOf({
  call,
  request,
  subject,
}: Pick<WebCall<'webhook'>, 'call' | 'subject'> & { readonly request: { readonly body: object } }): string {
  const { automation, workspace } = subject
  return JSON.stringify({ id: call.id, automation, workspace, ...request.body })
}

/** Counts the call with its first attempt. */
async function isWithinDay(
  { pool }: AutomationCallsOptions,
  { attempts }: AutomationCall,
  { workspaceId }: CallSubject,
): Promise<boolean> {
  return attempts > 1 || mayUse(pool, workspaceId, 'calls', 1)
}

function secretOf({ headers }: CallSubject, url: string, header: string): string | undefined {
  const origin = /^[a-z]+:\/\/[^/?#]+/i.exec(url)?.[0].toLowerCase()
  return headers.find((one) => one.name === header.toLowerCase() && one.origin === origin)?.value
}

/** @param secret - `whsec_` and base64 */
function sign(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`
}

function excerptOf(content: string): string {
  return content.length > ANSWER_CHARS_MAX ? `${content.slice(0, ANSWER_CHARS_MAX)}…` : content
}
