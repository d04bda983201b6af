import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { HoldfastError, type Logger, silentLogger } from '@holdfast/foundation'
import { allowOrigins } from './cors.ts'
import { createHttpServer } from './create-server.ts'
import { findPort } from './find-port.ts'

function open(logger: Logger = silentLogger, origins: readonly string[] = []) {
  const app = createHttpServer({ logger })
  allowOrigins(app, (path) => path.startsWith('/api'), origins)
  app.get('/api/ok', async () => ({ ok: true }))
  app.get('/page', async () => 'page')
  app.post('/api/echo', async (request) => request.body)
  app.get('/api/refused', async () => {
    throw new HoldfastError('no_such_thing', 404, 'There is none', {
      hint: 'Make one',
      cause: new Error('secret'),
      headers: { 'retry-after': '3' },
    })
  })
  app.get('/api/bug', async () => {
    throw new Error('secret of the bug')
  })
  return app
}

describe('an answer', () => {
  test('names its request and is not sniffed', async () => {
    const answers = await Promise.all([open().inject('/api/ok'), open().inject('/api/ok')])
    const [first, second] = answers.map((answer) => answer.headers)
    expect(first?.['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(first?.['x-request-id']).not.toBe(second?.['x-request-id'])
    expect(first?.['x-content-type-options']).toBe('nosniff')
  })

  test('does not take the id that a caller made up', async () => {
    const answer = await open().inject({ url: '/api/ok', headers: { 'x-request-id': 'mine', 'request-id': 'mine' } })
    expect(answer.headers['x-request-id']).not.toBe('mine')
  })

  test('of a refusal has what the caller may know and nothing of its cause', async () => {
    const answer = await open().inject('/api/refused')
    expect(answer.statusCode).toBe(404)
    expect(answer.headers['retry-after']).toBe('3')
    expect(answer.json()).toEqual({ code: 'no_such_thing', message: 'There is none', details: null, hint: 'Make one' })
  })

  test('of a bug says where to look, and the log has all of it', async () => {
    const lines: unknown[] = []
    const answer = await open({
      log: (level, message, fields) => void (level === 'error' && lines.push({ message, ...fields })),
    }).inject('/api/bug')
    expect(answer.statusCode).toBe(500)
    expect(answer.body).not.toContain('secret')
    expect(answer.body).not.toContain('.ts:')
    expect(answer.json()).toMatchObject({ code: 'internal_error', request_id: answer.headers['x-request-id'] })
    expect(lines).toEqual([
      expect.objectContaining({
        requestId: answer.headers['x-request-id'],
        cause: expect.stringContaining('secret of the bug') as string,
      }),
    ])
  })

  test.each([
    ['a body that is no JSON', { payload: '{', headers: { 'content-type': 'application/json' } }, 400],
    [
      'a body that is too large',
      { payload: JSON.stringify('x'.repeat(1024 * 1024)), headers: { 'content-type': 'application/json' } },
      413,
    ],
    ['a kind of body without a parser', { payload: 'x', headers: { 'content-type': 'application/x-unknown' } }, 415],
  ])('to %s is a refusal with its status', async (_, request, status) => {
    const answer = await open().inject({ method: 'POST', url: '/api/echo', ...request })
    expect(answer.statusCode).toBe(status)
    expect(answer.json()).toMatchObject({ code: expect.stringMatching(/^FST_/) as string })
  })

  test('to an address that cannot be decoded is a refusal', async () => {
    const answer = await open().inject('/api/%E0%A4%A')
    expect(answer.statusCode).toBe(400)
    expect(answer.body).not.toContain('.ts:')
  })
})

describe('CORS', () => {
  test('answers a preflight with 204 and the headers that were asked for', async () => {
    const answer = await open().inject({
      method: 'OPTIONS',
      url: '/api/ok',
      headers: {
        origin: 'https://example.org',
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'apikey,x-custom',
      },
    })
    expect(answer.statusCode).toBe(204)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'apikey,x-custom',
      'access-control-allow-methods': expect.stringContaining('PATCH') as string,
    })
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
  })

  test('lists the usual headers when a preflight names none or nonsense', async () => {
    for (const asked of [undefined, 'a: b', 'x'.repeat(5_000)]) {
      const answer = await open().inject({
        method: 'OPTIONS',
        url: '/api/ok',
        headers: {
          'access-control-request-method': 'POST',
          ...(asked ? { 'access-control-request-headers': asked } : {}),
        },
      })
      expect(answer.headers['access-control-allow-headers']).toContain('apikey')
    }
  })

  test('lets only pages of the listed origins in, if there is a list', async () => {
    const app = open(silentLogger, ['https://app.example.com'])
    const preflight = { 'access-control-request-method': 'PATCH' }
    for (const [method, headers] of [
      ['GET', {}],
      ['OPTIONS', preflight],
    ] as const) {
      const ask = (origin: string) => app.inject({ method, url: '/api/ok', headers: { ...headers, origin } })
      const own = await ask('https://app.example.com')
      expect(own.headers).toMatchObject({
        'access-control-allow-origin': 'https://app.example.com',
        vary: expect.stringContaining('origin') as string,
      })
      const other = await ask('https://app.example.com.evil.example')
      expect(other.headers).not.toHaveProperty('access-control-allow-origin')
      expect(other.headers['vary']).toContain('origin')
    }
    expect((await app.inject('/api/ok')).statusCode).toBe(200)
  })

  test('marks answers and errors of the API, and nothing else', async () => {
    const app = open()
    for (const url of ['/api/ok', '/api/refused', '/api/bug', '/api/missing']) {
      expect((await app.inject(url)).headers['access-control-allow-origin']).toBe('*')
    }
    expect((await app.inject('/api/ok')).headers['access-control-expose-headers']).toContain('content-range')
    expect((await app.inject('/page')).headers['access-control-allow-origin']).toBeUndefined()
  })
})

test('findPort names the port that is busy and picks a free one for 0', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  await expect(findPort('127.0.0.1', port)).rejects.toMatchObject({
    code: 'port_busy',
    hint: expect.stringContaining('--port') as string,
  })
  server.close()
  expect(await findPort('127.0.0.1', 0)).toBeGreaterThan(1023)
  await expect(findPort('203.0.113.1', 0)).rejects.toMatchObject({ code: 'host_unknown' })
})

test('a request that comes while the server stops is answered, and its connection closed', async () => {
  const app = open()
  const finish = Promise.withResolvers<void>()
  app.addHook('preClose', () => finish.promise)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const closed = app.close()
  const answer = await fetch(`${url}/api/ok`)
  finish.resolve()
  await closed
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
})
