import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { type AuthApp, type AuthWorld, openAuthWorld } from '../open-auth-world.ts'

let world: AuthWorld
let app: AuthApp
let key: string

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp({ siteUrl: 'https://app.example.org' })
  key = app.auth.apiKeys.serviceRole
})

afterAll(() => world[Symbol.asyncDispose]())

interface Link {
  readonly id: string
  readonly action_link: string
  readonly hashed_token: string
  readonly email_otp: string
  readonly verification_type: string
  readonly redirect_to: string
  readonly code?: string
  readonly message?: string
}

async function post(url: string, payload: object) {
  const { status, body } = await app.call({ method: 'POST', url, payload, token: key })
  return { status, body: body as unknown as Link & Readonly<Record<string, unknown>> }
}

function generate(payload: object) {
  return post('/admin/generate_link', payload)
}

function newAddress(): string {
  return `${crypto.randomUUID()}@example.org`
}

async function tokensOf(userId: string) {
  return world.db.pool.query<{ token_type: string; token_hash: string; relates_to: string }>(
    sql`select token_type, token_hash, relates_to from auth.one_time_tokens where user_id = ${userId} order by token_type`,
  )
}

describe('A link for an administrator to deliver', () => {
  test.each(['recovery', 'email_change_current', 'email_change_new'])(
    'is refused for an address without an account: %s',
    async (type) => {
      expect(await generate({ type, email: newAddress(), new_email: newAddress() })).toMatchObject({
        status: 404,
        body: { code: 'user_not_found', message: 'User with this email not found' },
      })
    },
  )

  test.each(['signup', 'invite'])('is refused for an address that is confirmed: %s', async (type) => {
    const email = newAddress()
    await app.signUp(email)
    expect(await generate({ type, email, password: 'a good password' })).toMatchObject({
      status: 422,
      body: { code: 'email_exists' },
    })
  })

  test('is refused for a kind that there is not, a weak password, and an address of another user', async () => {
    const email = newAddress()
    const taken = newAddress()
    await app.signUp(email)
    await app.signUp(taken)
    expect(await generate({ type: 'sms', email })).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(await generate({ type: 'signup', email: newAddress(), password: 'short' })).toMatchObject({
      status: 422,
      body: { code: 'weak_password' },
    })
    expect(await generate({ type: 'signup', email: newAddress() })).toMatchObject({
      status: 400,
      body: { message: 'Signup requires a valid password' },
    })
    expect(await generate({ type: 'email_change_new', email, new_email: taken })).toMatchObject({
      status: 422,
      body: { code: 'email_exists' },
    })
  })

  test('to the present address needs changes to be confirmed from both', async () => {
    await using single = await world.openApp({ emailDoubleConfirmChanges: false })
    const email = newAddress()
    await app.signUp(email)
    const payload = { type: 'email_change_current', email, new_email: newAddress() }
    const answer = await single.call({ method: 'POST', url: '/admin/generate_link', payload, token: key })
    expect(answer).toMatchObject({
      status: 400,
      body: { message: 'Enable secure email change to generate link for current email' },
    })
  })

  test('signs up who has no account, with their password, and waits for the link', async () => {
    const email = newAddress()
    const { status, body } = await generate({ type: 'signup', email, password: 'a good password', data: { a: 1 } })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      email,
      user_metadata: { a: 1 },
      verification_type: 'signup',
      redirect_to: 'https://app.example.org',
    })
    expect(body.email_otp).toMatch(/^\d{6}$/)
    const link = new URL(body.action_link)
    expect(link.pathname).toBe('/auth/v1/verify')
    expect(Object.fromEntries(link.searchParams)).toEqual({
      token: body.hashed_token,
      type: 'signup',
      redirect_to: 'https://app.example.org',
    })
    expect(await tokensOf(body.id)).toEqual([
      { token_type: 'confirmation_token', token_hash: body.hashed_token, relates_to: email },
    ])
  })

  test('to sign in becomes a sign-up for who has no account', async () => {
    const { body } = await generate({ type: 'magiclink', email: newAddress() })
    expect(body.verification_type).toBe('signup')
    expect((await tokensOf(body.id)).map((token) => token.token_type)).toEqual(['confirmation_token'])
  })

  test.each(['magiclink', 'recovery'])('leads where it may lead, and nowhere else: %s', async (type) => {
    const email = newAddress()
    const { user } = await app.signUp(email)
    const there = await generate({ type, email, redirect_to: 'https://app.example.org/welcome' })
    expect(there.body).toMatchObject({ verification_type: type, redirect_to: 'https://app.example.org/welcome' })
    const elsewhere = await generate({ type, email, redirect_to: 'https://evil.example.com' })
    expect(elsewhere.body.redirect_to).toBe('https://app.example.org')
    expect(await tokensOf(user.id)).toEqual([
      { token_type: 'recovery_token', token_hash: elsewhere.body.hashed_token, relates_to: email },
    ])
  })

  test('for a change of address is made for each address on its own', async () => {
    const email = newAddress()
    const newEmail = newAddress()
    const { user } = await app.signUp(email)
    const current = await generate({ type: 'email_change_current', email, new_email: newEmail })
    const next = await generate({ type: 'email_change_new', email, new_email: newEmail })
    expect(next.body).toMatchObject({ new_email: newEmail })
    expect(new URL(next.body.action_link).searchParams.get('type')).toBe('email_change')
    expect(await tokensOf(user.id)).toEqual([
      { token_type: 'email_change_token_new', token_hash: next.body.hashed_token, relates_to: newEmail },
      { token_type: 'email_change_token_current', token_hash: current.body.hashed_token, relates_to: email },
    ])
  })

  test('is never mailed', async () => {
    const email = newAddress()
    await generate({ type: 'invite', email })
    expect(await world.db.pool.query(sql`select from auth.messages where recipient = ${email}`)).toEqual([])
  })
})

describe('A support link', () => {
  const LIMIT_S = 600

  async function openSupport(email: string) {
    const { body } = await generate({ type: 'magiclink', email, support_seconds: LIMIT_S })
    const { hashed_token: tokenHash } = body
    const payload = { type: 'magiclink', token_hash: tokenHash }
    const { body: session } = await app.call({ method: 'POST', url: '/verify', payload })
    return session as unknown as {
      access_token: string
      refresh_token: string
      expires_in: number
      user: { id: string }
    }
  }

  test('starts a session that its user sees as support, and that ends', async () => {
    const email = newAddress()
    await app.signUp(email)
    const session = await openSupport(email)
    expect(session.expires_in).toBe(LIMIT_S)
    const { body } = await app.call({ method: 'GET', url: '/user/sessions', token: session.access_token })
    const sessions = body as unknown as readonly { tag: string | null; not_after: string | null }[]
    expect(sessions.filter(({ tag }) => tag === 'support').map(({ not_after: end }) => end)).toEqual([
      new Date(world.nowMs + LIMIT_S * 1_000).toISOString(),
    ])
    expect(sessions.filter(({ tag }) => tag === null).map(({ not_after: end }) => end)).toEqual([null])

    world.nowMs += (LIMIT_S - 60) * 1_000
    const refreshed = await app.refresh(session.refresh_token)
    expect(refreshed).toMatchObject({ status: 200, body: { expires_in: 60 } })
    world.nowMs += 60_000
    expect(await app.refresh(refreshed.body.refresh_token)).toMatchObject({
      status: 400,
      body: { code: 'session_expired' },
    })
  })

  test('has the limit also by its code, and by the address in the browser', async () => {
    const email = newAddress()
    await app.signUp(email)
    const { body: first } = await generate({ type: 'magiclink', email, support_seconds: LIMIT_S })
    const payload = { type: 'email', email, token: first.email_otp }
    expect((await app.call({ method: 'POST', url: '/verify', payload })).body).toMatchObject({ expires_in: LIMIT_S })
    const { body: second } = await generate({ type: 'magiclink', email, support_seconds: LIMIT_S })
    const { pathname, search } = new URL(second.action_link)
    const { headers } = await app.call({ method: 'GET', url: pathname.replace('/auth/v1', '') + search })
    expect(String(headers['location'])).toContain(`expires_in=${LIMIT_S}`)
  })

  test('is for a user with a confirmed address, by a magic link, within bounds', async () => {
    const email = newAddress()
    await app.signUp(email)
    const refused = { status: 400, body: { code: 'validation_failed' } }
    expect(await generate({ type: 'recovery', email, support_seconds: LIMIT_S })).toMatchObject(refused)
    expect(await generate({ type: 'magiclink', email: newAddress(), support_seconds: LIMIT_S })).toMatchObject(refused)
    expect(await generate({ type: 'magiclink', email, support_seconds: 1 })).toMatchObject({ status: 400 })
    await world.db.pool.execute(sql`update auth.users set email_confirmed_at = null where email = ${email}`)
    expect(await generate({ type: 'magiclink', email, support_seconds: LIMIT_S })).toMatchObject(refused)
  })
})

describe('An invitation', () => {
  test('is refused for an address that is confirmed, and for a text that is none', async () => {
    const email = newAddress()
    await app.signUp(email)
    expect(await post('/invite', { email })).toMatchObject({ status: 422, body: { code: 'email_exists' } })
    expect(await post('/invite', { email: 'nobody' })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    })
    expect(await post('/invite', {})).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  })

  test('goes out by mail, and again to who has not come', async () => {
    const email = newAddress()
    const redirect = encodeURIComponent('https://app.example.org/welcome')
    const first = await post(`/invite?redirect_to=${redirect}`, { email, data: { team: 'blue' } })
    expect(first).toMatchObject({ status: 200, body: { email, user_metadata: { team: 'blue' } } })
    expect(first.body['invited_at']).toBeDefined()
    expect(first.body['email_confirmed_at']).toBeUndefined()
    expect((await post('/invite', { email })).body.id).toBe(first.body.id)
    const mails = await world.db.pool.query<{ kind: string; variables: Readonly<Record<string, unknown>> }>(
      sql`select kind, variables from auth.messages where recipient = ${email} order by created_at, id`,
    )
    expect(mails.map(({ kind }) => kind)).toEqual(['invite', 'invite'])
    const [token] = await tokensOf(first.body.id)
    const hashes = mails.map(({ variables }) => variables['tokenHash'])
    expect(new Set(hashes).size).toBe(2)
    expect(hashes).toContain(token?.token_hash)
    expect(mails.map(({ variables }) => variables['redirectTo'])).toContain('https://app.example.org/welcome')
  })
})
