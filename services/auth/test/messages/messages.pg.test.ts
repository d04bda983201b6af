import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { deleteOldMessages, insertMessage, readMessages } from '../../src/messages/message-rows.ts'
import { openMessagesWorld, type MessagesWorld } from './messages-world.ts'

const SITE = 'http://127.0.0.1:54321'

let world: MessagesWorld

beforeAll(async () => {
  world = await openMessagesWorld()
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(() => world.reset())

describe('without a mail server', () => {
  test('a mail is captured with its link and its code, as HTML and as text', async () => {
    await using messages = world.open()
    await world.write(messages)
    const row = await world.onlyRow()
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
    await using messages = world.open()
    await world.write(messages, { kind, redirectTo: 'https://x.example/?a=1&b=2', newEmail: 'new@example.org' })
    const { html } = await world.onlyRow()
    expect(html).toContain(`type=${type}&amp;redirect_to=https%3A%2F%2Fx.example%2F%3Fa%3D1%26b%3D2"`)
  })

  test('a code to prove oneself again has no link', async () => {
    await using messages = world.open()
    await world.write(messages, { kind: 'reauthentication' })
    const row = await world.onlyRow()
    expect(row.subject).toBe('123456 is your verification code')
    expect(row.html).not.toContain('/auth/confirm')
    expect(row.html).not.toContain('class="button"')
  })

  test('a change that both addresses confirm is two mails, each with its own code and link', async () => {
    await using messages = world.open()
    await world.write(messages, {
      kind: 'email_change',
      newEmail: 'new@example.org',
      tokenNew: '654321',
      tokenHashNew: 'ff00',
    })
    const byRecipient = new Map((await world.rows()).map((row) => [row.recipient, row]))
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
    await using messages = world.open()
    const transaction = world.auth.db.pool.transaction(async (tx) => {
      await messages.sendMail(tx, world.mail())
      throw new Error('changed my mind')
    })
    await expect(transaction).rejects.toThrow('changed my mind')
    expect(await world.rows()).toEqual([])
  })

  test('a text message is captured', async () => {
    await using messages = world.open({ smsTemplate: 'Code {{ .Code }} & more' })
    const sms = { kind: 'magic_link', to: '4915112345678', userId: world.userId, code: '987654' } as const
    await world.auth.db.pool.transaction((tx) => messages.sendSms(tx, sms))
    expect(await world.onlyRow()).toMatchObject({ channel: 'sms', body: 'Code 987654 & more', status: 'captured' })
  })

  test('a number for tests gets no message and keeps its code', async () => {
    await using messages = world.open({ smsTestOtp: ['+4152127777=123456'] })
    expect(messages.testOtp('4152127777')).toBe('123456')
    expect(messages.testOtp('4152127778')).toBeUndefined()
    const sms = { kind: 'magic_link', to: '4152127777', userId: world.userId, code: '123456' } as const
    await world.auth.db.pool.transaction((tx) => messages.sendSms(tx, sms))
    expect(await world.rows()).toEqual([])
    expect(() => world.open({ smsTestOtp: ['4152127777'] })).toThrow('smsTestOtp: 4152127777 does not read')
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
    await using messages = world.open({
      emailTemplateMagicLinkSubject: '{{ .Token }}:\n {{ .Data.name }}',
      emailTemplateMagicLinkContentPath: path,
    })
    await world.write(messages)
    const href = 'https://app.example.org/c?h=pkce_00ff&next=https%3A%2F%2Fapp.example.org%2Fwelcome'
    expect(await world.onlyRow()).toMatchObject({
      subject: '123456: Mina <3',
      html: `<h1>Hi Mina &lt;3</h1><p><a href="${href}">Go</a></p>`,
      body: `Hi Mina <3\n\nGo: ${href}\n`,
    })
  })

  test('are refused at start with file and line', async () => {
    const path = join(folder, 'bad.html')
    await writeFile(path, '<p>\n{{ .Token </p>')
    expect(() => world.open({ emailTemplateInviteContentPath: path })).toThrow(
      `emailTemplateInviteContentPath: ${path}:2: {{ without }}`,
    )
    expect(() => world.open({ emailTemplateInviteContentPath: join(folder, 'none.html') })).toThrow('cannot be read')
    expect(() => world.open({ emailTemplateInviteSubject: '{{ bad }}' })).toThrow(
      'emailTemplateInviteSubject: template:1',
    )
    expect(() => world.open({ smsTemplate: '{{ .Code' })).toThrow('smsTemplate: template:1')
  })
})

test('messages older than a week, and captured ones beyond a thousand, are deleted', async () => {
  const at = (daysAgo: number): string => new Date(world.auth.nowMs - daysAgo * 86_400_000).toISOString()
  const message = {
    channel: 'mail',
    kind: 'invite',
    userId: world.userId,
    body: '',
    variables: {},
    status: 'captured',
  } as const
  await insertMessage(world.auth.db.pool, { ...message, recipient: 'old@example.org', now: at(8) })
  await insertMessage(world.auth.db.pool, { ...message, recipient: 'recent@example.org', now: at(6) })
  expect(await deleteOldMessages(world.auth.db.pool, world.auth.nowMs)).toBe(1)
  await world.auth.db.pool.execute(sql`
    insert into auth.messages (channel, kind, recipient, body, status, created_at)
    select 'mail', 'invite', 'many@example.org', '', 'captured', ${at(1)} from generate_series(1, 1000)
  `)
  expect(await deleteOldMessages(world.auth.db.pool, world.auth.nowMs)).toBe(1)
  expect(await readMessages(world.auth.db.pool, { limit: 5, recipient: 'recent@example.org' })).toEqual([])
})
