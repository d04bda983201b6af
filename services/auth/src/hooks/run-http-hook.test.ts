import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  openHttpListener,
  type HttpListener,
  type ListenerAnswer,
  type ReceivedRequest,
} from '../../test/open-http-listener.ts'
import { runHttpHook } from './run-http-hook.ts'

const SECRETS = [Buffer.alloc(32, 1), Buffer.alloc(24, 2)]
const NOW_MS = 1_800_000_000_123

const ask = (hook: HttpListener, timeoutMs?: number): Promise<string | null> =>
  runHttpHook({ kind: 'http', uri: `${hook.url}/hook`, secrets: SECRETS }, '{"event":"ä"}', {
    clock: { now: () => NOW_MS },
    backoffMs: 10,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })

/** Verifies like a receiver, following Standard Webhooks. */
function isSignedWith(secret: Buffer, { headers, body }: ReceivedRequest): boolean {
  const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  const expected = createHmac('sha256', secret).update(text).digest('base64')
  const signatures = String(headers['webhook-signature']).split(' ')
  return signatures.some((signature) => signature === `v1,${expected}`)
}

describe('a hook over HTTP', () => {
  test('gets the payload, signed with every secret', async () => {
    await using hook = await openHttpListener(() => ({ body: { claims: {} } }))
    expect(await ask(hook)).toBe('{"claims":{}}')
    const [request] = hook.requests
    expect(request).toMatchObject({ method: 'POST', path: '/hook', body: '{"event":"ä"}' })
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-timestamp': '1800000000' })
    expect(SECRETS.map((secret) => request && isSignedWith(secret, request))).toEqual([true, true])
    expect(request && isSignedWith(Buffer.alloc(32, 3), request)).toBe(false)
  })

  test('may answer without content, or with 202', async () => {
    await using hook = await openHttpListener((_, count) => (count === 1 ? { status: 204 } : { status: 202, body: {} }))
    expect(await ask(hook)).toBeNull()
    expect(await ask(hook)).toBe('{}')
  })

  test.each([429, 503])('that answers %i with retry-after is asked again, with a new id', async (status) => {
    const later: ListenerAnswer = { status, headers: { 'retry-after': '1' } }
    await using hook = await openHttpListener((_, count) => (count < 3 ? later : { body: { ok: true } }))
    expect(await ask(hook)).toBe('{"ok":true}')
    expect(new Set(hook.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(3)
  })

  test('that stays busy is given up after three attempts', async () => {
    await using hook = await openHttpListener(() => ({ status: 503, headers: { 'retry-after': '1' } }))
    await expect(ask(hook)).rejects.toMatchObject({
      code: 'unexpected_failure',
      status: 500,
      message: 'Service currently unavailable due to hook',
    })
    expect(hook.requests).toHaveLength(3)
  })

  test('that cannot be reached is tried three times', async () => {
    const hook = await openHttpListener(() => ({}))
    await hook[Symbol.asyncDispose]()
    await expect(ask(hook)).rejects.toMatchObject({
      code: 'hook_timeout_after_retry',
      status: 422,
      message: 'Failed to reach hook after maximum retries',
    })
  })

  test('that is slow is given up', async () => {
    await using hook = await openHttpListener(() => ({ body: {}, delayMs: 1_000 }))
    await expect(ask(hook, 100)).rejects.toMatchObject({
      code: 'hook_timeout',
      status: 422,
      message: 'Failed to reach hook within maximum time of 0.100000 seconds',
    })
  })

  test('whose answer breaks off fails the request, as it may have done what it was asked for', async () => {
    const part = { headers: { 'content-type': 'application/json', 'content-length': '100' }, body: '{"claims":' }
    await using hook = await openHttpListener(() => ({ ...part, breaksOff: true }))
    await expect(ask(hook)).rejects.toMatchObject({
      code: 'unexpected_failure',
      status: 500,
      message: 'The answer of the hook broke off',
    })
    expect(hook.requests).toHaveLength(1)
  })

  const text = { 'content-type': 'text/plain' }
  test.each<[string, ListenerAnswer, object]>([
    ['busy, and does not say for how long', { status: 503 }, { status: 500, code: 'unexpected_failure' }],
    ['a refusal of the payload', { status: 400 }, { status: 500, message: 'Invalid payload sent to hook' }],
    ['a refusal of the signature', { status: 401 }, { status: 500, message: 'Hook requires authorization token' }],
    ['an error', { status: 418 }, { status: 500, message: 'Unexpected status code returned from hook: 418' }],
    [
      'another address',
      { status: 307, headers: { location: 'http://127.0.0.1:1/' } },
      { message: 'Unexpected status code returned from hook: 307' },
    ],
    [
      'text',
      { body: '{}', headers: text },
      {
        code: 'hook_payload_invalid_content_type',
        status: 400,
        message: 'Invalid JSON response. Received content-type: text/plain',
      },
    ],
    [
      'no type',
      { body: '{}' },
      { code: 'hook_payload_invalid_content_type', message: 'Invalid Content-Type: Missing Content-Type header' },
    ],
    [
      'too much',
      { body: { text: 'x'.repeat(200 * 1024) } },
      {
        code: 'hook_payload_over_size_limit',
        status: 422,
        message: 'Payload size exceeded size limit of 204800 bytes',
      },
    ],
  ])('that answers with %s fails the request', async (_title, answer, refusal) => {
    await using hook = await openHttpListener(() => answer)
    await expect(ask(hook)).rejects.toMatchObject(refusal)
    expect(hook.requests).toHaveLength(1)
  })
})
