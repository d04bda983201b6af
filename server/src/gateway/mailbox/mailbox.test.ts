import { describe, expect, test } from 'vitest'
import type { CapturedMessage } from '@holdfast/auth'
import { silentLogger } from '@holdfast/foundation'
import { createHttpServer } from '@holdfast/http'
import { mailboxRoutes } from './mailbox.ts'

const ID = '6c1f5ab4-6c61-4f34-9c5b-0a8f0d4b7f11'
const MAIL: CapturedMessage = {
  id: ID,
  channel: 'mail',
  kind: 'recovery',
  recipient: '"><script>1</script>@example.org',
  subject: '<b>Reset</b>',
  createdAt: new Date('2026-05-04T10:00:00Z'),
  html: '<p>Hello</p><script>alert(1)</script>',
  body: 'Hello </pre><script>alert(2)</script>',
  code: '123456',
  link: 'http://127.0.0.1:54321/auth/confirm?token=x&type=recovery',
}

/** Chromium's headers for a typed URL, and for requests of this server's pages. */
const TYPED = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
const OWN = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
const LOCAL = { host: '127.0.0.1:54321' }

async function open({ servesThisMachineOnly = true } = {}) {
  const box = [MAIL]
  const app = createHttpServer({ logger: silentLogger })
  await app.register(
    mailboxRoutes({
      projectName: 'Northline',
      servesThisMachineOnly,
      verifyToken: async (token) => {
        if (token === 'service-key') return { role: 'service_role' }
        if (token === 'ada') return { role: 'service_role', sub: 'ada' }
        throw new Error('no token')
      },
      messages: {
        list: async (limit) => box.slice(0, limit),
        find: async (id) => box.find((message) => message.id === id),
        empty: async () => void box.splice(0),
      },
    }),
  )
  const get = async (url: string, headers: Readonly<Record<string, string>>, remoteAddress = '127.0.0.1') =>
    app.inject({ url, headers: { ...LOCAL, ...headers }, remoteAddress })
  return { app, get }
}

const basic = (key: string) => ({ authorization: `Basic ${Buffer.from(`me:${key}`).toString('base64')}` })

describe('the mailbox of a server that only this machine reaches', () => {
  test.each(['127.0.0.1:54321', 'localhost:54321', '[::1]:54321'])('is read by its browsers at %s', async (host) => {
    const { get } = await open()
    expect((await get('/mailbox', { ...TYPED, host })).statusCode).toBe(200)
    expect((await get('/mailbox', { ...TYPED, host }, '::ffff:127.0.0.1')).statusCode).toBe(200)
    expect((await get('/mailbox/newest', { ...OWN, host })).json()).toEqual({ newest: ID })
  })

  test('is read from a link of another page, and by nothing that the other page loads', async () => {
    const { get } = await open()
    const link = { ...TYPED, 'sec-fetch-site': 'cross-site' }
    expect((await get('/mailbox', link)).statusCode).toBe(200)
    for (const kind of ['iframe', 'image', 'script', 'empty']) {
      const loaded = { ...link, 'sec-fetch-dest': kind, 'sec-fetch-mode': kind === 'iframe' ? 'navigate' : 'no-cors' }
      expect((await get(`/mailbox/${ID}`, loaded)).statusCode, kind).toBe(401)
    }
  })

  test.each([
    ['under the name of another site', { host: 'rebound.example:54321' }],
    ['under a name that begins as this machine', { host: '127.0.0.1.example' }],
    ['through a proxy', { 'x-forwarded-for': '203.0.113.9' }],
    ['through a proxy that says so', { via: '1.1 edge' }],
  ])('is refused %s', async (_, headers) => {
    const { get } = await open()
    const answer = await get('/mailbox', { ...TYPED, ...headers })
    expect(answer.statusCode).toBe(401)
    expect(answer.body).not.toContain('Reset')
  })

  test('is refused to other machines, and to programs without a key', async () => {
    const { get } = await open()
    expect((await get('/mailbox', TYPED, '192.168.1.7')).statusCode).toBe(401)
    expect((await get('/mailbox', {})).statusCode).toBe(401)
    expect((await get('/mailbox', { authorization: 'Bearer service-key' })).statusCode).toBe(200)
  })

  test('is emptied from its own page only', async () => {
    const { app, get } = await open()
    const form = { ...LOCAL, 'content-type': 'application/x-www-form-urlencoded' }
    const post = (headers: Readonly<Record<string, string>>) =>
      app.inject({ method: 'POST', url: '/mailbox/empty', headers: { ...form, ...headers } })
    const elsewhere = { ...TYPED, 'sec-fetch-site': 'cross-site' }
    expect((await post(elsewhere)).statusCode).toBe(403)
    expect((await post({ ...elsewhere, ...basic('service-key') })).statusCode).toBe(403)
    expect((await get('/mailbox/newest', OWN)).json()).toEqual({ newest: ID })
    expect(await post({ ...TYPED, 'sec-fetch-site': 'same-origin' })).toMatchObject({
      statusCode: 303,
      headers: { location: '/mailbox' },
    })
    expect((await get('/mailbox/newest', OWN)).json()).toEqual({ newest: '' })
  })
})

test('the mailbox of a server that others reach needs the service key, which a browser asks for', async () => {
  const { get } = await open({ servesThisMachineOnly: false })
  const refused = await get('/mailbox', TYPED)
  expect(refused.statusCode).toBe(401)
  expect(refused.headers['www-authenticate']).toMatch(/^Basic /)
  for (const key of ['wrong', '', 'ada'])
    expect((await get('/mailbox', { ...TYPED, ...basic(key) })).statusCode).toBe(401)
  expect((await get('/mailbox', { ...TYPED, ...basic('service-key') })).statusCode).toBe(200)
})

describe('the page of a message', () => {
  test('shows what people wrote as text', async () => {
    const { get } = await open()
    for (const view of ['html', 'text', 'source', 'constructor']) {
      const { body, headers } = await get(`/mailbox/${ID}?view=${view}`, TYPED)
      expect(body, view).not.toMatch(/<script>|<b>|<\/pre><script/)
      expect(body).toContain('&lt;b&gt;Reset')
      expect(headers['content-security-policy']).toContain("script-src 'self'")
    }
  })

  test('has the mail in a sandbox that runs nothing and loads nothing, pictures after a press', async () => {
    const { get } = await open()
    const { body, headers } = await get(`/mailbox/${ID}/html`, OWN)
    expect(body).toContain(MAIL.html)
    const policy = String(headers['content-security-policy'])
    expect(policy).toMatch(/^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none';/)
    expect(policy).not.toMatch(/script-src|https?:/)
    const withPictures = await get(`/mailbox/${ID}/html?pictures`, OWN)
    expect(withPictures.headers['content-security-policy']).toContain('img-src data: https: http:;')
  })

  test('says of a message that is not there that it is gone', async () => {
    const { get } = await open()
    for (const id of ['x', crypto.randomUUID()]) {
      const { statusCode, body } = await get(`/mailbox/${id}`, TYPED)
      expect([statusCode, body.includes('This message is gone')]).toEqual([404, true])
    }
  })
})
