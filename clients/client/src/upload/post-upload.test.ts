import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { UPLOAD_BODY_BYTES_MAX, UPLOAD_PATH } from '@holdfast/protocol'
import { createPostUpload, type UploadOutcome } from './post-upload.ts'
import type { QueuedTransaction } from '../queue/queued-transaction.ts'

const transaction = (position: number, title: string | number = 'a'): QueuedTransaction => ({
  position,
  operations: [{ op_id: position, op: 'PUT', type: 'tasks', id: 't1', data: { title } }],
})
const applied = { status: 'applied', repeated: false, verdicts: [{ op_id: 1, status: 'applied' }] }

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

interface Got {
  readonly request: IncomingMessage
  /** As received. */
  readonly bytes: number
  readonly body: string
}

const servers: (() => void)[] = []
afterEach(() => {
  for (const close of servers.splice(0)) close()
})

/** A server that always gives the same response and records requests. */
async function serve(
  answer: Answer,
  /** Response to compressed bodies. */
  toPacked: Answer = answer,
): Promise<{ readonly url: string; readonly got: Got[] }> {
  const got: Got[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const isPacked = request.headers['content-encoding'] === 'gzip'
      const bytes = Buffer.concat(chunks)
      got.push({ request, bytes: bytes.length, body: (isPacked ? gunzipSync(bytes) : bytes).toString() })
      const { status = 200, headers, body } = isPacked ? toPacked : answer
      response.writeHead(status, headers).end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got }
}

const run = <T>(_bytes: number, send: (signal: AbortSignal) => Promise<T>): Promise<T> =>
  send(new AbortController().signal)
const post = (url: string, ...transactions: readonly QueuedTransaction[]): Promise<UploadOutcome> =>
  createPostUpload(url, globalThis.fetch, run)({ clientId: 'device', transactions }, 'token')

describe('an upload', () => {
  test('of one transaction is sent in the form of any client, of several as a batch, as the person', async () => {
    const { url, got } = await serve({ body: JSON.stringify(applied) })
    expect(await post(url, transaction(1))).toEqual({ kind: 'judged', responses: [applied] })
    await post(url, transaction(1), transaction(2))
    const [one, several] = got
    expect([one?.request.method, one?.request.url, one?.request.headers.authorization]).toEqual([
      'POST',
      UPLOAD_PATH,
      'Bearer token',
    ])
    expect(JSON.parse(one?.body ?? '')).toEqual({ client_id: 'device', ...transaction(1) })
    expect(JSON.parse(several?.body ?? '')).toEqual({
      client_id: 'device',
      transactions: [transaction(1), transaction(2)],
    })
  })

  test('sends infinity as the word that Postgres reads, not as NULL', async () => {
    const { url, got } = await serve({ body: JSON.stringify(applied) })
    await post(url, transaction(1, Number.NEGATIVE_INFINITY))
    expect(JSON.parse(got[0]?.body ?? '')).toMatchObject({ operations: [{ data: { title: '-Infinity' } }] })
  })

  test('that is too large is not sent at all', async () => {
    const { url, got } = await serve({ body: JSON.stringify(applied) })
    expect(await post(url, transaction(1, 'x'.repeat(UPLOAD_BODY_BYTES_MAX)))).toMatchObject({
      kind: 'failed',
      failure: { status: 413, code: 'HF_UPLOAD_TOO_LARGE' },
    })
    expect(got).toEqual([])
  })

  test('is judged by answers of the server alone: what a hotel answers with 200 is no verdict', async () => {
    const { url } = await serve({ body: '<html>Welcome</html>' })
    expect(await post(url, transaction(1))).toMatchObject({
      kind: 'failed',
      failure: { status: 200, fromServer: false },
    })
    const { url: empty } = await serve({ body: '{"results":[]}' })
    expect(await post(empty, transaction(1))).toMatchObject({ kind: 'failed' })
  })

  test('keeps the code, the words and the pause of a refusal', async () => {
    const { url } = await serve({
      status: 429,
      headers: { 'retry-after': '7' },
      body: JSON.stringify({ error: { code: 'PSYNC_S2302', description: 'too many', message: 'other' } }),
    })
    expect(await post(url, transaction(1))).toEqual({
      kind: 'failed',
      failure: { status: 429, code: 'PSYNC_S2302', message: 'too many', fromServer: true, retryAfterMs: 7_000 },
    })
  })

  test('without an answer is a failure, not an exception', async () => {
    const { url } = await serve({ body: '' })
    for (const close of servers.splice(0)) close()
    expect(await post(url, transaction(1))).toMatchObject({ kind: 'failed', failure: { status: undefined } })
  })

  test('of many changes is packed', async () => {
    const { url, got } = await serve({ body: JSON.stringify(applied) })
    const many = Array.from({ length: 200 }, (_, index) => transaction(index + 1, `Task ${String(index)}`))
    expect(await post(url, ...many)).toMatchObject({ kind: 'judged' })
    expect(got.map(({ request }) => request.headers['content-encoding'])).toEqual(['gzip'])
    expect(JSON.parse(got[0]?.body ?? '')).toEqual({ client_id: 'device', transactions: many })
    expect((got[0]?.bytes ?? 0) * 5).toBeLessThan(got[0]?.body.length ?? 0)
  })

  test.each([400, 415, 501])(
    'goes up as it is, from then on, where a packed one is answered with %i',
    async (status) => {
      const { url, got } = await serve({ body: JSON.stringify(applied) }, { status, body: '' })
      const send = createPostUpload(url, globalThis.fetch, run)
      const long = [transaction(1, 'x'.repeat(2_000))]
      for (let i = 0; i < 2; i++)
        expect(await send({ clientId: 'device', transactions: long }, 'token')).toMatchObject({ kind: 'judged' })
      expect(got.map(({ request }) => request.headers['content-encoding'])).toEqual(['gzip', undefined, undefined])
    },
  )

  test.each([401, 413, 429, 500, 503])(
    'is not sent a second time where a packed one is answered with %i',
    async (status) => {
      const { url, got } = await serve({ body: JSON.stringify(applied) }, { status, body: '' })
      expect(await post(url, transaction(1, 'x'.repeat(2_000)))).toMatchObject({ failure: { status } })
      expect(got).toHaveLength(1)
    },
  )

  test('goes up as it is where a packed one never has an answer, as behind a proxy that lets other origins name no encoding', async () => {
    const { url, got } = await serve({ body: JSON.stringify(applied) })
    const asked: boolean[] = []
    const withoutPacked: typeof globalThis.fetch = (address, init) => {
      const isPacked = new Headers(init?.headers).has('content-encoding')
      asked.push(isPacked)
      return isPacked ? Promise.reject(new TypeError('Failed to fetch')) : globalThis.fetch(address, init)
    }
    const send = createPostUpload(url, withoutPacked, run)
    for (let i = 0; i < 6; i++)
      await send({ clientId: 'device', transactions: [transaction(1, 'x'.repeat(2_000))] }, 'token')
    expect(asked).toEqual([true, false, true, false, false, false])
    expect(got).toHaveLength(4)
  })

  test('is packed again after a line was broken for a while', async () => {
    const { url, got } = await serve({ body: JSON.stringify(applied) })
    let isBroken = true
    const send = createPostUpload(
      url,
      (address, init) => (isBroken ? Promise.reject(new TypeError('no line')) : globalThis.fetch(address, init)),
      run,
    )
    for (let i = 0; i < 4; i++) {
      isBroken = i < 2
      await send({ clientId: 'device', transactions: [transaction(1, 'x'.repeat(2_000))] }, 'token')
    }
    expect(got.map(({ request }) => request.headers['content-encoding'])).toEqual(['gzip', 'gzip'])
  })
})
