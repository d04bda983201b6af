import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { readMail } from '../mailbox.ts'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'
import { type OidcProvider, openOidcProvider } from '../open-oidc-provider.ts'
import { makeKnown, signInAt } from '../visit-provider.ts'

// Whoever makes an account with the address of another person waits for that person to come.

let world: AuthWorld
let app: AuthApp
/** The same database; new addresses have to be confirmed. */
let strict: AuthApp
let provider: OidcProvider

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp()
  strict = await world.openApp({ emailEnableConfirmations: true, emailMaxFrequency: 0 })
  provider = await openOidcProvider()
  await makeKnown(app, provider)
})

afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const newLogin = (claims: object): string => {
  const login = crypto.randomUUID().slice(0, 8)
  provider.people.set(login, { email_verified: true, name: 'Ada', ...claims })
  return login
}

const userOf = async (accessToken: string | undefined): Promise<Readonly<Record<string, unknown>>> => {
  const { status, body } = await app.call({ url: '/user', token: accessToken })
  expect(status).toBe(200)
  return body as unknown as Readonly<Record<string, unknown>>
}

test('an unconfirmed account keeps no passkey, factor, number or flow of its maker', async () => {
  const maker = await app.signUp()
  const email = `${crypto.randomUUID()}@example.org`
  await world.db.pool.execute(sql`
    update auth.users
       set email = ${email}, email_confirmed_at = null, phone = ${String(Date.now())}, phone_confirmed_at = now(),
           email_change = 'trap@example.org'
     where id = ${maker.user.id}
  `)
  await world.db.pool.execute(sql`
    insert into auth.webauthn_credentials (user_id, credential_id, public_key) values (${maker.user.id}, 'trap', 'trap')
  `)
  await world.db.pool.execute(sql`
    insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
    values (gen_random_uuid(), ${maker.user.id}, 'totp', 'verified', now(), now())
  `)
  const { fragment } = await signInAt(strict, provider, newLogin({ email }))
  const user = await userOf(fragment['access_token'])
  expect(user).toMatchObject({ id: maker.user.id, email, phone: '', identities: [{ provider: 'custom:oidc' }] })
  expect(user).not.toHaveProperty('factors')
  expect(user).not.toHaveProperty('new_email')
  expect(
    await world.db.pool.query(sql`select from auth.webauthn_credentials where user_id = ${maker.user.id}`),
  ).toEqual([])
})

test('whoever confirms an address by mail is not followed by who only claimed it at a provider', async () => {
  const email = `${crypto.randomUUID()}@example.org`
  const login = newLogin({ email, email_verified: false })
  await signInAt(strict, provider, login)
  world.nowMs += 60_000
  await strict.call({ method: 'POST', url: '/signup', payload: { email, password: PASSWORD } })
  const { tokenHash } = await readMail(world, email)
  const payload = { type: 'signup', token_hash: tokenHash }
  const { body } = await strict.call({ method: 'POST', url: '/verify', payload })
  expect(body.user).toMatchObject({ email, identities: [{ provider: 'email' }] })
  expect((await signInAt(strict, provider, login)).query).toMatchObject({
    error_code: 'provider_email_needs_verification',
  })
})

test('an address that only a provider has told of an account does not lead into it', async () => {
  await makeKnown(app, provider, { identifier: 'custom:optional', email_optional: true })
  const email = `${crypto.randomUUID()}@example.org`
  const { user: first } = await app.signUp(email)
  const login = newLogin({ email, email_verified: false })
  const { fragment } = await signInAt(app, provider, login, { provider: 'custom:optional' })
  expect(await userOf(fragment['access_token'])).toMatchObject({ email: '' })
  await world.db.pool.execute(sql`update auth.users set email = 'elsewhere@example.org' where id = ${first.id}`)
  await world.db.pool.execute(sql`delete from auth.identities where user_id = ${first.id}`)
  expect(await app.call({ method: 'POST', url: '/signup', payload: { email, password: PASSWORD } })).toMatchObject({
    status: 422,
    body: { code: 'user_already_exists' },
  })
})
