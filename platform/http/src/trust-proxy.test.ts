import { describe, expect, test } from 'vitest'
import { type Logger, silentLogger } from '@holdfast/foundation'
import { createHttpServer } from './create-server.ts'
import { parseTrustProxy } from './trust-proxy.ts'

/** Returns the client address determined for a request from 10.0.0.5 with this header. */
async function addressOf(trusted: readonly string[], forwardedFor: string | undefined): Promise<string> {
  const app = createHttpServer({ logger: silentLogger, trustProxy: parseTrustProxy(trusted) })
  app.get('/', async (request) => request.ip)
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  const answer = await app.inject({ url: '/', headers, remoteAddress: '10.0.0.5' })
  return answer.body
}

describe('the address of a request', () => {
  test.each([
    ['no proxy is trusted', [], '198.51.100.7', '10.0.0.5'],
    ['the proxy adds it', ['10.0.0.0/8'], '198.51.100.7', '198.51.100.7'],
    ['the client wrote another before it', ['10.0.0.0/8'], '203.0.113.99, 198.51.100.7', '198.51.100.7'],
    ['the client wrote a trusted one before it', ['10.0.0.0/8'], '10.9.9.9, 198.51.100.7', '198.51.100.7'],
    ['a second proxy is trusted too', ['10.0.0.0/8', '192.0.2.1'], '1.2.3.4, 198.51.100.7, 192.0.2.1', '198.51.100.7'],
    ['another proxy is trusted', ['loopback'], '198.51.100.7', '10.0.0.5'],
    ['one hop is trusted', ['1'], '203.0.113.99, 198.51.100.7', '198.51.100.7'],
    ['two hops are trusted', ['2'], '1.2.3.4, 203.0.113.99, 198.51.100.7', '203.0.113.99'],
    ['no header came', ['10.0.0.0/8'], undefined, '10.0.0.5'],
    ['networks are trusted by name', ['loopback', 'uniquelocal'], '198.51.100.7, 192.168.3.4', '198.51.100.7'],
    ['an IPv6 network is trusted', ['10.0.0.5', 'fc00::/7'], '2001:db8::1, fd00::2', '2001:db8::1'],
    ['a trusted address is written as IPv6', ['10.0.0.0/8'], '198.51.100.7, ::ffff:10.1.2.3', '198.51.100.7'],
    ['what stands before is no address', ['10.0.0.0/8'], 'unknown', 'unknown'],
  ] as const)('when %s', async (_title, trusted, forwardedFor, address) => {
    expect(await addressOf(trusted, forwardedFor)).toBe(address)
  })
})

test.each([['loopback'], ['1']])('a sender without an address is trusted by number only: %s', (trusted) => {
  expect((parseTrustProxy([trusted]) || (() => undefined))(undefined, 0)).toBe(trusted === '1')
})

/** Returns the id of a request from 10.0.0.5 with these `x-request-id` values. */
async function requestIdFor(trusted: readonly string[], ...given: readonly string[]): Promise<string> {
  const lines: unknown[] = []
  const requestLog: Logger = { log: (_level, _message, fields) => void lines.push(fields?.['requestId']) }
  const app = createHttpServer({ logger: silentLogger, requestLog, trustProxy: parseTrustProxy(trusted) })
  app.get('/', async () => 'ok')
  const headers = given.length === 0 ? {} : { 'x-request-id': given.length === 1 ? given[0] : [...given] }
  const answer = await app.inject({ url: '/', headers, remoteAddress: '10.0.0.5' })
  const id = String(answer.headers['x-request-id'])
  expect(lines).toEqual([id])
  return id
}

const OURS = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe('the id of a request', () => {
  test.each([
    '7f3a',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    'Root=1-67:a/b+c_d.e=',
    'x'.repeat(128),
  ])('is the one of a trusted proxy: %s', async (given) => {
    expect(await requestIdFor(['10.0.0.0/8'], given)).toBe(given)
    expect(await requestIdFor(['1'], given)).toBe(given)
  })

  test.each([[[]], [['loopback']], [['192.0.2.0/24']]])('is ours where %j is trusted', async (trusted) => {
    expect(await requestIdFor(trusted, 'mine')).toMatch(OURS)
  })

  test.each([
    [['']],
    [['x'.repeat(129)]],
    [['a b']],
    [['a"b']],
    [['a,b']],
    [['é']],
    [['<x>']],
    [['$(id)']],
    [['a', 'b']],
    [[]],
  ])('is ours for the values %j', async (given) => {
    expect(await requestIdFor(['10.0.0.0/8'], ...given)).toMatch(OURS)
  })
})

test.each(['true', 'proxy.example', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '', '-1', '300'])(
  '%j is no proxy',
  (text) => {
    expect(() => parseTrustProxy([text])).toThrow(expect.objectContaining({ code: 'option_invalid' }))
  },
)

test('a number stands alone', () => {
  expect(() => parseTrustProxy(['1', 'loopback'])).toThrow(expect.objectContaining({ code: 'option_invalid' }))
})
