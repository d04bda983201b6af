import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { type AdminApi, type AdminBody, newAddress, openAdminApi } from '../call-as-admin.ts'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'

const NOBODYS_ID = '00000000-0000-4000-8000-000000000000'

let world: AuthWorld
let app: AuthApp
let admin: AdminApi['call']
let createAccount: AdminApi['createAccount']

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp({ smsEnableSignup: true })
  const api = await openAdminApi(app)
  admin = api.call
  createAccount = api.createAccount
})

afterAll(() => world[Symbol.asyncDispose]())

describe('Second factors of others', () => {
  async function addFactor(userId: string, name: string): Promise<string> {
    const id = crypto.randomUUID()
    await world.db.pool.execute(sql`
      insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, secret, created_at, updated_at)
      values (${id}, ${userId}, ${name}, 'totp', 'verified', 'SECRET', now(), now())
    `)
    return id
  }

  test('are refused by ids that name none of theirs', async () => {
    const { id } = await createAccount()
    const other = await createAccount()
    const factorId = await addFactor(other.id, 'phone')
    expect((await admin('DELETE', `/admin/users/${id}/factors/abc`)).status).toBe(404)
    expect(await admin('DELETE', `/admin/users/${id}/factors/${factorId}`)).toMatchObject({
      status: 404,
      body: { code: 'mfa_factor_not_found' },
    })
  })

  test('are listed without their secrets, renamed and taken away, and sessions fall back', async () => {
    const { user, access_token: token } = await app.signUp()
    const factorId = await addFactor(user.id, 'phone')
    await world.db.pool.execute(
      sql`update auth.sessions set aal = 'aal2', factor_id = ${factorId} where user_id = ${user.id}`,
    )
    const listed = await admin('GET', `/admin/users/${user.id}/factors`)
    expect(listed.body).toMatchObject([{ id: factorId, friendly_name: 'phone', status: 'verified' }])
    expect(JSON.stringify(listed.body)).not.toContain('SECRET')
    const renamed = await admin('PUT', `/admin/users/${user.id}/factors/${factorId}`, { friendly_name: 'old phone' })
    expect(renamed.body['friendly_name']).toBe('old phone')
    expect((await admin('DELETE', `/admin/users/${user.id}/factors/${factorId}`)).body.id).toBe(factorId)
    expect((await admin('GET', `/admin/users/${user.id}/factors`)).body).toEqual([])
    const [session] = await world.db.pool.query(
      sql`select aal, factor_id from auth.sessions where user_id = ${user.id}`,
    )
    expect(session).toEqual({ aal: 'aal1', factor_id: null })
    expect((await app.call({ method: 'GET', url: '/user', token })).status).toBe(200)
  })
})

describe('Passkeys of others', () => {
  test('are listed and taken away', async () => {
    const { id } = await createAccount()
    const passkeyId = crypto.randomUUID()
    await world.db.pool.execute(sql`
      insert into auth.webauthn_credentials (id, user_id, credential_id, public_key, friendly_name)
      values (${passkeyId}, ${id}, ${Buffer.from(passkeyId)}, '\\x00', 'laptop')
    `)
    expect((await admin('GET', `/admin/users/${id}/passkeys`)).body).toMatchObject([
      { id: passkeyId, friendly_name: 'laptop' },
    ])
    expect((await admin('DELETE', `/admin/users/${id}/passkeys/${NOBODYS_ID}`)).status).toBe(404)
    expect((await admin('DELETE', `/admin/users/${id}/passkeys/${passkeyId}`)).status).toBe(204)
    expect((await admin('GET', `/admin/users/${id}/passkeys`)).body).toEqual([])
  })
})

describe('Sessions of others', () => {
  test('are listed, and ended one by one or all at once', async () => {
    const email = newAddress()
    const { user } = await app.signUp(email)
    const second = (await app.signIn(email, PASSWORD)).body
    const list = async () =>
      (await admin('GET', `/admin/users/${user.id}/sessions`)).body as unknown as readonly AdminBody[]
    const before = await list()
    expect(before).toHaveLength(2)
    const other = await createAccount()
    const [one] = before
    expect(await admin('DELETE', `/admin/users/${other.id}/sessions/${one?.id}`)).toMatchObject({
      status: 404,
      body: { code: 'session_not_found' },
    })
    expect((await admin('DELETE', `/admin/users/${user.id}/sessions/${one?.id}`)).status).toBe(204)
    expect(await list()).toHaveLength(1)
    expect((await admin('DELETE', `/admin/users/${user.id}/sessions`)).status).toBe(204)
    expect(await list()).toEqual([])
    expect((await app.refresh(second.refresh_token)).status).toBe(400)
  })
})

describe('The audit log', () => {
  test('refuses to search a field that is no part of an entry', async () => {
    expect(await admin('GET', '/admin/audit?query=ip:1')).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', message: 'Invalid query scope: ip:1' },
    })
  })

  test('names the administrator and what they did, the newest first, and finds it by action', async () => {
    world.nowMs += 1000
    const account = await createAccount()
    world.nowMs += 1000
    await admin('PUT', `/admin/users/${account.id}`, { role: 'editor' })
    world.nowMs += 1000
    await admin('DELETE', `/admin/users/${account.id}`)
    const read = async (query: string) => {
      const answer = await admin('GET', `/admin/audit?${query}`)
      return { ...answer, entries: answer.body as unknown as readonly { readonly payload: Record<string, unknown> }[] }
    }
    const all = await read('page=1&per_page=3')
    expect(all.entries.map(({ payload }) => payload['action'])).toEqual([
      'user_deleted',
      'user_modified',
      'user_signedup',
    ])
    expect(all.entries[0]?.payload).toMatchObject({
      actor_id: '00000000-0000-0000-0000-000000000000',
      actor_username: 'service_role',
      log_type: 'team',
      traits: { user_id: account.id, user_email: account.email },
    })
    expect(Number(all.headers['x-total-count'])).toBeGreaterThan(2)
    const found = await read('query=action:user_del')
    expect(new Set(found.entries.map(({ payload }) => payload['action']))).toEqual(new Set(['user_deleted']))
    expect((await read('query=author:SERVICE_ROLE&per_page=1')).entries).toHaveLength(1)
  })
})
