import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { sql } from '@holdfast/postgres'
import { openAuthWorld, type AuthWorld } from '../open-auth-world.ts'
import { openHttpListener } from '../open-http-listener.ts'
import { openSmtpServer } from '../open-smtp-server.ts'
import { createHooks } from '../../src/hooks/create-hooks.ts'
import { type AuthOptions, defaultAuthOptions } from '../../src/options/auth-options.ts'
import { createMessages } from '../../src/messages/create-messages.ts'
import { deleteOldMessages, insertMessage, readMessages } from '../../src/messages/message-rows.ts'
import type { MessageRow, Messages, OutgoingMail } from '../../src/messages/messages.ts'

const SITE = 'http://127.0.0.1:54321'
const ISSUER = `${SITE}/auth/v1`

let world: AuthWorld
let userId: string

beforeAll(async () => {
  world = await openAuthWorld()
  userId = randomUUID()
  await world.db.pool.execute(sql`
    insert into auth.users (id, aud, role, email, raw_user_meta_data, created_at, updated_at)
    values (${userId}, 'authenticated', 'authenticated', 'mina@example.org', '{"name":"Mina <3"}', now(), now())
  `)
}, 60_000)
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(async () => {
  world.nowMs = Date.now()
  await world.db.pool.execute(sql`delete from auth.messages`)
})

function open(options: Partial<AuthOptions> = {}): Messages {
  const all = { ...defaultAuthOptions(), ...options }
  const clock = { now: () => world.nowMs }
  return createMessages({
    pool: world.db.pool,
    options: all,
    hooks: createHooks(all, { clock, logger: silentLogger }),
    clock,
    logger: silentLogger,
    projectName: 'Northline',
    issuer: ISSUER,
    siteUrl: 'https://app.example.org',
  })
}

function mail(over: Partial<OutgoingMail> = {}): OutgoingMail {
  return {
    kind: 'magic_link',
    to: 'mina@example.org',
    userId,
    token: '123456',
    tokenHash: 'pkce_00ff',
    redirectTo: 'https://app.example.org/welcome',
    data: { name: 'Mina <3' },
    ...over,
  }
}

const write = (messages: Messages, over?: Partial<OutgoingMail>): Promise<void> =>
  world.db.pool.transaction((tx) => messages.sendMail(tx, mail(over)))

const rows = (): Promise<MessageRow[]> => readMessages(world.db.pool, { limit: 50 })

async function onlyRow(): Promise<MessageRow> {
  const [row, ...others] = await rows()
  expect(others).toEqual([])
  if (!row) throw new Error('there is no message')
  return row
}

describe('without a mail server', () => {
  test('a mail is captured with its link and its code, as HTML and as text', async () => {
    await using messages = open()
    await write(messages)
    const row = await onlyRow()
    expect(row).toMatchObject({ status: 'captured', recipient: 'mina@example.org', subject: 'Your sign-in link' })
    const link = `${SITE}/auth/confirm?token=pkce_00ff&type=magiclink&redirect_to=https://app.example.org/welcome`
    expect(row.html).toContain(`href="${link.replaceAll('&', '&amp;')}"`)
    expect(row.html).toMatch(/>123456</)
    expect(row.body).toContain(`${link}\n`)
    expect(row.body).toContain('Code: 123456')
    expect(row.body).not.toMatch(/[<>]|\{\{|undefined/)
    expect(row.html).not.toMatch(/\{\{|undefined/)
    expect(row.variables).toMatchObject({ token: '123456', tokenHash: 'pkce_00ff' })
  })

  test.each([
    ['confirmation', 'signup'],
    ['recovery', 'recovery'],
    ['invite', 'invite'],
    ['email_change', 'email_change'],
  ] as const)('a mail of kind %s links to %s', async (kind, type) => {
    await using messages = open()
    await write(messages, { kind, redirectTo: 'https://x.example/?a=1&b=2', newEmail: 'new@example.org' })
    const { html } = await onlyRow()
    expect(html).toContain(`type=${type}&amp;redirect_to=https%3A%2F%2Fx.example%2F%3Fa%3D1%26b%3D2"`)
  })

  test('a code to prove oneself again has no link', async () => {
    await using messages = open()
    await write(messages, { kind: 'reauthentication' })
    const row = await onlyRow()
    expect(row.subject).toBe('123456 is your verification code')
    expect(row.html).not.toContain('/auth/confirm')
    expect(row.html).not.toContain('class="button"')
  })

  test('a change that both addresses confirm is two mails, each with its own code and link', async () => {
    await using messages = open()
    await write(messages, {
      kind: 'email_change',
      newEmail: 'new@example.org',
      tokenNew: '654321',
      tokenHashNew: 'ff00',
    })
    const byRecipient = new Map((await rows()).map((row) => [row.recipient, row]))
    expect([...byRecipient.keys()].toSorted()).toEqual(['mina@example.org', 'new@example.org'])
    const [toOld, toNew] = [byRecipient.get('mina@example.org'), byRecipient.get('new@example.org')]
    expect(toOld?.html).toContain('token=pkce_00ff&amp;')
    expect(toOld?.html).not.toMatch(/654321|ff00&/)
    expect(toNew?.html).toContain('token=ff00&amp;')
    expect(toNew?.html).toContain('>654321<')
    expect(toNew?.html).toContain('from mina@example.org to new@example.org')
    expect(toNew?.html).not.toContain('123456')
    expect(toNew?.variables).toMatchObject({ token: '654321', tokenHash: 'ff00' })
  })

  test('nothing is written when the transaction is rolled back', async () => {
    await using messages = open()
    const transaction = world.db.pool.transaction(async (tx) => {
      await messages.sendMail(tx, mail())
      throw new Error('changed my mind')
    })
    await expect(transaction).rejects.toThrow('changed my mind')
    expect(await rows()).toEqual([])
  })

  test('a text message is captured', async () => {
    await using messages = open({ smsTemplate: 'Code {{ .Code }} & more' })
    const sms = { kind: 'magic_link', to: '4915112345678', userId, code: '987654' } as const
    await world.db.pool.transaction((tx) => messages.sendSms(tx, sms))
    expect(await onlyRow()).toMatchObject({ channel: 'sms', body: 'Code 987654 & more', status: 'captured' })
  })

  test('a number for tests gets no message and keeps its code', async () => {
    await using messages = open({ smsTestOtp: ['+4152127777=123456'] })
    expect(messages.testOtp('4152127777')).toBe('123456')
    expect(messages.testOtp('4152127778')).toBeUndefined()
    const sms = { kind: 'magic_link', to: '4152127777', userId, code: '123456' } as const
    await world.db.pool.transaction((tx) => messages.sendSms(tx, sms))
    expect(await rows()).toEqual([])
    expect(() => open({ smsTestOtp: ['4152127777'] })).toThrow('smsTestOtp: 4152127777 does not read')
  })
})

describe('templates of the project', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-templates-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('replace subject and content, and what they name is escaped', async () => {
    const path = join(folder, 'magic.html')
    await writeFile(
      path,
      '<h1>Hi {{ .Data.name }}</h1><p><a href="{{ .SiteURL }}/c?h={{ .TokenHash }}&next={{ .RedirectTo }}">Go</a></p>',
    )
    await using messages = open({
      emailTemplateMagicLinkSubject: '{{ .Token }}:\n {{ .Data.name }}',
      emailTemplateMagicLinkContentPath: path,
    })
    await write(messages)
    const href = 'https://app.example.org/c?h=pkce_00ff&next=https%3A%2F%2Fapp.example.org%2Fwelcome'
    expect(await onlyRow()).toMatchObject({
      subject: '123456: Mina <3',
      html: `<h1>Hi Mina &lt;3</h1><p><a href="${href}">Go</a></p>`,
      body: `Hi Mina <3\n\nGo: ${href}\n`,
    })
  })

  test('are refused at start with file and line', async () => {
    const path = join(folder, 'bad.html')
    await writeFile(path, '<p>\n{{ .Token </p>')
    expect(() => open({ emailTemplateInviteContentPath: path })).toThrow(
      `emailTemplateInviteContentPath: ${path}:2: {{ without }}`,
    )
    expect(() => open({ emailTemplateInviteContentPath: join(folder, 'none.html') })).toThrow('cannot be read')
    expect(() => open({ emailTemplateInviteSubject: '{{ bad }}' })).toThrow('emailTemplateInviteSubject: template:1')
    expect(() => open({ smsTemplate: '{{ .Code' })).toThrow('smsTemplate: template:1')
  })
})

describe('with a mail server', () => {
  const smtpOptions = (port: number): Partial<AuthOptions> => ({
    emailSmtpHost: '127.0.0.1',
    emailSmtpPort: port,
    emailSmtpAdminEmail: 'accounts@northline.example',
  })

  test('a mail is sent after the transaction, and its code is kept nowhere', async () => {
    await using server = await openSmtpServer({ user: 'holdfast', pass: 'hunter2' })
    await using messages = open({
      ...smtpOptions(server.port),
      emailSmtpUser: 'holdfast',
      emailSmtpPass: 'hunter2',
      emailTemplateMagicLinkSubject: 'Code {{ .Token }}',
    })
    await write(messages)
    await expect.poll(() => server.received.length).toBe(1)
    const [received] = server.received
    expect(received).toMatchObject({ from: 'accounts@northline.example', to: ['mina@example.org'] })
    expect(received?.source).toContain('Subject: Code 123456')
    expect(received?.source).toMatch(/From: "?Northline"? <accounts@northline.example>/)
    expect(received?.source).toContain('text/plain')
    expect(received?.source).toContain('text/html')
    await messages.settled()
    const row = await onlyRow()
    expect(row).toMatchObject({ status: 'sent', attempts: 1, html: '', body: '', variables: {}, subject: 'Code …' })
    expect(row.sent_at).not.toBeNull()
  })

  test('a mail server that is busy is tried again later, a bounded number of times', async () => {
    await using server = await openSmtpServer()
    server.refusal = { code: 451, message: 'try later' }
    await using messages = open(smtpOptions(server.port))
    await write(messages)
    await messages.settled()
    expect(await onlyRow()).toMatchObject({ status: 'queued', attempts: 1 })
    expect((await onlyRow()).last_error).toContain('try later')
    await messages.settled()
    expect(await onlyRow()).toMatchObject({ attempts: 1 })

    world.nowMs += 7_000
    server.refusal = undefined
    await messages.settled()
    expect(server.received).toHaveLength(1)
    expect(await onlyRow()).toMatchObject({ status: 'sent', attempts: 2, last_error: null })

    server.refusal = { code: 451, message: 'never' }
    await world.db.pool.execute(sql`delete from auth.messages`)
    await write(messages)
    for (let attempt = 1; attempt <= 10; attempt++) {
      await messages.settled()
      world.nowMs += 6 * 60_000
    }
    expect(await onlyRow()).toMatchObject({ status: 'failed', attempts: 8, html: '', variables: {} })
  })

  test('a mail that is refused for good is not tried again', async () => {
    await using server = await openSmtpServer()
    server.refusal = { code: 550, message: 'no such mailbox' }
    await using messages = open(smtpOptions(server.port))
    await write(messages)
    await messages.settled()
    const row = await onlyRow()
    expect(row).toMatchObject({ status: 'failed', attempts: 1, html: '', variables: {} })
    expect(row.last_error).toContain('no such mailbox')
  })

  test('a mail whose code has expired is not sent', async () => {
    await using server = await openSmtpServer()
    server.refusal = { code: 451, message: 'try later' }
    await using messages = open({ ...smtpOptions(server.port), emailOtpExpiry: 60 })
    await write(messages)
    await messages.settled()
    server.refusal = undefined
    world.nowMs += 61_000
    await messages.settled()
    expect(server.received).toEqual([])
    expect(await onlyRow()).toMatchObject({
      status: 'failed',
      last_error: expect.stringContaining('expired') as string,
    })
  })

  test('two processes send each mail once', async () => {
    await using server = await openSmtpServer()
    await using one = open(smtpOptions(server.port))
    await using two = open(smtpOptions(server.port))
    for (let index = 0; index < 20; index++) await write(one, { to: `person-${index}@example.org` })
    await Promise.all([one.settled(), two.settled()])
    await expect.poll(async () => (await rows()).every(({ status }) => status === 'sent')).toBe(true)
    expect(new Set(server.received.map(({ to }) => to[0])).size).toBe(20)
    expect(server.received).toHaveLength(20)
  })

  test('no mail server there fails no request', async () => {
    const server = await openSmtpServer()
    await server[Symbol.asyncDispose]()
    await using messages = open(smtpOptions(server.port))
    await write(messages)
    await messages.settled()
    expect(await onlyRow()).toMatchObject({ status: 'queued', attempts: 1 })
  })

  test('the end of the service does not wait for a mail server that says nothing', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const sockets: Socket[] = []
    silent.on('connection', (socket) => sockets.push(socket))
    const messages = open(smtpOptions((silent.address() as AddressInfo).port))
    await write(messages)
    await messages[Symbol.asyncDispose]()
    expect(await onlyRow()).toMatchObject({ status: 'queued' })
    for (const socket of sockets) socket.destroy()
    silent.close()
  })

  test('the end of the service sends what was just written', async () => {
    await using server = await openSmtpServer()
    const messages = open(smtpOptions(server.port))
    await write(messages)
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
  const sms = () => ({ kind: 'confirmation', to: '4915112345678', userId, code: '987654' }) as const

  test.each([
    ['MG0123456789abcdef0123456789abcdef', 'MessagingServiceSid'],
    ['+15005550006', 'From'],
  ])('a text message is sent by %s', async (sender, field) => {
    await using api = await openHttpListener(() => ({ status: 201, body: { sid: 'SM1', status: 'queued' } }))
    await using messages = open(twilioOptions(api.url, sender))
    await world.db.pool.transaction((tx) => messages.sendSms(tx, sms()))
    await messages.settled()
    const [request] = api.requests
    expect(request).toMatchObject({ method: 'POST', path: '/2010-04-01/Accounts/AC123/Messages.json' })
    expect(request?.headers.authorization).toBe(`Basic ${btoa('AC123:secret')}`)
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      To: '+4915112345678',
      [field]: sender,
      Body: 'Your code is 987654',
    })
    expect(await onlyRow()).toMatchObject({ status: 'sent', body: '', variables: {} })
  })

  test('what Twilio refuses is kept as the reason; what it cannot do now is tried again', async () => {
    await using api = await openHttpListener(() => ({ status: 500, body: { message: 'internal' } }))
    await using messages = open(twilioOptions(api.url, '+15005550006'))
    await world.db.pool.transaction((tx) => messages.sendSms(tx, sms()))
    await messages.settled()
    expect(await onlyRow()).toMatchObject({ status: 'queued', last_error: 'Twilio answered 500: internal' })
    api.answer = () => ({ status: 400, body: { message: 'not a mobile number' } })
    world.nowMs += 7_000
    await messages.settled()
    expect(await onlyRow()).toMatchObject({
      status: 'failed',
      attempts: 2,
      last_error: 'Twilio answered 400: not a mobile number',
    })
  })

  test('half an account is refused at start', () => {
    expect(() => open({ smsTwilioAccountSid: 'AC123' })).toThrow('smsTwilioAuthToken')
  })
})

describe('with a hook', () => {
  const SECRETS = `v1,whsec_${Buffer.alloc(32, 7).toString('base64')}`

  test('a mail is given to it in GoTrue’s form, and no row is written', async () => {
    await using hook = await openHttpListener(() => ({ body: {} }))
    await using messages = open({ hookSendEmailUri: hook.url, hookSendEmailSecrets: SECRETS })
    await write(messages, { address: '192.0.2.7' })
    expect(JSON.parse(hook.requests[0]?.body ?? '')).toEqual({
      metadata: {
        uuid: expect.any(String) as string,
        time: new Date(world.nowMs).toISOString(),
        name: 'send-email',
        ip_address: '192.0.2.7',
      },
      user: expect.objectContaining({ id: userId, email: 'mina@example.org', identities: [] }) as object,
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
    expect(await rows()).toEqual([])
  })

  test('a change of address is one call, with the hashes crossed as GoTrue crosses them', async () => {
    await using hook = await openHttpListener(() => ({ body: {} }))
    await using messages = open({ hookSendEmailUri: hook.url, hookSendEmailSecrets: SECRETS })
    await write(messages, {
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
    await using messages = open({ hookSendSmsUri: hook.url, hookSendSmsSecrets: SECRETS })
    const sms = { kind: 'mfa', to: '4915112345678', userId, code: '987654' } as const
    const sending = world.db.pool.transaction((tx) => messages.sendSms(tx, sms))
    await expect(sending).rejects.toMatchObject({ status: 403, message: 'not today' })
    expect(JSON.parse(hook.requests[0]?.body ?? '')).toMatchObject({
      user: { id: userId },
      sms: { otp: '987654', phone: '4915112345678', sms_type: 'mfa' },
    })
  })
})

test('messages older than a week, and captured ones beyond a thousand, are deleted', async () => {
  const at = (daysAgo: number): string => new Date(world.nowMs - daysAgo * 86_400_000).toISOString()
  const message = { channel: 'mail', kind: 'invite', userId, body: '', variables: {}, status: 'captured' } as const
  await insertMessage(world.db.pool, { ...message, recipient: 'old@example.org', now: at(8) })
  await insertMessage(world.db.pool, { ...message, recipient: 'recent@example.org', now: at(6) })
  expect(await deleteOldMessages(world.db.pool, world.nowMs)).toBe(1)
  await world.db.pool.execute(sql`
    insert into auth.messages (channel, kind, recipient, body, status, created_at)
    select 'mail', 'invite', 'many@example.org', '', 'captured', ${at(1)} from generate_series(1, 1000)
  `)
  expect(await deleteOldMessages(world.db.pool, world.nowMs)).toBe(1)
  expect(await readMessages(world.db.pool, { limit: 5, recipient: 'recent@example.org' })).toEqual([])
})
