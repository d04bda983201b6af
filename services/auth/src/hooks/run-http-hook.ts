import { createHmac, randomUUID } from 'node:crypto'
import { delay, HoldfastError, type Clock } from '@holdfast/foundation'
import { HTTP_HOOK_ANSWER_BYTES_MAX, HTTP_HOOK_ATTEMPTS_MAX, HTTP_HOOK_TIMEOUT_MS } from '../limits.ts'
import { hookAnswerNotJson, hookAnswerTooLarge, hookFailed, hookTimeout, hookTimeoutAfterRetry } from './errors.ts'
import type { HookTarget } from './hook-target.ts'

export interface HttpHookSettings {
  readonly clock: Clock
  /** Delay between attempts. */
  readonly backoffMs: number
  /** Total time for all attempts. */
  readonly timeoutMs?: number
}

/**
 * Posts a payload signed according to Standard Webhooks.
 *
 * Makes up to three attempts within five seconds if the service is unreachable or responds 429 or 503 with `retry-after`.
 *
 * @returns JSON, or `null` for a response without content
 * @throws {HoldfastError} see `Hooks.run`
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export async function runHttpHook(
  target: Extract<HookTarget, { kind: 'http' }>,
  body: string,
  settings: HttpHookSettings,
): Promise<string | null> {
  const { timeoutMs = HTTP_HOOK_TIMEOUT_MS } = settings
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === HTTP_HOOK_ATTEMPTS_MAX
      const response = await post(target, body, settings.clock, signal).catch((error: unknown) => {
        if (signal.aborted) throw error
        if (isLast) throw hookTimeoutAfterRetry(error)
        return undefined
      })
      if (response) {
        if (!isToBeAskedAgain(response)) return await readResponse(response)
        await response.body?.cancel()
        if (isLast) throw hookFailed('Service currently unavailable due to hook')
      }
      await delay(settings.backoffMs, signal)
    }
  } catch (error) {
    throw signal.aborted ? hookTimeout(timeoutMs) : error
  }
}

/** Sends one attempt, each with a new id and signature, as in GoTrue. */
async function post(
  target: Extract<HookTarget, { kind: 'http' }>,
  body: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<Response> {
  const id = randomUUID()
  const timestamp = String(Math.floor(clock.now() / 1000))
  return fetch(target.uri, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': target.secrets.map((secret) => sign(secret, `${id}.${timestamp}.${body}`)).join(' '),
    },
    body,
    // A signed payload must not reach any other address.
    redirect: 'manual',
    signal,
  })
}

function sign(secret: Buffer, text: string): string {
  return `v1,${createHmac('sha256', secret).update(text).digest('base64')}`
}

function isToBeAskedAgain(response: Response): boolean {
  return (response.status === 429 || response.status === 503) && (response.headers.get('retry-after') ?? '') !== ''
}

async function readResponse(response: Response): Promise<string | null> {
  if (response.status === 200 || response.status === 202) {
    try {
      requireJson(response.headers.get('content-type'))
      return await readBody(response)
    } finally {
      if (!response.bodyUsed) await response.body?.cancel()
    }
  }
  await response.body?.cancel()
  switch (response.status) {
    case 204:
      return null
    case 429:
    case 503:
      throw hookFailed('Service currently unavailable due to hook')
    case 400:
      throw hookFailed('Invalid payload sent to hook')
    case 401:
      throw hookFailed('Hook requires authorization token')
    default:
      throw hookFailed(`Unexpected status code returned from hook: ${response.status}`)
  }
}

function requireJson(contentType: string | null): void {
  if (contentType === null || contentType === '') {
    throw hookAnswerNotJson('Invalid Content-Type: Missing Content-Type header')
  }
  if (contentType.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') {
    throw hookAnswerNotJson(`Invalid JSON response. Received content-type: ${contentType}`)
  }
}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength
      if (bytes > HTTP_HOOK_ANSWER_BYTES_MAX) throw hookAnswerTooLarge(HTTP_HOOK_ANSWER_BYTES_MAX)
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof HoldfastError ? error : hookFailed('The answer of the hook broke off', error)
  }
  return Buffer.concat(chunks).toString('utf8')
}
