import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { column, type CommonPowerSyncDatabase, Schema, Table, UpdateType } from '@powersync/common'
import { PowerSyncDatabase } from '@powersync/node'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Holdfast, openHoldfast, quietLogger } from '@holdfast/test-support'
import { type Issuer, openIssuer } from './open-issuer.ts'

/*
 * Users of a third-party issuer: supabase-js with its `accessToken` option and the PowerSync SDK, with tokens signed by an OpenID issuer on this
 * machine. As with Firebase, Auth0 and Clerk, their subjects are not UUIDs.
 */

const PATIENCE = { timeout: 60_000, interval: 50 }

const SCHEMA = `
  create table public.memos (
    id uuid primary key default gen_random_uuid(),
    owner text not null default (auth.jwt() ->> 'sub'),
    title text not null
  );
  alter table public.memos enable row level security;
  create policy own on public.memos for all to authenticated
    using (owner = (auth.jwt() ->> 'sub')) with check (owner = (auth.jwt() ->> 'sub'));
  grant select, insert, update, delete on public.memos to authenticated, service_role;

  create table public.accounts_only (id uuid primary key, owner uuid not null);
  alter table public.accounts_only enable row level security;
  create policy own on public.accounts_only for select to authenticated using (owner = auth.uid());
  grant select on public.accounts_only to authenticated;
`

const schema = new Schema({ memos: new Table({ owner: column.text, title: column.text }) })

let issuer: Issuer
let stranger: Issuer
let holdfast: Holdfast

beforeAll(async () => {
  issuer = await openIssuer('app')
  stranger = await openIssuer('app')
  holdfast = await openHoldfast({
    args: [
      '--third-party-workos-enabled',
      `--third-party-workos-issuer-url=${issuer.url}`,
      '--third-party-audiences=app',
      '--password-hash-cost=4',
    ],
  })
  await holdfast.admin.withClient((client) => client.query(SCHEMA))
  const token = tokenOf('somebody|1')
  await vi.waitFor(async () => expect((await openClient(token).from('memos').select()).error).toBeNull(), PATIENCE)
})

afterAll(async () => {
  await holdfast?.[Symbol.asyncDispose]()
  await issuer?.[Symbol.asyncDispose]()
  await stranger?.[Symbol.asyncDispose]()
})

function tokenOf(sub: string, claims: Readonly<Record<string, unknown>> = {}, by = issuer): string {
  return by.issueIdToken({ sub, role: 'authenticated', ...claims })
}

/** As documented by Supabase for third-party authentication. */
function openClient(token: string): SupabaseClient {
  return createClient(holdfast.url, holdfast.anonKey, { accessToken: async () => token })
}

interface Device extends AsyncDisposable {
  readonly database: CommonPowerSyncDatabase
}

/** Opens a device with the connector that PowerSync documents and the issuer's token. */
async function openDevice(sub: string): Promise<Device> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-third-party-'))
  const database = new PowerSyncDatabase({
    schema,
    database: {
      dbFilename: `${basename(folder)}.db`,
      dbLocation: folder,
      implementation: { type: 'node:sqlite' },
      readWorkerCount: 1,
    },
    logger: quietLogger,
  })
  await database.connect(
    {
      fetchCredentials: async () => ({ endpoint: holdfast.url, token: tokenOf(sub) }),
      async uploadData() {
        const transaction = await database.getNextCrudTransaction()
        if (!transaction) return
        const supabase = openClient(tokenOf(sub))
        for (const entry of transaction.crud) {
          expect(entry.op).toBe(UpdateType.PUT)
          const { error } = await supabase.from(entry.table).upsert({ ...entry.opData, id: entry.id })
          if (error) throw error
        }
        await transaction.complete()
      },
    },
    { retryDelayMs: 500, crudUploadThrottleMs: 20 },
  )
  return {
    database,
    async [Symbol.asyncDispose]() {
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function openStream(token: string): Promise<Response> {
  return fetch(`${holdfast.url}/sync/stream`, {
    method: 'POST',
    headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: randomUUID(), buckets: [], raw_data: true }),
  })
}

test('supabase-js with accessToken reads and writes what the policies allow its user', async () => {
  const [mina, noor] = [`auth0|${randomUUID()}`, `user_${randomUUID()}`]
  const written = await openClient(tokenOf(mina)).from('memos').insert({ title: 'from Mina' }).select()
  expect(written.error).toBeNull()
  expect(written.data).toMatchObject([{ owner: mina, title: 'from Mina' }])
  expect((await openClient(tokenOf(mina)).from('memos').select('title')).data).toEqual([{ title: 'from Mina' }])
  expect((await openClient(tokenOf(noor)).from('memos').select('title')).data).toEqual([])
  const forged = await openClient(tokenOf(noor)).from('memos').insert({ title: 'x', owner: mina })
  expect(forged.error).toMatchObject({ code: '42501' })
})

test("the PowerSync SDK syncs both ways, to the user's devices only", async () => {
  const [mina, noor] = [`auth0|${randomUUID()}`, `auth0|${randomUUID()}`]
  await using phone = await openDevice(mina)
  await using laptop = await openDevice(mina)
  await using other = await openDevice(noor)
  for (const { database } of [phone, laptop, other]) await database.waitForFirstSync(AbortSignal.timeout(60_000))
  await phone.database.execute('insert into memos (id, owner, title) values (uuid(), ?, ?)', [mina, 'offline first'])
  await openClient(tokenOf(noor)).from('memos').insert({ title: 'from Noor' })
  const titlesOf = async ({ database }: Device): Promise<unknown[]> =>
    (await database.getAll<{ title: string }>('select title from memos')).map(({ title }) => title)
  await expect.poll(() => titlesOf(laptop), PATIENCE).toEqual(['offline first'])
  await expect.poll(() => titlesOf(other), PATIENCE).toEqual(['from Noor'])
  expect(await titlesOf(phone)).toEqual(['offline first'])
})

test('a session in a token belongs to its issuer, not to our accounts', async () => {
  const claims = { session_id: randomUUID() }
  const token = tokenOf(randomUUID(), claims)
  expect((await openClient(token).from('memos').select()).error).toBeNull()
  const stream = await openStream(token)
  expect(stream.status).toBe(200)
  await stream.body?.cancel()
})

test('auth.uid() needs a UUID, as on Supabase; other subjects use auth.jwt()', async () => {
  const { error } = await openClient(tokenOf('auth0|x')).from('accounts_only').select()
  expect(error).toMatchObject({ code: '22P02' })
  expect((await openClient(tokenOf(randomUUID())).from('accounts_only').select()).data).toEqual([])
})

describe('is refused by REST and sync, with their errors:', () => {
  const cases: readonly (readonly [title: string, token: () => string, rest: object, sync: string])[] = [
    [
      'a token that has expired',
      () => tokenOf('a', { exp: 1 }),
      { code: 'PGRST303', message: 'JWT expired' },
      'PSYNC_S2103',
    ],
    [
      'a token for another audience',
      () => tokenOf('a', { aud: 'another app' }),
      { code: 'PGRST303', message: 'JWT not in audience' },
      'PSYNC_S2105',
    ],
    [
      'a token without a role',
      () => tokenOf('a', { role: undefined }),
      { code: 'PGRST303', message: expect.stringContaining('names no role') as string },
      'PSYNC_S2101',
    ],
    [
      'a token with the service_role role',
      () => tokenOf('a', { role: 'service_role' }),
      { code: 'PGRST303', message: 'The role of the token is not accepted from its issuer' },
      'PSYNC_S2101',
    ],
    [
      'a token from an unknown issuer',
      () => tokenOf('a', {}, stranger),
      { code: 'PGRST301', message: 'No suitable key or wrong key type' },
      'PSYNC_S2101',
    ],
    [
      "a token signed by another party in the issuer's name",
      () => tokenOf('a', { iss: issuer.url }, stranger),
      { code: 'PGRST301', message: 'No suitable key or wrong key type' },
      'PSYNC_S2101',
    ],
  ]
  for (const [title, token, rest, sync] of cases) {
    test(title, async () => {
      const { error, status } = await openClient(token()).from('memos').select()
      expect(status).toBe(401)
      expect(error).toMatchObject(rest)
      const stream = await openStream(token())
      expect(stream.status).toBe(401)
      expect(await stream.json()).toMatchObject({ error: { code: sync } })
    })
  }
})

test('a third-party token is refused by the auth API, the admin API and as an API key', async () => {
  const token = tokenOf(randomUUID())
  const call = (path: string, headers: Record<string, string>): Promise<Response> =>
    fetch(holdfast.url + path, { headers })
  const headers = { apikey: holdfast.anonKey, authorization: `Bearer ${token}` }
  expect((await call('/auth/v1/user', headers)).status).toBe(403)
  expect((await call('/auth/v1/admin/users', headers)).status).toBe(403)
  expect((await call('/rest/v1/memos', { apikey: token })).status).toBe(401)
})

test('a known user continues while the issuer is down', async () => {
  const token = tokenOf('auth0|late')
  const fresh = tokenOf('auth0|later')
  await issuer[Symbol.asyncDispose]()
  for (const one of [token, fresh]) expect((await openClient(one).from('memos').select()).error).toBeNull()
})
