import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runAs, sql } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { authMigrations } from '../src/migrations.ts'

const ADA = '11111111-1111-4111-8111-111111111111'

let db: TestDatabase

beforeAll(async () => {
  db = await openTestDatabase({ migrations: [authMigrations] })
})

afterAll(async () => {
  await db[Symbol.asyncDispose]()
})

describe('the functions of schema auth', () => {
  const claims = { sub: ADA, role: 'authenticated', email: 'ada@example.org', app_metadata: { team: 'north' } }
  const read = sql`select auth.uid() as uid, auth.role() as role, auth.email() as email, auth.jwt() as jwt`

  test.each(['anon', 'authenticated', 'service_role'])('tell %s what the token says', async (role) => {
    const [row] = await runAs(db.requestPool, { role, claims }, (tx) => tx.query(read))
    expect(row).toEqual({ uid: ADA, role: 'authenticated', email: 'ada@example.org', jwt: claims })
  })

  test('are null without a token, and without the claim', async () => {
    expect(await db.pool.query(read)).toEqual([{ uid: null, role: null, email: null, jwt: null }])
    const [row] = await runAs(db.requestPool, { role: 'anon', claims: { role: 'anon' } }, (tx) => tx.query(read))
    expect(row).toMatchObject({ uid: null, role: 'anon', email: null })
  })

  test('forget the token with the transaction', async () => {
    await runAs(db.requestPool, { role: 'authenticated', claims }, (tx) => tx.query(read))
    expect(
      await db.requestPool.query(sql`select nullif(current_setting('request.jwt.claims', true), '') as claims`),
    ).toEqual([{ claims: null }])
  })
})

describe('the tables of schema auth', () => {
  const tables = [
    'users',
    'identities',
    'sessions',
    'refresh_tokens',
    'mfa_factors',
    'mfa_challenges',
    'mfa_amr_claims',
    'one_time_tokens',
    'flow_state',
    'audit_log_entries',
    'signing_keys',
  ]

  test.each(['anon', 'authenticated'])('are closed to %s', async (role) => {
    for (const table of tables) {
      const read = runAs(db.requestPool, { role, claims: {} }, (tx) =>
        tx.query(sql`select from ${sql.identifier('auth', table)}`),
      )
      await expect(read, table).rejects.toMatchObject({ code: '42501' })
    }
  })

  test('show the service role users and identities and nothing that signs or refreshes', async () => {
    const readable: string[] = []
    for (const table of tables) {
      await runAs(db.requestPool, { role: 'service_role', claims: {} }, (tx) =>
        tx.query(sql`select from ${sql.identifier('auth', table)}`),
      ).then(
        () => readable.push(table),
        (error: unknown) => expect(error).toMatchObject({ code: '42501' }),
      )
    }
    expect(readable).toEqual(['users', 'identities'])
  })

  test('cannot be changed by the service role', async () => {
    const write = runAs(db.requestPool, { role: 'service_role', claims: {} }, (tx) =>
      tx.execute(sql`update auth.users set role = 'service_role'`),
    )
    await expect(write).rejects.toMatchObject({ code: '42501' })
  })

  test('take the columns of a Supabase dump, and compute confirmed_at', async () => {
    await db.pool.execute(sql`
      insert into auth.users (
        instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, invited_at, confirmation_token,
        confirmation_sent_at, recovery_token, recovery_sent_at, email_change_token_new, email_change, email_change_sent_at,
        last_sign_in_at, raw_app_meta_data, raw_user_meta_data, is_super_admin, created_at, updated_at, phone,
        phone_confirmed_at, phone_change, phone_change_token, phone_change_sent_at, email_change_token_current,
        email_change_confirm_status, banned_until, reauthentication_token, reauthentication_sent_at, is_sso_user, deleted_at,
        is_anonymous
      ) values (
        '00000000-0000-0000-0000-000000000000', ${ADA}, 'authenticated', 'authenticated', 'ada@example.org', 'x',
        '2024-05-01', null, '', null, '', null, '', '', null, '2024-05-02', '{"provider":"email"}', '{}', null, '2024-05-01',
        '2024-05-02', null, null, '', '', null, '', 0, null, '', null, false, null, false
      )
    `)
    const [user] = await db.pool.query(sql`select confirmed_at from auth.users where id = ${ADA}`)
    expect(user).toEqual({ confirmed_at: new Date('2024-05-01') })
  })

  test('have one account for an address, except those of single sign-on', async () => {
    const insert = (email: string, sso: boolean) => sql`
      insert into auth.users (id, email, is_sso_user) values (gen_random_uuid(), ${email}, ${sso})
    `
    await db.pool.execute(insert('bob@example.org', false))
    await db.pool.execute(insert('bob@example.org', true))
    await db.pool.execute(insert('bob@example.org', true))
    await expect(db.pool.execute(insert('bob@example.org', false))).rejects.toMatchObject({
      constraint: 'users_email_partial_key',
    })
  })

  test("are referred to by a project's tables, and go with the user", async () => {
    await db.pool.execute(sql`
      create table public.profiles (id uuid primary key references auth.users (id) on delete cascade)
    `)
    await db.pool.execute(sql`alter table public.profiles enable row level security`)
    await db.pool.execute(sql`
      create policy own on public.profiles for all to authenticated using (id = auth.uid()) with check (id = auth.uid())
    `)
    await runAs(db.requestPool, { role: 'authenticated', claims: { sub: ADA } }, (tx) =>
      tx.execute(sql`insert into public.profiles (id) values (${ADA})`),
    )
    await db.pool.execute(sql`delete from auth.users where id = ${ADA}`)
    expect(await db.pool.query(sql`select id from public.profiles`)).toEqual([])
  })
})
