import { randomUUID } from 'node:crypto'
import { column, Schema, Table } from '@powersync/common'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openDevice, openHoldfast, openPlainDevice, type Holdfast } from '@holdfast/test-support'

/*
 * A user who signs out, is banned or deleted, or loses a session through a new password loses access within moments, not when the access token
 * expires.
 */

const PASSWORD = 'correct horse battery'

/** How soon such a user's stream has to end, in milliseconds. */
const SOON = { timeout: 60_000, interval: 50 }

const schema = new Schema({ notes: new Table({ title: column.text }) })

const NOTES = `
  create table public.notes (id uuid primary key, title text);
  alter table public.notes enable row level security;
  create policy everybody on public.notes for select to authenticated using (true);
  grant select on public.notes to authenticated, service_role;
`

let holdfast: Holdfast
let service: SupabaseClient

beforeAll(async () => {
  holdfast = await openHoldfast({ args: ['--password-hash-cost=4'] })
  await holdfast.admin.withClient((client) => client.query(NOTES))
  service = createClient(holdfast.url, holdfast.serviceRoleKey, { auth: { persistSession: false } })
  await vi.waitFor(async () => expect((await service.from('notes').select()).error).toBeNull(), SOON)
})
afterAll(() => holdfast?.[Symbol.asyncDispose]())

interface Person {
  readonly id: string
  readonly email: string
  readonly client: SupabaseClient
  readonly token: string
}

async function createPerson(): Promise<Person> {
  const email = `${randomUUID()}@example.org`
  const { data, error } = await service.auth.admin.createUser({ email, password: PASSWORD, email_confirm: true })
  if (error) throw error
  const client = await holdfast.supabase({ email, password: PASSWORD })
  const session = await client.auth.getSession()
  return { id: data.user.id, email, client, token: session.data.session?.access_token ?? '' }
}

async function openStream(token: string): Promise<Response> {
  return fetch(`${holdfast.url}/sync/stream`, {
    method: 'POST',
    headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: randomUUID(), buckets: [], raw_data: true }),
  })
}

/** Reads a stream until it ends. @returns its last line, once it has ended */
function readToEnd(stream: Response): { readonly lastLine: () => string | undefined } {
  let lastLine: string | undefined
  void stream.text().then((text) => (lastLine = text.trim().split('\n').at(-1) ?? ''))
  return { lastLine: () => lastLine }
}

const ways: readonly (readonly [title: string, code: string, leave: (person: Person) => Promise<unknown>])[] = [
  ['has signed out everywhere', 'session_not_found', ({ client }) => client.auth.signOut()],
  [
    'was signed out by an administrator',
    'session_not_found',
    ({ token }) => service.auth.admin.signOut(token, 'global'),
  ],
  ['was deleted', 'session_not_found', ({ id }) => service.auth.admin.deleteUser(id)],
  ['was deleted softly', 'session_not_found', ({ id }) => service.auth.admin.deleteUser(id, true)],
  ['was banned', 'user_banned', ({ id }) => service.auth.admin.updateUserById(id, { ban_duration: '1h' })],
  [
    'changed the password on another device',
    'session_not_found',
    async ({ email }) => {
      const other = await holdfast.supabase({ email, password: PASSWORD })
      return other.auth.updateUser({ password: `${PASSWORD} 2` })
    },
  ],
]

describe.each(ways)('a user who %s', (_title, code, leave) => {
  test('loses the open stream, and gets nothing with the old token', async () => {
    const person = await createPerson()
    const rest = createClient(holdfast.url, holdfast.anonKey, { accessToken: async () => person.token })
    expect((await rest.from('notes').select('id')).error).toBeNull()
    const stream = readToEnd(await openStream(person.token))
    await leave(person)

    await vi.waitFor(() => expect(stream.lastLine()).toBe('{"token_expires_in":0}'), SOON)
    const again = await openStream(person.token)
    expect([again.status, await again.json()]).toMatchObject([401, { error: { code: 'PSYNC_S2101', details: code } }])
    const upload = await fetch(`${holdfast.url}/sync/v1/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: randomUUID(), operations: [] }),
    })
    expect([upload.status, await upload.json()]).toMatchObject([401, { error: { details: code } }])
    const rows = await rest.from('notes').select('id')
    expect([rows.status, rows.error]).toMatchObject([401, { code: 'PGRST303', details: code }])
  })
})

test('the PowerSync SDK asks its connector for a new token and continues with the new session', async () => {
  const person = await createPerson()
  await using device = await openPlainDevice(holdfast, { email: person.email, password: PASSWORD, schema })
  await device.database.waitForFirstSync(AbortSignal.timeout(60_000))
  await service.auth.admin.signOut(person.token, 'global')
  await vi.waitFor(() => expect(device.database.currentStatus.connected).toBe(false), SOON)
  expect((await device.supabase.auth.signInWithPassword({ email: person.email, password: PASSWORD })).error).toBeNull()
  await vi.waitFor(() => expect(device.database.currentStatus.connected).toBe(true), { timeout: 60_000, interval: 50 })
})

test.each(ways.filter(([title]) => /administrator|banned|deleted$/.test(title)))(
  'the client kit asks a user who %s to sign in again, and keeps the local data',
  async (_title, _code, leave) => {
    const person = await createPerson()
    await using device = await openDevice(holdfast, { email: person.email, password: PASSWORD })
    await leave({ ...person, token: await device.token() })
    await vi.waitFor(() => expect(device.client.session.get().kind).toBe('expired'), { timeout: 60_000, interval: 50 })
    expect(device.client.device.get().kind).toBe('open')
  },
)

test('revoking a signing key ends the streams of its tokens, and devices continue with a new token', async () => {
  const person = await createPerson()
  await using device = await openDevice(holdfast, { email: person.email, password: PASSWORD })
  const old = await device.token()
  const stream = readToEnd(await openStream(person.token))
  const [before] = (await manageKeys('GET')).keys
  await manageKeys('POST', '', {})
  await manageKeys('POST', '/rotate', { at_once: true })
  await manageKeys('DELETE', `/${before?.kid}`)
  await vi.waitFor(() => expect(stream.lastLine()).toBe('{"token_expires_in":0}'), SOON)
  const again = await openStream(person.token)
  expect([again.status, await again.json()]).toMatchObject([401, { error: { code: 'PSYNC_S2101' } }])
  const id = randomUUID()
  await service.from('notes').insert({ id, title: 'after' })
  await vi.waitFor(
    async () => expect(await device.database.getAll('select title from notes where id = ?', [id])).toHaveLength(1),
    { timeout: 60_000, interval: 50 },
  )
  expect(await device.token()).not.toBe(old)
})

/** Calls the signing-key endpoints as in the guide. */
async function manageKeys(
  method: string,
  path = '',
  body?: object,
): Promise<{ readonly keys: readonly { readonly kid: string }[] }> {
  const answer = await fetch(`${holdfast.url}/auth/v1/admin/signing-keys${path}`, {
    method,
    headers: { apikey: holdfast.serviceRoleKey, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return (await answer.json()) as { readonly keys: readonly { readonly kid: string }[] }
}

test("an operator can still inspect a banned user's data", async () => {
  const person = await createPerson()
  await service.auth.admin.updateUserById(person.id, { ban_duration: '1h' })
  const answer = await fetch(`${holdfast.url}/sync/v1/token`, {
    method: 'POST',
    headers: { authorization: `Bearer ${holdfast.serviceRoleKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ user: person.id }),
  })
  const { token } = (await answer.json()) as { token: string }
  const stream = await openStream(token)
  expect(stream.status).toBe(200)
  await stream.body?.cancel()
})
