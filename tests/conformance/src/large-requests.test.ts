import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'

/*
 * Oversized requests: the client learns the reason, even if its body is refused while being sent. 10 MB exceed the buffers between the two, and
 * concurrent requests used to lose responses when connections were closed too early.
 */

const MB = 1_000_000
const BODY = 'x'.repeat(10 * MB)
const TIMES = 6

const BUCKET_BYTES_MAX = MB

let holdfast: Holdfast
let service: SupabaseClient

beforeAll(async () => {
  holdfast = await openHoldfast()
  service = createClient(holdfast.url, holdfast.serviceRoleKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  })
  await holdfast.admin.withClient((client) =>
    client.query('create table public.notes (id uuid primary key, text text)'),
  )
  const { error } = await service.storage.createBucket('small', { public: false, fileSizeLimit: BUCKET_BYTES_MAX })
  expect(error).toBeNull()
})

afterAll(async () => {
  await holdfast?.[Symbol.asyncDispose]()
})

/** Returns the errors of concurrent calls. */
async function failuresOf(call: () => Promise<{ readonly error: unknown }>): Promise<readonly unknown[]> {
  return Promise.all(Array.from({ length: TIMES }, async () => (await call()).error))
}

const each = (expected: object): readonly unknown[] => Array<unknown>(TIMES).fill(expect.objectContaining(expected))

describe('a body that is too large is refused with the error of its service', () => {
  test('by REST', async () => {
    const insert = async () => service.from('notes').insert({ id: randomUUID(), text: BODY })
    expect(await failuresOf(insert)).toEqual(
      each({ code: 'PGRST102', message: 'The body of the request is too large' }),
    )
  })

  test('by auth', async () => {
    const signUp = () =>
      service.auth.signUp({ email: 'a@example.org', password: 'correct horse', options: { data: { text: BODY } } })
    expect(await failuresOf(signUp)).toEqual(each({ status: 413, code: 'request_entity_too_large' }))
  })

  test('by the JSON endpoints of storage', async () => {
    const list = () => service.storage.from('small').list('', { search: BODY })
    expect(await failuresOf(list)).toEqual(each({ statusCode: '413', message: expect.stringContaining('maximum') }))
  })

  test('by sync', async () => {
    const person = await holdfast.supabase()
    const { data } = await person.auth.signUp({ email: 'mina@example.org', password: 'correct horse battery' })
    const headers = { authorization: `Bearer ${data.session?.access_token}`, 'content-type': 'application/json' }
    const upload = async () => {
      const answer = await fetch(`${holdfast.url}/sync/v1/upload`, { method: 'POST', headers, body: `"${BODY}"` })
      return (await answer.json()) as { readonly error: unknown }
    }
    expect(await failuresOf(upload)).toEqual(each({ code: 'FST_ERR_CTP_BODY_TOO_LARGE', status: 413 }))
  })
})

describe('a URL', () => {
  const ids = (count: number): string[] => Array.from({ length: count }, () => randomUUID())
  const LONG = 'x'.repeat(70_000)

  test('may hold 1,600 UUIDs', async () => {
    const [kept, ...others] = ids(1_600)
    expect((await service.from('notes').insert({ id: kept, text: 'kept' })).error).toBeNull()
    const { data, error } = await service
      .from('notes')
      .select('text')
      .in('id', [...others, kept])
    expect([data, error]).toEqual([[{ text: 'kept' }], null])
  })

  test('is refused by REST beyond that, naming the limit', async () => {
    const { error } = await service.from('notes').select().in('id', ids(2_000))
    expect(error).toMatchObject({
      code: 'HF_ADDRESS_TOO_LONG',
      details: expect.stringContaining('65536'),
      hint: expect.any(String),
    })
  })

  test.each([
    ['/auth/v1/settings', 414, { code: 414, error_code: 'HF_ADDRESS_TOO_LONG' }],
    ['/rest/v1/notes', 414, { code: 'HF_ADDRESS_TOO_LONG', hint: expect.any(String) }],
    // Supabase storage responds with 400 and puts the status in the body.
    ['/storage/v1/bucket', 400, { statusCode: '414', error: 'HF_ADDRESS_TOO_LONG' }],
    ['/functions/v1/none', 414, { code: 'HF_ADDRESS_TOO_LONG' }],
    ['/realtime/v1/api/broadcast', 414, { message: expect.stringContaining('too long') }],
    ['/sync/v1/schema', 414, { error: { code: 'HF_ADDRESS_TOO_LONG', status: 414 } }],
  ])('that is too long is refused in the format of %s, readable by browsers', async (path, status, body) => {
    const answer = await fetch(`${holdfast.url}${path}?x=${LONG}`, {
      method: path.endsWith('/broadcast') ? 'POST' : 'GET',
      headers: { origin: 'https://app.example' },
    })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, '*'])
    expect(await answer.json()).toMatchObject(body)
  })
})

describe('a file refused before it is read', () => {
  test("gets the reason: above its bucket's limit, or by policies", async () => {
    const file = Buffer.from(BODY)
    const small = service.storage.from('small')
    expect(await failuresOf(() => small.upload(randomUUID(), file))).toEqual(each({ statusCode: '413' }))
    const { storage } = createClient(holdfast.url, holdfast.anonKey)
    expect(
      await failuresOf(() => storage.from('small').upload(randomUUID(), file.subarray(0, BUCKET_BYTES_MAX - 1))),
    ).toEqual(each({ statusCode: '403' }))
  })

  test('gets the reason as a form too', async () => {
    const small = service.storage.from('small')
    expect(await failuresOf(() => small.upload(randomUUID(), new Blob([BODY])))).toEqual(each({ statusCode: '413' }))
  })
})
