import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openFaultyLink } from '@holdfast/test-support'

/* The proxy that other tests rely on does what it says. */

const BODY = Buffer.alloc(200_000, 'x')

let server: Server
let url: string
/** Paths of the requests that the server got, in order. */
let requests: string[] = []

beforeAll(async () => {
  server = createServer((request: IncomingMessage, response) => {
    requests.push(request.url ?? '')
    request.resume().on('end', () => response.end(BODY))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => server.close())

const bytesOf = async (answer: Promise<Response>): Promise<number> => (await (await answer).arrayBuffer()).byteLength
/** A POST, as a client sends nothing else again by itself. */
const ask = (base: string, path = '/', timeoutMs = 10_000): Promise<Response> =>
  fetch(`${base}${path}`, { method: 'POST', signal: AbortSignal.timeout(timeoutMs), headers: { connection: 'close' } })

test('passes everything on as it is', async () => {
  await using link = await openFaultyLink(url)
  const answers = await Promise.all(Array.from({ length: 8 }, () => bytesOf(ask(link.url))))
  expect(answers).toEqual(Array.from({ length: 8 }, () => BODY.length))
  expect(link.connections).toBe(8)
})

test.each(['up', 'down'] as const)('stalls and goes on where it was (%s)', async (direction) => {
  await using link = await openFaultyLink(url)
  link.stall(direction)
  await expect(bytesOf(ask(link.url, '/', 300))).rejects.toThrow('timeout')
  const answer = bytesOf(ask(link.url))
  link.flow(direction)
  expect(await answer).toBe(BODY.length)
})

test.each(['up', 'down'] as const)(
  'swallows, and cuts what has lost bytes when it flows again (%s)',
  async (direction) => {
    await using link = await openFaultyLink(url)
    requests = []
    link.swallow(direction)
    await expect(bytesOf(ask(link.url, '/lost', 300))).rejects.toThrow('timeout')
    await expect.poll(() => link.swallowed).toBeGreaterThan(0)
    expect(requests).toEqual(direction === 'up' ? [] : ['/lost'])
    const before = link.swallowed
    const waiting = bytesOf(ask(link.url))
    waiting.catch(() => undefined)
    // More than can be left of the answer before.
    const enough = direction === 'up' ? 0 : BODY.length
    await expect.poll(() => link.swallowed).toBeGreaterThan(before + enough)
    link.flow()
    await expect(waiting).rejects.toThrow()
    expect(await bytesOf(ask(link.url))).toBe(BODY.length)
  },
)

test('limits the rate', async () => {
  await using link = await openFaultyLink(url)
  link.limitRate(400_000, 'down')
  const began = performance.now()
  expect(await bytesOf(ask(link.url))).toBe(BODY.length)
  expect(performance.now() - began).toBeGreaterThan(400)
})

test('cuts a connection after so many bytes, of which all arrive', async () => {
  await using link = await openFaultyLink(url)
  link.cutAfter(50_000, 'down')
  const { body } = await ask(link.url)
  let got = 0
  const reading = (async () => {
    for await (const chunk of body ?? []) got += chunk.length
  })()
  await expect(reading).rejects.toThrow('terminated')
  expect(got).toBeGreaterThan(49_000)
  expect(got).toBeLessThan(50_000)
})

test('lets connections through in reverse order', async () => {
  await using link = await openFaultyLink(url)
  requests = []
  link.reorder(3)
  const answers: Promise<number>[] = []
  for (const [index, path] of ['/1', '/2', '/3'].entries()) {
    answers.push(bytesOf(ask(link.url, path)))
    // The third lets all of them through.
    await expect.poll(() => link.held + link.connections).toBe(index + 1)
  }
  await Promise.all(answers)
  expect(requests).toEqual(['/3', '/2', '/1'])
})

test.each(['request', 'answer'] as const)('breaks requests at the %s', async (at) => {
  await using link = await openFaultyLink(url)
  requests = []
  link.breakRequests({ head: 'POST /broken', at, count: 1 })
  await expect(bytesOf(ask(link.url, '/broken'))).rejects.toThrow()
  await expect.poll(() => requests).toEqual(['/broken'])
  expect(await bytesOf(ask(link.url, '/broken'))).toBe(BODY.length)
  expect(link.broken).toBe(1)
})
