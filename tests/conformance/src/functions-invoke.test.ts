import {
  createClient,
  FunctionRegion,
  FunctionsFetchError,
  FunctionsHttpError,
  FunctionsRelayError,
} from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFunctionsWorld, type FunctionsWorld } from '@holdfast/test-support'
import { PROJECT } from './functions-project.ts'

// The unmodified `supabase.functions` client against functions in real Deno processes.

let world: FunctionsWorld
beforeAll(async () => {
  world = await openFunctionsWorld(PROJECT)
})
afterAll(() => world[Symbol.asyncDispose]())

function client(key = world.holdfast.anonKey) {
  return createClient(world.holdfast.url, key, { auth: { persistSession: false, autoRefreshToken: false } })
}

interface Mirrored {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

async function mirror(options: Parameters<ReturnType<typeof client>['functions']['invoke']>[1]): Promise<Mirrored> {
  const { data, error } = await client().functions.invoke<Mirrored>('mirror', options)
  expect(error).toBeNull()
  if (!data) throw new Error('nothing was answered')
  return data
}

describe('functions.invoke', () => {
  test('sends POST with the key as token, to a URL without the prefix', async () => {
    const seen = await mirror({})
    expect(seen).toMatchObject({ method: 'POST', url: `${world.holdfast.url}/mirror` })
    expect(seen.headers['authorization']).toBe(`Bearer ${world.holdfast.anonKey}`)
    expect(seen.headers['apikey']).toBe(world.holdfast.anonKey)
  })

  test.each(['GET', 'PUT', 'PATCH', 'DELETE'] as const)('sends %s', async (method) => {
    expect((await mirror({ method })).method).toBe(method)
  })

  test('sends an object as JSON', async () => {
    const seen = await mirror({ body: { site: 'Weir 7', level: 1.25 } })
    expect(seen.headers['content-type']).toBe('application/json')
    expect(JSON.parse(seen.body)).toEqual({ site: 'Weir 7', level: 1.25 })
  })

  test('sends text', async () => {
    const seen = await mirror({ body: 'plain words' })
    expect(seen).toMatchObject({ body: 'plain words', headers: { 'content-type': 'text/plain' } })
  })

  test.each([
    ['a Blob', new Blob(['bytes'])],
    ['an ArrayBuffer', new TextEncoder().encode('bytes').buffer],
  ])('sends %s as bytes', async (_kind, body) => {
    const seen = await mirror({ body })
    expect(seen).toMatchObject({ body: 'bytes', headers: { 'content-type': 'application/octet-stream' } })
  })

  test('sends a form with a file', async () => {
    const body = new FormData()
    body.set('name', 'Weir 7')
    body.set('file', new Blob(['picture']), 'weir.txt')
    const { data, error } = await client().functions.invoke('form', { body })
    expect(error).toBeNull()
    expect(data).toEqual({ name: 'Weir 7', file: 'picture', fileName: 'weir.txt' })
  })

  test('sends custom headers, and the region as header and query', async () => {
    const seen = await mirror({ headers: { 'x-custom': 'value' }, region: FunctionRegion.EuCentral1 })
    expect(seen.headers).toMatchObject({ 'x-custom': 'value', 'x-region': 'eu-central-1' })
    expect(seen.url).toBe(`${world.holdfast.url}/mirror?forceFunctionRegion=eu-central-1`)
  })

  test('passes on the subpath and the query', async () => {
    const { data } = await client().functions.invoke<Mirrored>('mirror/a%20b/c?d=e&d=f')
    expect(data?.url).toBe(`${world.holdfast.url}/mirror/a%20b/c?d=e&d=f`)
  })

  test("parses bytes, a form, events and untyped text by the response's content type", async () => {
    const { functions } = client()
    const blob = await functions.invoke<Blob>('mirror', { body: 'bytes', headers: { 'response-type': 'blob' } })
    expect(await blob.data?.text()).toBe('bytes')
    const body = new FormData()
    body.set('name', 'Weir 7')
    const form = await functions.invoke<FormData>('mirror', { body, headers: { 'response-type': 'form' } })
    expect(form.data?.get('name')).toBe('Weir 7')
    const text = await functions.invoke<string>('mirror', { headers: { 'response-type': 'none' } })
    expect(text.data).toBe('no type')
    const events = await functions.invoke<Response>('events')
    expect(await events.data?.text()).toBe('data: one\n\ndata: two\n\ndata: three\n\n')
  })

  test("returns a function's error as FunctionsHttpError, with its response", async () => {
    const { data, error } = await client().functions.invoke('status?status=418')
    expect(data).toBeNull()
    expect(error).toBeInstanceOf(FunctionsHttpError)
    expect(await (error as FunctionsHttpError).context.json()).toEqual({ status: 418 })
  })

  test("returns a function's own 401 as FunctionsHttpError", async () => {
    const { error } = await client().functions.invoke('status?status=401')
    expect(error).toBeInstanceOf(FunctionsHttpError)
  })

  test('aborts the request in the function too', async () => {
    const stop = new AbortController()
    const counts = async () => (await client().functions.invoke('slow', { method: 'GET' })).data
    const invoked = client().functions.invoke('slow', { signal: stop.signal })
    // A call can be aborted in the function only after it has arrived there.
    await expect.poll(counts).toEqual({ begun: 1, aborted: 0 })
    stop.abort()
    expect((await invoked).error).toBeInstanceOf(FunctionsFetchError)
    await expect.poll(counts).toEqual({ begun: 1, aborted: 1 })
  })

  test('fails after its timeout', async () => {
    const { error } = await client().functions.invoke('slow', { timeout: 20 })
    expect(error).toBeInstanceOf(FunctionsFetchError)
  })

  describe('refused', () => {
    test('without a valid token, as FunctionsRelayError', async () => {
      const { error } = await client('not-a-token').functions.invoke('mirror')
      expect(error).toBeInstanceOf(FunctionsRelayError)
      expect((error as FunctionsRelayError).context.status).toBe(401)
    })

    test('for an unknown function', async () => {
      const { error } = await client().functions.invoke('nobody')
      expect(error).toBeInstanceOf(FunctionsHttpError)
      expect((error as FunctionsHttpError).context.status).toBe(404)
    })

    test('if the server is unreachable, as FunctionsFetchError', async () => {
      const { error } = await createClient('http://127.0.0.1:9', 'key').functions.invoke('mirror')
      expect(error).toBeInstanceOf(FunctionsFetchError)
    })
  })
})

describe('functions.setAuth', () => {
  test('sends the new token from then on', async () => {
    const { functions } = client('not-a-token')
    functions.setAuth(world.holdfast.serviceRoleKey)
    const { data, error } = await functions.invoke<Mirrored>('mirror')
    expect(error).toBeNull()
    expect(data?.headers['authorization']).toBe(`Bearer ${world.holdfast.serviceRoleKey}`)
  })
})
