import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPool, sql } from '@holdfast/postgres'
import { type AuthApp, type AuthWorld, openAuthWorld } from './open-auth-world.ts'

// `supabase db dump --data-only` of a project, loaded as it stands into a database of ours, by the role that projects act as: who was signed in there is signed in
// here.

const PASSWORD = 'dumped password'

/** Some minutes after the dump. */
const NOW_MS = Date.parse('2025-11-02T08:05:00Z')

let world: AuthWorld
let app: AuthApp

beforeAll(async () => {
  world = await openAuthWorld()
  world.nowMs = NOW_MS
  await using project = createPool({ url: world.db.projectUrl, applicationName: 'test project', connectionsMax: 1 })
  await project.execute(sql`
    create table public.notes (id bigint primary key, owner uuid not null references auth.users on delete cascade, body text)
  `)
  const dump = readFileSync(new URL('./supabase-dump.sql', import.meta.url), 'utf8')
  await project.withClient((client) => client.query(dump))
  app = await world.openApp({ smsEnableSignup: true, emailEnableConfirmations: true })
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

test('its people sign in with their passwords', async () => {
  expect(await app.signIn('mara@example.com', PASSWORD)).toMatchObject({
    status: 200,
    body: {
      user: {
        id: 'a5b0c1d2-0000-4000-8000-000000000001',
        user_metadata: { name: 'Mara' },
        app_metadata: { providers: ['email', 'google'] },
        identities: [{ provider: 'email' }, { provider: 'google', id: '107391823456789012345' }],
        factors: [{ factor_type: 'totp', status: 'verified' }],
      },
    },
  })
  const byPhone = await app.call({
    method: 'POST',
    url: '/token?grant_type=password',
    payload: { phone: '+49 170 1234567', password: PASSWORD },
  })
  expect(byPhone).toMatchObject({ status: 200, body: { user: { phone: '491701234567' } } })
})

test('who could not sign in there cannot here', async () => {
  expect((await app.signIn('lin@example.com', PASSWORD)).body).toMatchObject({ code: 'email_not_confirmed' })
  expect((await app.signIn('banned@example.com', PASSWORD)).body).toMatchObject({ code: 'user_banned' })
  expect((await app.signIn('mara@example.com', 'another')).body).toMatchObject({ code: 'invalid_credentials' })
})

test('their sessions go on, whichever kind of refresh token they hold', async () => {
  const rotated = await app.refresh('vw5p2hq4rt6y')
  expect(rotated).toMatchObject({ status: 200, body: { user: { email: 'mara@example.com' } } })
  expect((await app.refresh(rotated.body.refresh_token)).status).toBe(200)
  const signed = await app.refresh('AKWwwdIAAEAAgAAAAAAAAAMMvy2CmknALWcXdnBF4uTWVb8kr_k')
  expect(signed).toMatchObject({ status: 200, body: { user: { phone: '491701234567' } } })
})

test('a code that was on its way still confirms', async () => {
  const confirmed = await app.call({
    method: 'POST',
    url: '/verify',
    payload: { type: 'signup', email: 'lin@example.com', token: '482913' },
  })
  expect(confirmed).toMatchObject({ status: 200, body: { user: { email: 'lin@example.com' } } })
})

test('what refers to its people goes with them', async () => {
  const count = async (): Promise<object[]> => world.db.pool.query(sql`select count(*)::int as notes from public.notes`)
  expect(await count()).toEqual([{ notes: 1 }])
  await world.db.pool.execute(sql`delete from auth.users where email = 'mara@example.com'`)
  expect(await count()).toEqual([{ notes: 0 }])
})
