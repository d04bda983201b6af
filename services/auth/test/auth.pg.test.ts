import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { type AuthApp, type AuthWorld, openAuthWorld } from './open-auth-world.ts'

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

describe('the service', () => {
  test('signs with the same key after a restart, and agrees with a second server that starts with it', async () => {
    await world.db.pool.execute(sql`delete from auth.signing_keys`)
    const [one, two] = await Promise.all([world.openApp(), world.openApp()])
    expect(one.auth.jwks()).toEqual(two.auth.jwks())
    expect(one.auth.jwks().keys).toHaveLength(1)
    expect(one.auth.jwks().keys[0]).not.toHaveProperty('d')
    const body = await one.signUp('restart@example.org')
    const again = await world.openApp()
    expect(await again.auth.verifyToken(body.access_token)).toMatchObject({ email: 'restart@example.org' })
    expect(again.auth.apiKeys.anon).toBe(one.auth.apiKeys.anon)
    app = again
  })

  test('refuses the role of every superuser, whatever its name', async () => {
    await world.db.pool.execute(sql`create role "Boss" superuser`)
    try {
      const fresh = await world.openApp()
      const { user, refresh_token: token, access_token: before } = await fresh.signUp()
      expect(await fresh.auth.verifyToken(before)).toMatchObject({ role: 'authenticated' })
      await world.db.pool.execute(sql`update auth.users set role = 'Boss' where id = ${user.id}`)
      const { status, body } = await fresh.refresh(token)
      expect(status).toBe(200)
      await expect(fresh.auth.verifyToken(body.access_token ?? '')).rejects.toMatchObject({
        code: 'token_role_refused',
      })
    } finally {
      await world.db.pool.execute(sql`drop role "Boss"`)
    }
  })

  test('limits attempts by address and says when to come back', async () => {
    const limited = await world.openApp({
      rateLimitSignInSignUps: 2,
      rateLimitTokenRefresh: 1,
      rateLimitLoopbackExempt: false,
    })
    const payload = { email: 'no@one.org', password: 'x' }
    const attempt = () => limited.call({ method: 'POST', url: '/token?grant_type=password', payload })
    expect((await attempt()).status).toBe(400)
    expect((await attempt()).status).toBe(400)
    expect(await attempt()).toMatchObject({
      status: 429,
      body: { code: 'over_request_rate_limit' },
      headers: { 'retry-after': '150' },
    })
    expect((await limited.refresh('x')).status).toBe(400)
    expect((await limited.refresh('x')).status).toBe(429)
  })

  test('counts this machine like others once a request shows that a proxy is in front', async () => {
    const sample = await world.openApp({ rateLimitSignInSignUps: 2 })
    const payload = { email: 'no@one.org', password: 'x' }
    const attempt = (headers = {}) =>
      sample.call({ method: 'POST', url: '/token?grant_type=password', payload, headers })
    for (let count = 0; count < 5; count++) expect((await attempt()).status).toBe(400)
    for (let count = 0; count < 2; count++) {
      expect((await attempt({ 'x-forwarded-for': '198.51.100.7' })).status).toBe(400)
    }
    expect((await attempt({ 'x-forwarded-for': '198.51.100.8' })).status).toBe(429)
    expect((await attempt()).status).toBe(429)
  })

  test('publishes its keys for ten minutes, says which ways to sign in there are, and is healthy', async () => {
    const jwks = await app.call({ url: '/.well-known/jwks.json' })
    expect(jwks).toMatchObject({ status: 200, body: { keys: [{ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' }] } })
    expect(jwks.headers['cache-control']).toBe('public, max-age=600')
    expect(JSON.stringify(jwks.body)).not.toContain('"d"')
    expect(await app.call({ url: '/settings' })).toMatchObject({
      body: {
        external: { email: true, phone: false, github: false, anonymous_users: false },
        disable_signup: false,
        mailer_autoconfirm: true,
      },
    })
    expect(await app.call({ url: '/health' })).toMatchObject({ status: 200, body: { name: 'Holdfast Auth' } })
  })

  test('keeps a tampered database from issuing a token that no service accepts', async () => {
    const { user, refresh_token: token } = await app.signUp()
    await world.db.pool.execute(sql`
      update auth.users set raw_user_meta_data = jsonb_build_object('text', repeat('x', 9000)) where id = ${user.id}
    `)
    expect(await app.refresh(token)).toMatchObject({ status: 500, body: { code: 'unexpected_failure' } })
    await world.db.pool.execute(sql`update auth.users set raw_user_meta_data = '{}' where id = ${user.id}`)
    expect((await app.refresh(token)).status).toBe(200)
  })
})
