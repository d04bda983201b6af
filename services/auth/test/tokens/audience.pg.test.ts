import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'

let world: AuthWorld

beforeAll(async () => {
  world = await openAuthWorld()
  await world.db.pool.execute(sql`
    create schema hooks
  `)
  await world.db.pool.execute(sql`
    create function hooks.for_reports(event jsonb) returns jsonb language sql as
      $$ select jsonb_build_object('claims', event -> 'claims' || '{"aud":"reports"}') $$
  `)
  await world.db.pool.execute(sql`grant usage on schema hooks to supabase_auth_admin`)
})
afterAll(() => world[Symbol.asyncDispose]())

const forReports = { hookCustomAccessTokenUri: 'pg-functions://postgres/hooks/for_reports' }

test('an account that came with another audience gets a token that this server accepts', async () => {
  await using app = await world.openApp()
  const email = 'moved@example.org'
  await app.signUp(email)
  await world.db.pool.execute(sql`update auth.users set aud = 'elsewhere' where email = ${email}`)
  const { body } = await app.signIn(email, PASSWORD)
  expect(await app.auth.verifyToken(body.access_token ?? '')).toMatchObject({ aud: 'authenticated' })
})

test('another audience may be accepted in place of the usual one', async () => {
  await using app = await world.openApp({ jwtAudiences: ['reports'] })
  const { access_token: token } = await app.signUp()
  expect(await app.auth.verifyToken(token)).toMatchObject({ aud: 'reports' })
  await using usual = await world.openApp()
  await expect(usual.auth.verifyToken(token)).rejects.toMatchObject({ code: 'foreign_audience' })
  await using any = await world.openApp({ jwtAudiences: [] })
  expect(await any.auth.verifyToken(token)).toMatchObject({ aud: 'reports' })
})

test('a hook that sets an audience which no API accepts is told so, instead of leaving a session without use', async () => {
  await using app = await world.openApp(forReports)
  const email = 'hooked@example.org'
  const refused = await app.call({ method: 'POST', url: '/signup', payload: { email, password: PASSWORD } })
  expect(refused.status).toBe(500)
  expect(JSON.stringify(refused.body)).toContain('jwtAudiences')
  await using told = await world.openApp({ ...forReports, jwtAudiences: ['authenticated', 'reports'] })
  expect(await told.auth.verifyToken((await told.signUp()).access_token)).toMatchObject({ aud: 'reports' })
})
