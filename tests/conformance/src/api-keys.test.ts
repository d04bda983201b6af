import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'

// API keys of both formats, wherever a client sends a key. Sync requires a user, so it accepts no API key.

let holdfast: Holdfast

beforeAll(async () => {
  holdfast = await openHoldfast()
  await holdfast.admin.withClient((client) =>
    client.query(`
    create table notes (id int primary key);
    insert into notes values (1);
    alter table notes enable row level security;
    grant select on notes to anon, authenticated, service_role;
    notify pgrst;
  `),
  )
})

afterAll(() => holdfast?.[Symbol.asyncDispose]())

const clientOf = (key: string) =>
  createClient(holdfast.url, key, { auth: { persistSession: false, autoRefreshToken: false } })

describe('the publishable key', () => {
  test('signs users up and in, and reads public rows', async () => {
    const client = clientOf(holdfast.publishableKey)
    await expect.poll(async () => (await client.from('notes').select()).data).toEqual([])
    const account = { email: 'ada@example.org', password: 'correct horse battery' }
    expect((await client.auth.signUp(account)).error).toBeNull()
    expect((await client.auth.signInWithPassword(account)).data.user?.email).toBe(account.email)
    expect((await client.from('notes').select()).error).toBeNull()
  })

  test('grants no admin access', async () => {
    const { error } = await clientOf(holdfast.publishableKey).auth.admin.listUsers()
    expect(error).toMatchObject({ status: 403 })
  })
})

describe('the secret key', () => {
  test('bypasses row-level security and manages users', async () => {
    const client = clientOf(holdfast.secretKey)
    await expect.poll(async () => (await client.from('notes').select()).data).toEqual([{ id: 1 }])
    expect((await client.auth.admin.listUsers()).error).toBeNull()
  })

  test('is accepted as a bearer token, but refused in a URL, like the service_role key', async () => {
    const url = `${holdfast.url}/rest/v1/notes`
    const headers = { apikey: holdfast.publishableKey, authorization: `Bearer ${holdfast.secretKey}` }
    expect(await (await fetch(url, { headers })).json()).toEqual([{ id: 1 }])
    for (const key of [holdfast.secretKey, holdfast.serviceRoleKey]) {
      for (const path of ['/rest/v1/notes', '/auth/v1/admin/users', '/storage/v1/bucket', '/sync/v1/status']) {
        const answer = await fetch(`${holdfast.url}${path}?apikey=${key}`)
        expect([answer.status, path]).toEqual([expect.toSatisfy((status) => [401, 403].includes(status)), path])
      }
    }
    const refused = await fetch(`${url}?apikey=${holdfast.secretKey}`)
    expect(await refused.json()).toMatchObject({ message: 'A service key is not accepted in an address' })
    expect((await fetch(`${url}?apikey=${holdfast.publishableKey}`)).status).toBe(200)
  })

  test('is refused if it belongs to another project', async () => {
    const last = holdfast.secretKey.at(-1) === 'A' ? 'B' : 'A'
    const headers = { apikey: `${holdfast.secretKey.slice(0, -1)}${last}` }
    const answer = await fetch(`${holdfast.url}/rest/v1/notes`, { headers })
    expect([answer.status, await answer.json()]).toMatchObject([401, { message: 'Invalid authentication credentials' }])
  })
})

test('sync accepts no API key as a user', async () => {
  const answer = await fetch(`${holdfast.url}/write-checkpoint2.json`, {
    headers: { authorization: `Token ${holdfast.secretKey}` },
  })
  expect([answer.status, await answer.json()]).toMatchObject([401, { error: { status: 401 } }])
})
