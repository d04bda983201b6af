import { describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createHttpServer } from './create-server.ts'
import { parseTrustProxy } from './trust-proxy.ts'

/** What the server takes for the address of a request that 10.0.0.5 hands it with this header. */
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
  ] as const)('when %s', async (_title, trusted, forwardedFor, address) => {
    expect(await addressOf(trusted, forwardedFor)).toBe(address)
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
