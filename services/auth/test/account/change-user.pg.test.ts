import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD, type SessionBody } from '../open-auth-world.ts'

let world: AuthWorld
let app: AuthApp

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp()
})

beforeEach(() => {
  world.nowMs = Date.now()
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

describe('changing oneself', () => {
  const put = (token: string, payload: object) => app.call({ method: 'PUT', url: '/user', token, payload })

  test('merges metadata, drops null entries, and refuses fields that only administrators set', async () => {
    const { access_token: token } = await app.signUp()
    await put(token, { data: { name: 'Ada', team: 'north' } })
    const { body } = await put(token, { data: { team: null, tall: true } })
    expect(body).toMatchObject({ user_metadata: { name: 'Ada', tall: true } })
    expect((body as SessionBody['user']).user_metadata).not.toHaveProperty('team')
    expect(await put(token, { app_metadata: { role: 'admin' } })).toMatchObject({
      status: 403,
      body: { code: 'not_admin' },
    })
  })

  test('never lets metadata become claims of its own', async () => {
    const { access_token: token, refresh_token: refreshToken } = await app.signUp()
    await put(token, { data: { role: 'service_role', sub: 'x', aal: 'aal2', app_metadata: { role: 'admin' } } })
    const claims = await app.auth.verifyToken((await app.refresh(refreshToken)).body.access_token ?? '')
    expect(claims).toMatchObject({
      role: 'authenticated',
      aal: 'aal1',
      app_metadata: { provider: 'email', providers: ['email'] },
    })
  })

  test('of the password signs out the other sessions and not this one', async () => {
    const here = await app.signUp('password@example.org')
    const signIn = (password: string) =>
      app.call({
        method: 'POST',
        url: '/token?grant_type=password',
        payload: { email: 'password@example.org', password },
      })
    const there = await signIn(PASSWORD)
    expect(await put(here.access_token, { password: PASSWORD })).toMatchObject({
      status: 422,
      body: { code: 'same_password' },
    })
    expect(await put(here.access_token, { password: 'abc' })).toMatchObject({
      status: 422,
      body: { code: 'weak_password' },
    })
    expect(await put(here.access_token, { password: 'a better password' })).toMatchObject({ status: 200 })
    expect((await app.refresh(there.body.refresh_token)).body).toMatchObject({ code: 'refresh_token_not_found' })
    expect(await app.call({ url: '/user', token: there.body.access_token as string })).toMatchObject({
      status: 403,
      body: { code: 'session_not_found' },
    })
    expect((await app.refresh(here.refresh_token)).status).toBe(200)
    expect((await signIn(PASSWORD)).body).toMatchObject({ code: 'invalid_credentials' })
    expect((await signIn('a better password')).status).toBe(200)
  })

  test('of the address takes one that is free, once it is proven', async () => {
    await app.signUp('taken@example.org')
    const { access_token: token } = await app.signUp('before@example.org')
    expect(await put(token, { email: 'Taken@example.org' })).toMatchObject({
      status: 422,
      body: { code: 'email_exists' },
    })
    expect(await put(token, { email: 'After@example.org' })).toMatchObject({
      status: 200,
      body: { email: 'before@example.org', new_email: 'after@example.org' },
    })
    const [mail] = await world.db.pool.query<{ token_hash: string }>(sql`
      select variables ->> 'tokenHash' as token_hash from auth.messages where kind = 'email_change' and recipient = 'before@example.org'
    `)
    const payload = { type: 'email_change', token_hash: mail?.token_hash }
    expect(await app.call({ method: 'POST', url: '/verify', payload })).toMatchObject({
      status: 200,
      body: {
        user: {
          email: 'after@example.org',
          identities: [{ email: 'after@example.org', identity_data: { email: 'after@example.org' } }],
        },
      },
    })
    expect(await app.signUp('before@example.org')).toBeDefined()
  })

  test('with a second factor needs it for password and address', async () => {
    const { access_token: token, user } = await app.signUp()
    await world.db.pool.execute(sql`
      insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
      values (gen_random_uuid(), ${user.id}, 'totp', 'verified', now(), now())
    `)
    expect(await put(token, { password: 'a better password' })).toMatchObject({
      status: 401,
      body: { code: 'insufficient_aal' },
    })
    expect(await put(token, { data: { name: 'Ada' } })).toMatchObject({
      status: 200,
      body: { factors: [{ factor_type: 'totp' }] },
    })
  })
})
