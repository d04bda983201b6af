import { randomInt, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { readCode, readMail } from '../mailbox.ts'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'
import { openHttpListener } from '../open-http-listener.ts'
import { type OidcProvider, openOidcProvider } from '../open-oidc-provider.ts'
import { openSmtpServer } from '@holdfast/test-support'
import { comeBack, makeKnown, openRealClient, signInAt } from '../visit-provider.ts'
import { NOTICES_PER_HOUR_MAX } from '../../src/limits.ts'
import { totpCode, totpStepAt } from '../../src/mfa/totp.ts'
import type { AuthOptions } from '../../src/options/auth-options.ts'

const ALL_ON: Partial<AuthOptions> = {
  emailNotificationPasswordChangedEnabled: true,
  emailNotificationEmailChangedEnabled: true,
  emailNotificationPhoneChangedEnabled: true,
  emailNotificationIdentityLinkedEnabled: true,
  emailNotificationIdentityUnlinkedEnabled: true,
  emailNotificationMfaFactorEnrolledEnabled: true,
  emailNotificationMfaFactorUnenrolledEnabled: true,
}

const BASE: Partial<AuthOptions> = {
  enableManualLinking: true,
  smsEnableSignup: true,
  smsEnableConfirmations: true,
  emailMaxFrequency: 0,
  smsMaxFrequency: 0,
}

interface Notice {
  readonly kind: string
  readonly recipient: string
  readonly subject: string
  readonly html: string
  readonly body: string
  readonly status: string
}

let world: AuthWorld
let provider: OidcProvider
/** Everything is told. */
let app: AuthApp
/** The same without any setting of notifications. */
let silent: AuthApp

beforeAll(async () => {
  world = await openAuthWorld()
  provider = await openOidcProvider()
  app = await world.openApp({ ...BASE, ...ALL_ON })
  silent = await world.openApp(BASE)
  await makeKnown(app, provider)
})
beforeEach(() => {
  world.nowMs = Date.now()
})
afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const newPhone = (): string => `1555${String(randomInt(10_000_000)).padStart(7, '0')}`

/** The security notifications of one account, oldest first. */
function noticesOf(userId: string): Promise<Notice[]> {
  return world.db.pool.query<Notice>(sql`
    select kind, recipient, subject, html, body, status from auth.messages
     where user_id = ${userId} and kind like '%notification' order by created_at, kind
  `)
}

const kindsOf = async (userId: string): Promise<string[]> => (await noticesOf(userId)).map(({ kind }) => kind)

interface Member {
  readonly id: string
  readonly email: string
  readonly client: SupabaseClient
}

async function openMember(of: AuthApp): Promise<Member> {
  const client = await openRealClient(of)
  const email = `${randomUUID()}@example.org`
  const { data, error } = await client.auth.signUp({ email, password: PASSWORD })
  expect(error).toBeNull()
  world.nowMs += 1_000
  return { id: data.user?.id ?? '', email, client }
}

/** Changes everything that there is a notification for, and returns the addresses in between. */
async function changeEverything(
  of: AuthApp,
): Promise<Member & { readonly newEmail: string; readonly phones: string[] }> {
  const member = await openMember(of)
  const { client, email } = member
  const step = async (what: Promise<{ error: unknown }>): Promise<void> => {
    expect((await what).error).toBeNull()
    world.nowMs += 1_000
  }
  await step(client.auth.updateUser({ password: `${PASSWORD} anew` }))

  const phones = [newPhone(), newPhone()]
  for (const phone of phones) {
    await step(client.auth.updateUser({ phone }))
    await step(client.auth.verifyOtp({ phone, token: await readCode(world, phone), type: 'phone_change' }))
  }

  const login = randomUUID().slice(0, 8)
  provider.people.set(login, { email: `${login}@example.org`, email_verified: true })
  const { data: linking } = await client.auth.linkIdentity({ provider: 'custom:oidc' })
  const end = await comeBack(of, await provider.signIn(linking.url ?? '', login))
  await step(client.auth.exchangeCodeForSession(end.query['code'] ?? ''))
  const { data: all } = await client.auth.getUserIdentities()
  const identity = all?.identities.find((one) => one.provider === 'custom:oidc')
  if (!identity) throw new Error('the identity was not linked')
  await step(client.auth.unlinkIdentity(identity))

  const factorId = await addFactor(client)
  await step(client.auth.mfa.unenroll({ factorId }))

  const newEmail = `${randomUUID()}@example.org`
  await step(client.auth.updateUser({ email: newEmail }))
  const { token } = await readMail(world, newEmail)
  await step(client.auth.verifyOtp({ email: newEmail, token, type: 'email_change' }))
  expect(email).not.toBe(newEmail)
  return { ...member, newEmail, phones }
}

async function addFactor(client: SupabaseClient): Promise<string> {
  const enrolled = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: randomUUID() })
  expect(enrolled.error).toBeNull()
  const { id: factorId, totp } = enrolled.data as { id: string; totp: { secret: string } }
  const code = totpCode(totp.secret, totpStepAt(world.nowMs))
  expect((await client.auth.mfa.challengeAndVerify({ factorId, code })).error).toBeNull()
  world.nowMs += 60_000
  return factorId
}

describe('with every notification on', () => {
  test('each change is told once, to the address that was there before it', async () => {
    const { id, email, newEmail, phones } = await changeEverything(app)
    const notices = await noticesOf(id)
    expect(notices.map(({ kind, recipient, subject }) => ({ kind, recipient, subject }))).toEqual([
      { kind: 'password_changed_notification', recipient: email, subject: 'Your password was changed' },
      {
        kind: 'identity_linked_notification',
        recipient: email,
        subject: 'A new sign-in method was linked to your account',
      },
      { kind: 'phone_changed_notification', recipient: email, subject: 'Your phone number was changed' },
      {
        kind: 'identity_linked_notification',
        recipient: email,
        subject: 'A new sign-in method was linked to your account',
      },
      {
        kind: 'identity_unlinked_notification',
        recipient: email,
        subject: 'A sign-in method was removed from your account',
      },
      {
        kind: 'mfa_factor_enrolled_notification',
        recipient: email,
        subject: 'A new verification method was added to your account',
      },
      {
        kind: 'mfa_factor_unenrolled_notification',
        recipient: email,
        subject: 'A verification method was removed from your account',
      },
      { kind: 'email_changed_notification', recipient: email, subject: 'Your email address was changed' },
    ])
    const texts = notices.map(({ body }) => body)
    expect(texts[1]).toContain('phone was linked as a new sign-in method')
    expect(texts[2]).toContain(`was changed from ${phones[0]} to ${phones[1]}`)
    expect(texts[3]).toContain('custom:oidc was linked')
    expect(texts[4]).toContain(`custom:oidc was removed as a sign-in method of ${email}`)
    expect(texts[5]).toContain('The verification method totp was added')
    expect(texts[6]).toContain('The verification method totp was removed')
    expect(texts[7]).toContain(`was changed from ${email} to ${newEmail}`)
    for (const text of texts) expect(text).not.toMatch(/Good once|Code:|undefined|\{\{/)
  })

  test('a removed identity whose address was the account’s is told to that address', async () => {
    const login = randomUUID().slice(0, 8)
    const address = `${login}@example.org`
    provider.people.set(login, { email: address, email_verified: true })
    const client = await openRealClient(app)
    const { fragment } = await signInAt(app, provider, login)
    const { data } = await client.auth.setSession({
      access_token: fragment['access_token'] ?? '',
      refresh_token: fragment['refresh_token'] ?? '',
    })
    const id = data.user?.id ?? ''
    const other = randomUUID().slice(0, 8)
    provider.people.set(other, { email: `${other}@example.org`, email_verified: true })
    const { data: linking } = await client.auth.linkIdentity({ provider: 'custom:oidc' })
    const linked = await comeBack(app, await provider.signIn(linking.url ?? '', other))
    expect((await client.auth.exchangeCodeForSession(linked.query['code'] ?? '')).error).toBeNull()
    const { data: all } = await client.auth.getUserIdentities()
    const first = all?.identities.find((one) => one.identity_data?.['email'] === address)
    if (!first) throw new Error('the first identity is not there')
    expect((await client.auth.unlinkIdentity(first)).error).toBeNull()
    const unlinked = (await noticesOf(id)).filter(({ kind }) => kind === 'identity_unlinked_notification')
    expect(unlinked.map(({ recipient }) => recipient)).toEqual([address])
    expect(unlinked[0]?.body).toContain(address)
  })

  test('signing in with a factor and removing one that never counted tell nothing', async () => {
    const { id, client } = await openMember(app)
    const { data: unverified } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'never used' })
    expect((await client.auth.mfa.unenroll({ factorId: unverified?.id ?? '' })).error).toBeNull()
    expect(await kindsOf(id)).toEqual([])
    const enrolled = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'app' })
    const { id: factorId, totp } = enrolled.data as { id: string; totp: { secret: string } }
    for (let times = 0; times < 2; times += 1) {
      const code = totpCode(totp.secret, totpStepAt(world.nowMs))
      expect((await client.auth.mfa.challengeAndVerify({ factorId, code })).error).toBeNull()
      world.nowMs += 60_000
    }
    expect(await kindsOf(id)).toEqual(['mfa_factor_enrolled_notification'])
  })

  test('what fails is not told', async () => {
    const { id, client } = await openMember(app)
    expect((await client.auth.updateUser({ password: 'x' })).error).toMatchObject({ code: 'weak_password' })
    const phone = newPhone()
    expect((await client.auth.updateUser({ phone })).error).toBeNull()
    expect((await client.auth.verifyOtp({ phone, token: '000000', type: 'phone_change' })).error).not.toBeNull()
    const { data } = await client.auth.getUserIdentities()
    const [only] = data?.identities ?? []
    if (!only) throw new Error('there is no identity')
    expect((await client.auth.unlinkIdentity(only)).error).toMatchObject({ code: 'single_identity_not_deletable' })
    const { data: factor } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'app' })
    const attempt = await client.auth.mfa.challengeAndVerify({ factorId: factor?.id ?? '', code: '000000' })
    expect(attempt.error).not.toBeNull()
    expect(await kindsOf(id)).toEqual([])
  })

  test('a change that is rolled back after the mail was written is not announced', async () => {
    const { id, client } = await openMember(app)
    await world.db.pool.execute(sql`
      create function public.refuse_commit() returns trigger language plpgsql as
        $$ begin raise exception 'not today'; end $$
    `)
    await world.db.pool.execute(sql`
      create constraint trigger refuse_commit after update on auth.users
        deferrable initially deferred for each row execute function public.refuse_commit()
    `)
    try {
      const { error } = await client.auth.updateUser({ password: `${PASSWORD} anew` })
      expect(error).toMatchObject({ status: 500 })
    } finally {
      await world.db.pool.execute(sql`drop function public.refuse_commit() cascade`)
    }
    expect(await kindsOf(id)).toEqual([])
    expect((await client.auth.updateUser({ password: `${PASSWORD} anew` })).error).toBeNull()
    expect(await kindsOf(id)).toEqual(['password_changed_notification'])
  })

  test('an account gets so many in an hour, and changes go on', async () => {
    const { id, client } = await openMember(app)
    for (let times = 0; times <= NOTICES_PER_HOUR_MAX; times += 1) {
      expect((await client.auth.updateUser({ password: `${PASSWORD} ${times}` })).error).toBeNull()
    }
    expect(await noticesOf(id)).toHaveLength(NOTICES_PER_HOUR_MAX)
  })
})

test('nothing is told where nothing was switched on, which is the default', async () => {
  const { id } = await changeEverything(silent)
  expect(await kindsOf(id)).toEqual([])
})

test('a template of the project gets the variables of GoTrue, escaped', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-notices-'))
  try {
    const file = join(folder, 'changed.html')
    const names = ['Email', 'OldEmail', 'Phone', 'OldPhone', 'Provider', 'FactorType', 'SiteURL', 'Data.name']
    await writeFile(file, names.map((name) => `<i title="{{ .${name} }}">${name}={{ .${name} }}</i>`).join('\n'))
    const own = await world.openApp({
      ...BASE,
      ...ALL_ON,
      siteUrl: 'https://app.example.org',
      emailNotificationPasswordChangedSubject: 'Changed for {{ .Data.name }}',
      emailNotificationPasswordChangedContentPath: file,
    })
    const { id, email, client } = await openMember(own)
    const name = '"><script>alert(1)</script>\r\nBcc: all@example.org'
    expect((await client.auth.updateUser({ data: { name } })).error).toBeNull()
    expect((await client.auth.updateUser({ password: `${PASSWORD} anew` })).error).toBeNull()
    const [notice] = await noticesOf(id)
    expect(notice?.html).not.toMatch(/<script/)
    expect(notice?.html).toContain('&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(notice?.html).toContain(`Email=${email}</i>`)
    expect(notice?.html).toContain('OldEmail=</i>')
    expect(notice?.html).toContain('SiteURL=https://app.example.org</i>')
    expect(notice?.subject).toBe('Changed for "><script>alert(1)</script> Bcc: all@example.org')
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('goes through the mail server, and one that refuses everything fails no change', async () => {
  const server = await openSmtpServer()
  try {
    const sending = await world.openApp({ ...BASE, ...ALL_ON, emailSmtpHost: '127.0.0.1', emailSmtpPort: server.port })
    const { id, email, client } = await openMember(sending)
    expect((await client.auth.updateUser({ password: `${PASSWORD} one` })).error).toBeNull()
    await expect.poll(async () => (await noticesOf(id)).map(({ status }) => status)).toEqual(['sent'])
    server.refusal = { code: 554, message: 'no' }
    expect((await client.auth.updateUser({ password: `${PASSWORD} two` })).error).toBeNull()
    await expect
      .poll(async () => (await noticesOf(id)).map(({ status }) => status).toSorted())
      .toEqual(['failed', 'sent'])
    expect(server.received.map(({ to }) => to)).toEqual([[email]])
    expect(server.received[0]?.source).toContain('Subject: Your password was changed')
  } finally {
    await server[Symbol.asyncDispose]()
  }
})

test('is handed to the send_email hook after the change, which a failing hook does not undo', async () => {
  let isBroken = true
  const hook = await openHttpListener((request) =>
    isBroken
      ? { status: 400, body: { error: { http_code: 400, message: 'no' } } }
      : { body: {}, headers: { 'x-for': request.path } },
  )
  try {
    const hooked = await world.openApp({
      ...BASE,
      ...ALL_ON,
      hookSendEmailUri: hook.url,
      hookSendEmailSecrets: `v1,whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    })
    const { id, email, client } = await openMember(hooked)
    expect((await client.auth.updateUser({ password: `${PASSWORD} one` })).error).toBeNull()
    // Once its failure is recorded: until then its next attempt is counted from a later clock.
    const failed = sql`select from auth.messages where user_id = ${id} and kind like '%notification' and last_error is not null`
    await expect.poll(() => world.db.pool.query(failed)).toHaveLength(1)
    isBroken = false
    // The hook is asked again after a while; by then the clock is ahead.
    world.nowMs += 3600_000 * 2
    await expect.poll(async () => (await noticesOf(id)).map(({ status }) => status)).toEqual(['sent'])
    const last = JSON.parse(hook.requests.at(-1)?.body ?? '{}') as object
    expect(last).toMatchObject({
      user: { id, email },
      email_data: {
        email_action_type: 'password_changed_notification',
        token: '',
        token_hash: '',
        old_email: '',
        old_phone: '',
        provider: '',
        factor_type: '',
      },
    })
  } finally {
    await hook[Symbol.asyncDispose]()
  }
})
