import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { silentLogger, systemClock } from '@holdfast/foundation'
import { sql } from '@holdfast/postgres'
import { openHttpListener } from '../open-http-listener.ts'
import { openSmtpServer } from '@holdfast/test-support'
import { startDelivery } from '../../src/messages/delivery.ts'
import { insertMessage } from '../../src/messages/message-rows.ts'
import type { AuthOptions } from '../../src/options/auth-options.ts'
import { ISSUER, openMessagesWorld, type MessagesWorld } from './messages-world.ts'

let world: MessagesWorld

beforeAll(async () => {
  world = await openMessagesWorld()
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(() => world.reset())

describe('with a mail server', () => {
  const smtpOptions = (port: number): Partial<AuthOptions> => ({
    emailSmtpHost: '127.0.0.1',
    emailSmtpPort: port,
    emailSmtpAdminEmail: 'accounts@northline.example',
  })

  test('a mail is sent after the transaction, and its code is kept nowhere', async () => {
    await using server = await openSmtpServer({ user: 'holdfast', pass: 'hunter2' })
    await using messages = world.open({
      ...smtpOptions(server.port),
      emailSmtpUser: 'holdfast',
      emailSmtpPass: 'hunter2',
      emailTemplateMagicLinkSubject: 'Code {{ .Token }}',
    })
    await world.write(messages)
    await expect.poll(() => server.received.length).toBe(1)
    const [received] = server.received
    expect(received).toMatchObject({ from: 'accounts@northline.example', to: ['mina@example.org'] })
    expect(received?.source).toContain('Subject: Code 123456')
    expect(received?.source).toMatch(/From: "?Northline"? <accounts@northline.example>/)
    expect(received?.source).toContain('text/plain')
    expect(received?.source).toContain('text/html')
    await messages.settled()
    const row = await world.onlyRow()
    expect(row).toMatchObject({ status: 'sent', attempts: 1, html: '', body: '', variables: {}, subject: 'Code …' })
    expect(row.sent_at).not.toBeNull()
  })

  test('a mail server that is busy is tried again later, a bounded number of times', async () => {
    await using server = await openSmtpServer()
    server.refusal = { code: 451, message: 'try later' }
    await using messages = world.open(smtpOptions(server.port))
    await world.write(messages)
    await messages.settled()
    expect(await world.onlyRow()).toMatchObject({ status: 'queued', attempts: 1 })
    expect((await world.onlyRow()).last_error).toContain('try later')
    await messages.settled()
    expect(await world.onlyRow()).toMatchObject({ attempts: 1 })

    world.auth.nowMs += 7_000
    server.refusal = undefined
    await messages.settled()
    expect(server.received).toHaveLength(1)
    expect(await world.onlyRow()).toMatchObject({ status: 'sent', attempts: 2, last_error: null })

    server.refusal = { code: 451, message: 'never' }
    await world.auth.db.pool.execute(sql`delete from auth.messages`)
    await world.write(messages)
    for (let attempt = 1; attempt <= 10; attempt++) {
      await messages.settled()
      world.auth.nowMs += 6 * 60_000
    }
    expect(await world.onlyRow()).toMatchObject({ status: 'failed', attempts: 8, html: '', variables: {} })
  })

  test('a mail that is refused for good is not tried again', async () => {
    await using server = await openSmtpServer()
    server.refusal = { code: 550, message: 'no such mailbox' }
    await using messages = world.open(smtpOptions(server.port))
    await world.write(messages)
    await messages.settled()
    const row = await world.onlyRow()
    expect(row).toMatchObject({ status: 'failed', attempts: 1, html: '', variables: {} })
    expect(row.last_error).toContain('no such mailbox')
  })

  test('a mail whose code has expired is not sent', async () => {
    await using server = await openSmtpServer()
    server.refusal = { code: 451, message: 'try later' }
    await using messages = world.open({ ...smtpOptions(server.port), emailOtpExpiry: 60 })
    await world.write(messages)
    await messages.settled()
    server.refusal = undefined
    world.auth.nowMs += 61_000
    await messages.settled()
    expect(server.received).toEqual([])
    expect(await world.onlyRow()).toMatchObject({
      status: 'failed',
      last_error: expect.stringContaining('expired') as string,
    })
  })

  test('two processes send each mail once', async () => {
    await using server = await openSmtpServer()
    await using one = world.open(smtpOptions(server.port))
    await using two = world.open(smtpOptions(server.port))
    for (let index = 0; index < 20; index++) await world.write(one, { to: `person-${index}@example.org` })
    await Promise.all([one.settled(), two.settled()])
    await expect.poll(async () => (await world.rows()).every(({ status }) => status === 'sent')).toBe(true)
    expect(new Set(server.received.map(({ to }) => to[0])).size).toBe(20)
    expect(server.received).toHaveLength(20)
  })

  test('no mail server there fails no request', async () => {
    const server = await openSmtpServer()
    await server[Symbol.asyncDispose]()
    await using messages = world.open(smtpOptions(server.port))
    await world.write(messages)
    await messages.settled()
    expect(await world.onlyRow()).toMatchObject({ status: 'queued', attempts: 1 })
  })

  test('the end of the service does not wait for a mail server that says nothing', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const sockets: Socket[] = []
    silent.on('connection', (socket) => sockets.push(socket))
    const messages = world.open(smtpOptions((silent.address() as AddressInfo).port))
    await world.write(messages)
    await messages[Symbol.asyncDispose]()
    expect(await world.onlyRow()).toMatchObject({ status: 'queued' })
    for (const socket of sockets) socket.destroy()
    silent.close()
  })

  test('the end of the service sends what was just written', async () => {
    await using server = await openSmtpServer()
    const messages = world.open(smtpOptions(server.port))
    await world.write(messages)
    await messages[Symbol.asyncDispose]()
    expect(server.received).toHaveLength(1)
  })
})

describe('with Twilio', () => {
  const twilioOptions = (url: string, sender: string): Partial<AuthOptions> => ({
    smsTwilioUrl: url,
    smsTwilioAccountSid: 'AC123',
    smsTwilioAuthToken: 'secret',
    smsTwilioMessageServiceSid: sender,
    smsOtpExpiry: 3600,
  })
  const sms = () => ({ kind: 'confirmation', to: '4915112345678', userId: world.userId, code: '987654' }) as const

  test.each([
    ['MG0123456789abcdef0123456789abcdef', 'MessagingServiceSid'],
    ['+15005550006', 'From'],
  ])('a text message is sent by %s', async (sender, field) => {
    await using api = await openHttpListener(() => ({ status: 201, body: { sid: 'SM1', status: 'queued' } }))
    await using messages = world.open(twilioOptions(api.url, sender))
    await world.auth.db.pool.transaction((tx) => messages.sendSms(tx, sms()))
    await messages.settled()
    const [request] = api.requests
    expect(request).toMatchObject({ method: 'POST', path: '/2010-04-01/Accounts/AC123/Messages.json' })
    expect(request?.headers.authorization).toBe(`Basic ${btoa('AC123:secret')}`)
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      To: '+4915112345678',
      [field]: sender,
      Body: 'Your code is 987654',
    })
    expect(await world.onlyRow()).toMatchObject({ status: 'sent', body: '', variables: {} })
  })

  test('what Twilio refuses is kept as the reason; what it cannot do now is tried again', async () => {
    await using api = await openHttpListener(() => ({ status: 500, body: { message: 'internal' } }))
    await using messages = world.open(twilioOptions(api.url, '+15005550006'))
    await world.auth.db.pool.transaction((tx) => messages.sendSms(tx, sms()))
    await messages.settled()
    expect(await world.onlyRow()).toMatchObject({ status: 'queued', last_error: 'Twilio answered 500: internal' })
    api.answer = () => ({ status: 400, body: { message: 'not a mobile number' } })
    world.auth.nowMs += 7_000
    await messages.settled()
    expect(await world.onlyRow()).toMatchObject({
      status: 'failed',
      attempts: 2,
      last_error: 'Twilio answered 400: not a mobile number',
    })
  })

  test('what Postgres cannot keep of a reason does not keep the message', async () => {
    await using api = await openHttpListener(() => ({ status: 400, body: { message: 'not a\0 number' } }))
    await using messages = world.open(twilioOptions(api.url, '+15005550006'))
    await world.auth.db.pool.transaction((tx) => messages.sendSms(tx, sms()))
    await messages.settled()
    expect(await world.onlyRow()).toMatchObject({
      status: 'failed',
      attempts: 1,
      last_error: 'Twilio answered 400: not a\uFFFD number',
    })
  })

  test.each([401, 408, 429])(
    'a refusal of the connection (%i) is none of the message, which is tried again',
    async (status) => {
      await using api = await openHttpListener(() => ({ status, body: { message: 'Authenticate' } }))
      await using messages = world.open(twilioOptions(api.url, '+15005550006'))
      await world.auth.db.pool.transaction((tx) => messages.sendSms(tx, sms()))
      await messages.settled()
      expect(await world.onlyRow()).toMatchObject({ status: 'queued', attempts: 1 })
      api.answer = () => ({ status: 201, body: { sid: 'SM1', status: 'queued' } })
      world.auth.nowMs += 7_000
      await messages.settled()
      expect(await world.onlyRow()).toMatchObject({ status: 'sent', attempts: 2 })
    },
  )

  test('half an account is refused at start', () => {
    expect(() => world.open({ smsTwilioAccountSid: 'AC123' })).toThrow('smsTwilioAuthToken')
  })
})

test('a mail server that says nothing delays no text message', async () => {
  const { pool } = world.auth.db
  const begun: string[] = []
  const answers = Promise.withResolvers<void>()
  await using delivery = startDelivery({
    pool,
    clock: systemClock,
    logger: silentLogger,
    channels: {
      mail: {
        sender: { send: ({ recipient }) => (begun.push(recipient), answers.promise), close: () => answers.resolve() },
        lifeMs: 3_600_000,
      },
      sms: {
        sender: { send: async ({ recipient }) => void begun.push(recipient), close: () => undefined },
        lifeMs: 60_000,
      },
    },
  })
  const write = (channel: 'mail' | 'sms', recipient: string): Promise<void> =>
    insertMessage(pool, {
      channel,
      kind: 'magic_link',
      userId: world.userId,
      recipient,
      body: '',
      variables: {},
      status: 'queued',
      now: new Date().toISOString(),
    })
  await write('mail', 'mina@example.org')
  delivery.wake()
  await expect.poll(() => begun).toEqual(['mina@example.org'])

  await write('sms', '4915112345678')
  delivery.wake()
  await expect.poll(() => begun).toEqual(['mina@example.org', '4915112345678'])
  answers.resolve()
})

describe('with a hook', () => {
  const SECRETS = `v1,whsec_${Buffer.alloc(32, 7).toString('base64')}`

  test('a mail is given to it in GoTrue’s form, and no row is written', async () => {
    await using hook = await openHttpListener(() => ({ body: {} }))
    await using messages = world.open({ hookSendEmailUri: hook.url, hookSendEmailSecrets: SECRETS })
    await world.write(messages, { address: '192.0.2.7' })
    expect(JSON.parse(hook.requests[0]?.body ?? '')).toEqual({
      metadata: {
        uuid: expect.any(String) as string,
        time: new Date(world.auth.nowMs).toISOString(),
        name: 'send-email',
        ip_address: '192.0.2.7',
      },
      user: expect.objectContaining({ id: world.userId, email: 'mina@example.org', identities: [] }) as object,
      email_data: {
        token: '123456',
        token_hash: 'pkce_00ff',
        redirect_to: 'https://app.example.org/welcome',
        email_action_type: 'magiclink',
        site_url: ISSUER,
        token_new: '',
        token_hash_new: '',
        old_email: '',
        old_phone: '',
        provider: '',
        factor_type: '',
      },
    })
    expect(await world.rows()).toEqual([])
  })

  test('a change of address is one call, with the hashes crossed as GoTrue crosses them', async () => {
    await using hook = await openHttpListener(() => ({ body: {} }))
    await using messages = world.open({ hookSendEmailUri: hook.url, hookSendEmailSecrets: SECRETS })
    await world.write(messages, {
      kind: 'email_change',
      newEmail: 'new@example.org',
      tokenNew: '654321',
      tokenHashNew: 'hash-of-new',
    })
    expect(hook.requests).toHaveLength(1)
    expect(JSON.parse(hook.requests[0]?.body ?? '')).toMatchObject({
      user: { new_email: 'new@example.org' },
      email_data: { token: '123456', token_hash: 'hash-of-new', token_new: '654321', token_hash_new: 'pkce_00ff' },
    })
  })

  test('its refusal fails the request', async () => {
    await using hook = await openHttpListener(() => ({ body: { error: { http_code: 403, message: 'not today' } } }))
    await using messages = world.open({ hookSendSmsUri: hook.url, hookSendSmsSecrets: SECRETS })
    const sms = { kind: 'mfa', to: '4915112345678', userId: world.userId, code: '987654' } as const
    const sending = world.auth.db.pool.transaction((tx) => messages.sendSms(tx, sms))
    await expect(sending).rejects.toMatchObject({ status: 403, message: 'not today' })
    expect(JSON.parse(hook.requests[0]?.body ?? '')).toMatchObject({
      user: { id: world.userId },
      sms: { otp: '987654', phone: '4915112345678', sms_type: 'mfa' },
    })
  })
})
