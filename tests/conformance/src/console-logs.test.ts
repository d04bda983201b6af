import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ListedLogEntry, LogPage } from '@holdfast/protocol'
import { sql } from '@holdfast/postgres'
import { openFunctionsWorld, openHoldfast, type FunctionsWorld } from '@holdfast/test-support'
import { type ConsoleBrowser, openConsoleBrowser, openOperator, openOwner } from './console-world.ts'

// The log of the console: what of a request is found in it, by whom, and what never is.

const PASSWORD = 'a password of Ada'

let world: FunctionsWorld
let developer: ConsoleBrowser
let viewer: ConsoleBrowser
let ada: string
let token: string

beforeAll(async () => {
  world = await openFunctionsWorld({
    'config.toml': 'project_id = "logs"\n\n[functions.noisy]\nverify_jwt = false\n',
    'functions/noisy/index.ts': `
Deno.serve(() => {
  console.log('order BX-4711 was packed, password=hunter2')
  console.error('the printer is on fire')
  return new Response('done')
})
`,
  })
  const { holdfast } = world
  const owner = await openOwner(holdfast)
  developer = await openOperator(holdfast, owner, 'developer')
  viewer = await openOperator(holdfast, owner, 'viewer')
  for (const statement of [
    sql`create table public.notes (id text primary key, author uuid, body text)`,
    sql`alter table public.notes enable row level security`,
    sql`create policy "read all" on public.notes for select to authenticated using (true)`,
    sql`create policy "add own" on public.notes for insert to authenticated with check (author = auth.uid())`,
    sql`grant all on public.notes to authenticated`,
  ])
    await holdfast.admin.execute(statement)
  const body = { email: 'ada@example.org', password: PASSWORD, email_confirm: true }
  const { user } = await owner.ask<{ user: { id: string } }>('POST /users', body)
  ada = user.id
  const client = await holdfast.supabase({ email: 'ada@example.org', password: PASSWORD })
  token = (await client.auth.getSession()).data.session?.access_token ?? ''
})
afterAll(() => world[Symbol.asyncDispose]())

async function logs(query: Record<string, string>, browser = developer): Promise<LogPage> {
  return await browser.ask<LogPage>(`GET /logs?${new URLSearchParams(query)}`)
}

async function entries(query: Record<string, string>, browser = developer): Promise<readonly ListedLogEntry[]> {
  return (await logs(query, browser)).entries
}

/** Sends a request as Ada. @returns its id, from the response */
async function send(path: string, init: RequestInit = {}): Promise<{ readonly id: string; readonly status: number }> {
  const headers = { apikey: world.holdfast.anonKey, authorization: `Bearer ${token}`, ...init.headers }
  const response = await fetch(`${world.holdfast.url}${path}`, { ...init, headers })
  await response.arrayBuffer()
  return { id: response.headers.get('x-request-id') ?? '', status: response.status }
}

const JSON_BODY = { 'content-type': 'application/json' }

describe('a request is found by its id', () => {
  test('with why it was refused, and who sent it', async () => {
    const { id, status } = await send('/rest/v1/notes', {
      method: 'POST',
      headers: JSON_BODY,
      body: JSON.stringify({ id: 'x', author: randomUUID(), body: 'not mine' }),
    })
    expect(status).toBe(403)
    expect(await entries({ request: id })).toMatchObject([
      {
        level: 'warn',
        service: 'rest',
        userId: ada,
        email: 'ada@example.org',
        message: expect.stringContaining('row-level security'),
        request: { method: 'POST', path: '/rest/v1/notes', status: 403, code: '42501' },
      },
    ])
  })

  test('with the output of the function that it called', async () => {
    const { id } = await send('/functions/v1/noisy', { method: 'POST' })
    await expect.poll(() => entries({ request: id })).toHaveLength(3)
    const found = await entries({ request: id })
    expect(found.filter(({ request }) => !request)).toMatchObject([
      { service: 'functions', function: 'noisy', level: 'error', message: 'the printer is on fire' },
      {
        service: 'functions',
        function: 'noisy',
        level: 'info',
        message: 'order BX-4711 was packed, password=[hidden]',
      },
    ])
  })

  test('with the rejection of an uploaded change, by the policy', async () => {
    const device = randomUUID()
    const { id, status } = await send('/sync/v1/upload', {
      method: 'POST',
      headers: JSON_BODY,
      body: JSON.stringify({
        client_id: device,
        position: 1,
        operations: [
          { op_id: 1, op: 'PUT', type: 'notes', id: 'y', data: { author: randomUUID(), body: 'secret text' } },
        ],
      }),
    })
    expect(status).toBe(200)
    const found = await entries({ request: id })
    expect(found).toMatchObject([
      { service: 'sync', request: { path: '/sync/v1/upload', status: 200 } },
      { service: 'sync', userId: ada, fields: { device, table: 'notes', policies: 'add own', code: '42501' } },
    ])
    expect(JSON.stringify(found)).not.toContain('secret text')
    expect(await entries({ text: device })).toHaveLength(1)
  })

  test('with the sign-in that it was, under the account', async () => {
    const { id } = await send('/auth/v1/token?grant_type=password', {
      method: 'POST',
      headers: JSON_BODY,
      body: JSON.stringify({ email: 'ada@example.org', password: PASSWORD }),
    })
    expect(await entries({ request: id })).toMatchObject([
      { service: 'auth', message: 'login', userId: ada },
      { service: 'auth', request: { path: '/auth/v1/token', status: 200 } },
    ])
    const wrong = await send('/auth/v1/token?grant_type=password', {
      method: 'POST',
      headers: JSON_BODY,
      body: JSON.stringify({ email: 'ada@example.org', password: 'wrong' }),
    })
    expect(await entries({ request: wrong.id })).toMatchObject([
      { request: { status: 400, code: 'invalid_credentials' } },
    ])
  })
})

describe('the log is narrowed', () => {
  test('by status, level, service, user, text and time', async () => {
    const refused = await send('/rest/v1/nothing_here')
    const ids = async (query: Record<string, string>): Promise<readonly (string | undefined)[]> =>
      (await entries({ limit: '200', ...query })).map(({ requestId }) => requestId)
    expect(await ids({ status: '404' })).toContain(refused.id)
    expect(await ids({ status: '4xx', service: 'rest', user: 'ada@example' })).toContain(refused.id)
    expect(await ids({ status: '5xx' })).not.toContain(refused.id)
    expect(await ids({ level: 'error' })).not.toContain(refused.id)
    expect(await ids({ service: 'auth' })).not.toContain(refused.id)
    expect(await ids({ user: randomUUID() })).toEqual([])
    expect(await ids({ text: 'NOTHING_here' })).toContain(refused.id)
    expect(await ids({ to: '2020-01-01T00:00:00Z' })).toEqual([])
    expect(await ids({ from: '2020-01-01T00:00:00Z', text: 'nothing_here' })).toContain(refused.id)
    expect((await entries({ service: 'postgres', text: 'ready to accept connections' })).length).toBeGreaterThan(0)
  })

  test('in pages, and to what came after a position', async () => {
    for (let n = 0; n < 5; n += 1) await send(`/rest/v1/page_${n}`)
    const first = await logs({ text: '/page_', limit: '3' })
    expect(first.entries.map(({ request }) => request?.path)).toEqual([4, 3, 2].map((n) => `/rest/v1/page_${n}`))
    const second = await logs({ text: '/page_', limit: '3', before: first.next ?? '' })
    expect(second.entries.map(({ request }) => request?.path)).toEqual([1, 0].map((n) => `/rest/v1/page_${n}`))
    expect(second.next).toBeUndefined()
    await send('/rest/v1/page_5')
    const later = await logs({ text: '/page_', after: first.newest ?? '' })
    expect(later).toMatchObject({ entries: [{ request: { path: '/rest/v1/page_5' } }], hasGap: false })
    expect(await developer.refusal('GET /logs?before=../../secrets:1')).toBe('400 invalid_request')
  })
})

describe('who reads it', () => {
  test('operators only', async () => {
    expect(await openConsoleBrowser(world.holdfast).refusal('GET /logs')).toBe('401 not_signed_in')
    expect(
      await openConsoleBrowser(world.holdfast).refusal('GET /logs', undefined, { authorization: `Bearer ${token}` }),
    ).toBe('401 not_signed_in')
  })

  test('a viewer sees no addresses and nothing that users wrote, and finds nothing by it', async () => {
    const { id } = await send('/functions/v1/noisy', { method: 'POST' })
    await expect.poll(() => entries({ request: id })).toHaveLength(3)
    const shown = await logs({ limit: '200' }, viewer)
    expect(shown.entries.length).toBeGreaterThan(3)
    expect(JSON.stringify(shown)).not.toMatch(/ada@example|BX-4711|127\.0\.0\.1/)
    expect(await entries({ text: 'bx-4711' })).not.toEqual([])
    expect(await entries({ text: 'bx-4711' }, viewer)).toEqual([])
    expect(await entries({ user: 'ada@example.org' }, viewer)).toEqual([])
    expect((await entries({ user: ada }, viewer)).length).toBeGreaterThan(0)
  })
})

/** Reads all files of a log. The data folder of a test is copied from one that has some. */
function keptText(dataDir: string): string {
  const folder = join(dataDir, 'logs')
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')
}

test('no token, key or password is in the files', async () => {
  const { holdfast } = world
  await send(`/rest/v1/notes?apikey=${holdfast.serviceRoleKey}&select=id`)
  await send('/auth/v1/verify?token=abcdef0123456789abcdef0123456789&type=signup')
  await logs({})
  const text = keptText(holdfast.dataDir)
  expect(text).toContain('/auth/v1/verify')
  for (const secret of [token, holdfast.serviceRoleKey, holdfast.anonKey, PASSWORD, 'hunter2', 'abcdef0123456789'])
    expect(text).not.toContain(secret)
})

test('the log survives a restart, and is not kept without the console', async () => {
  const { id } = await send('/rest/v1/before_the_restart')
  await world.holdfast.stop()
  await world.holdfast.restart()
  expect(await entries({ request: id })).toHaveLength(1)
  await using other = await openHoldfast({ args: ['--no-console'] })
  await fetch(`${other.url}/rest/v1/without_console`)
  await other.stop()
  expect(keptText(other.dataDir)).not.toContain('/rest/v1/without_console')
})
