import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createHttpServer } from './create-server.ts'
import { ADDRESS_CHARACTERS_MAX, HEAD_BYTES_MAX } from './limits.ts'
import { limitAddresses } from './request-heads.ts'

const app = createHttpServer({ logger: silentLogger })
let url: string

beforeAll(async () => {
  limitAddresses(app)
  app.get('/*', async ({ url: address, headers }) => ({
    address: address.length,
    header: headers['x-long']?.length ?? 0,
  }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
})

afterAll(() => app.close())

const addressOf = (characters: number): string => `/${'a'.repeat(characters - 1)}`
const get = (address: string, long = ''): Promise<Response> =>
  fetch(`${url}${address}`, { headers: { 'x-long': long } })

/** Sends raw bytes. Returns everything received until the connection ended. */
function send(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    let answer = ''
    socket.on('data', (bytes) => (answer += bytes.toString()))
    socket.on('error', reject)
    socket.on('end', () => resolve(answer))
    socket.write(text)
  })
}

describe('the head of a request', () => {
  test('has the longest address and long headers', async () => {
    const answer = await get(addressOf(ADDRESS_CHARACTERS_MAX), 'x'.repeat(60_000))
    expect(await answer.json()).toEqual({ address: ADDRESS_CHARACTERS_MAX, header: 60_000 })
  })

  test('with one more character in the address is refused with the reason', async () => {
    const answer = await get(addressOf(ADDRESS_CHARACTERS_MAX + 1))
    expect(answer.status).toBe(414)
    expect(await answer.json()).toMatchObject({ code: 'HF_ADDRESS_TOO_LONG', hint: expect.any(String) })
  })

  test.each([HEAD_BYTES_MAX, 20 * HEAD_BYTES_MAX])(
    'with headers of %i bytes is refused so that pages can read it, and the client gets the answer',
    async (bytes) => {
      const answer = await get('/', 'x'.repeat(bytes))
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([431, '*'])
      expect(await answer.json()).toMatchObject({
        code: 'HF_HEADERS_TOO_LARGE',
        error_code: 'HF_HEADERS_TOO_LARGE',
        statusCode: '431',
        message: expect.stringContaining(String(HEAD_BYTES_MAX)),
      })
    },
  )

  test('that is not HTTP is refused', async () => {
    expect(await send('hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[^]*HF_REQUEST_MALFORMED/u)
  })
})
