import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { PROVIDER_RESPONSE_BYTES_MAX } from '../limits.ts'
import { createProviderNetwork, isProviderAddress } from './provider-network.ts'

async function serve(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test.each([
  ['https://id.example.org', true],
  ['http://id.example.org', false],
  ['http://127.0.0.1:9000', false],
  ['https://localhost', false],
  ['http://[::1]/', false],
  ['http://2130706433/', false],
  ['http://app.localhost', false],
  ['http://0.0.0.0', false],
  ['https://user:password@id.example.org', false],
  ['file:///etc/passwd', false],
  ['id.example.org', false],
])('a provider of the internet may name %s: %s', (address, isAllowed) => {
  expect(isProviderAddress(address, { loopback: false })).toBe(isAllowed)
})

test('a provider on loopback may name loopback, and nothing else in the clear', () => {
  expect(isProviderAddress('http://127.0.0.1:9000', { loopback: true })).toBe(true)
  expect(isProviderAddress('http://10.0.0.1', { loopback: true })).toBe(false)
})

test('a provider of the internet cannot send us to this machine', async () => {
  await using server = await serve((_request, response) => void response.end('{}'))
  const network = createProviderNetwork('https://id.example.org')
  await expect(network.getJson(server.url)).rejects.toThrow('it has to be https')
})

test('redirects are not followed', async () => {
  await using server = await serve((request, response) => {
    if (request.url === '/') response.writeHead(302, { location: '/elsewhere' }).end()
    else response.end('{}')
  })
  await expect(createProviderNetwork(server.url).getJson(server.url)).rejects.toThrow('answered 302')
})

test('an answer without end is cut off', async () => {
  await using server = await serve((_request, response) => {
    const chunk = 'x'.repeat(64 * 1024)
    const write = (): void => {
      while (response.write(chunk));
    }
    response.on('drain', write)
    write()
  })
  await expect(createProviderNetwork(server.url).getJson(server.url)).rejects.toThrow('too much')
  expect(PROVIDER_RESPONSE_BYTES_MAX).toBeLessThan(16 * 1024 * 1024)
})

test('texts lose what Postgres cannot keep', async () => {
  await using server = await serve((_request, response) => void response.end('{"name":"A\\u0000da"}'))
  expect(await createProviderNetwork(server.url).getJson(server.url)).toEqual({ name: 'Ada' })
})
