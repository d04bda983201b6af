import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FunctionCallOutcome, FunctionList, FunctionLog, ListedAuditEntry } from '@holdfast/protocol'
import { openFunctionsWorld, openHoldfast, type FunctionsWorld } from '@holdfast/test-support'
import { type ConsoleBrowser, openOperator, openOwner } from './console-world.ts'
import { PROJECT } from './functions-project.ts'

// Edge functions in the console: what is served, how it does, what it prints, and calls of it.

let world: FunctionsWorld
let owner: ConsoleBrowser
let developer: ConsoleBrowser
let viewer: ConsoleBrowser

beforeAll(async () => {
  world = await openFunctionsWorld({
    ...PROJECT,
    'config.toml': `${PROJECT['config.toml']}\n[functions.absent]\nverify_jwt = false\n`,
    'functions/large/index.ts': `Deno.serve(() => new Response('é'.repeat(1_000_000)))`,
  })
  owner = await openOwner(world.holdfast)
  developer = await openOperator(world.holdfast, owner, 'developer')
  viewer = await openOperator(world.holdfast, owner, 'viewer')
})
afterAll(() => world[Symbol.asyncDispose]())

type Answered = Extract<FunctionCallOutcome, { readonly kind: 'answered' }>

const call = async (name: string, more: object = {}): Promise<Answered> => {
  const given = { method: 'POST', path: '', as: { kind: 'anon' }, headers: [], ...more }
  const outcome = await developer.ask<FunctionCallOutcome>(`POST /functions/${name}/call`, given)
  if (outcome.kind !== 'answered') throw new Error(`not answered: ${outcome.message}`)
  return outcome
}

describe('the list', () => {
  test('has what is served and how, and names of secrets without their values', async () => {
    const list = await viewer.ask<FunctionList>('GET /functions')
    const found = new Map(list.functions.map((one) => [one.name, one]))
    expect(list.isOn).toBe(true)
    expect(found.get('mirror')).toMatchObject({ state: 'idle', entry: 'mirror/index.ts', verifyJwt: true })
    expect(found.get('elsewhere')).toMatchObject({ entry: '_shared/elsewhere.ts', verifyJwt: false })
    expect(found.get('absent')).toMatchObject({ state: 'failed', changedAt: null })
    expect(found.has('switched-off')).toBe(false)
    expect(Date.parse(found.get('mirror')?.changedAt ?? '')).toBeGreaterThan(Date.now() - 3_600_000)
    expect(list.secrets).toEqual(['FROM_CONFIG', 'GREETING'])
    expect(JSON.stringify(list)).not.toMatch(/configured|Good morning/)
  })

  test('counts the calls of the last hour, whoever made them', async () => {
    await fetch(world.url('status?status=503'), { headers: { authorization: `Bearer ${world.holdfast.anonKey}` } })
    await call('status', { path: '?status=200' })
    const { functions } = await viewer.ask<FunctionList>('GET /functions')
    const status = functions.find(({ name }) => name === 'status')
    expect(status).toMatchObject({ state: 'running', lastHour: { calls: 2, errors: 1 }, sinceStart: { calls: 2 } })
    expect(status?.lastHour.p95Ms).toBeGreaterThan(0)
  })
})

describe('a call', () => {
  interface Mirrored {
    readonly url: string
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  const mirror = async (more: object): Promise<Mirrored> => JSON.parse((await call('mirror', more)).body) as Mirrored
  const subjectOf = ({ headers }: Mirrored): unknown => {
    const [, payload = ''] = (headers['authorization'] ?? '').split('.')
    return JSON.parse(Buffer.from(payload, 'base64url').toString())
  }

  test('sends method, path, headers and body, and returns status, headers, body and time', async () => {
    const given = { method: 'PUT', path: '/a/b?c=1', headers: [{ name: 'X-Colour', value: 'blue' }], body: '{"n":1}' }
    const outcome = await call('mirror', given)
    expect(outcome).toMatchObject({ status: 200, isCut: false })
    expect(outcome.ms).toBeGreaterThan(0)
    expect(outcome.headers).toContainEqual({ name: 'x-served-by', value: 'holdfast-functions' })
    const seen = JSON.parse(outcome.body) as Mirrored
    expect(seen).toMatchObject({ method: 'PUT', body: '{"n":1}', headers: { 'x-colour': 'blue' } })
    expect(new URL(seen.url).pathname + new URL(seen.url).search).toBe('/mirror/a/b?c=1')
  })

  test('has the key of a visitor or the service, or a token of a user', async () => {
    await developer.ask('POST /users', { email: 'ada@example.org', email_confirm: true })
    expect(subjectOf(await mirror({ as: { kind: 'anon' } }))).toMatchObject({ role: 'anon' })
    expect(subjectOf(await mirror({ as: { kind: 'service' } }))).toMatchObject({ role: 'service_role' })
    expect(subjectOf(await mirror({ as: { kind: 'user', id: 'ada@example.org' } }))).toMatchObject({
      role: 'authenticated',
      email: 'ada@example.org',
    })
    const nobody = { method: 'POST', path: '', headers: [], as: { kind: 'user', id: 'nobody@example.org' } }
    expect(await developer.refusal('POST /functions/mirror/call', nobody)).toBe('400 invalid_request')
  })

  test('reaches no other path of the server', async () => {
    for (const path of ['/../status', '/..%2Fstatus', '/%2e%2e/%2E%2E/auth/v1/admin/users', '//status', '/./x'])
      expect(new URL((await mirror({ path })).url).pathname, path).toMatch(/^\/mirror(\/|$)/)
    const given = { method: 'GET', as: { kind: 'service' }, headers: [] }
    for (const path of ['x', '/a b', '@elsewhere.example', '\\..'])
      expect(await developer.refusal('POST /functions/mirror/call', { ...given, path }), path).toBe(
        '400 invalid_request',
      )
    for (const name of ['..%2Fadmin', '_logs', 'no-such'])
      expect(await developer.refusal(`POST /functions/${name}/call`, { ...given, path: '' }), name).toBe(
        '404 function_unknown',
      )
  })

  test('shows errors as clients get them, and cuts a large response', async () => {
    expect(await call('throws-at-start')).toMatchObject({ status: 500 })
    expect(await call('bad-syntax')).toMatchObject({
      status: 503,
      body: expect.stringContaining('BOOT_ERROR') as string,
    })
    const large = await call('large')
    expect(large).toMatchObject({ status: 200, isCut: true })
    expect(Buffer.byteLength(large.body)).toBeLessThan(1_100_000)
  })

  test('is in the audit log, without the values of headers and the body', async () => {
    await call('mirror', { headers: [{ name: 'x-secret', value: 'hush-hush' }], body: 'a private text' })
    const { entries } = await developer.ask<{ entries: readonly ListedAuditEntry[] }>('GET /audit?action=call_function')
    expect(entries[0]).toMatchObject({
      operator: 'developer@ops.example',
      target: 'function mirror',
      after: { method: 'POST', as: 'anon', headers: ['x-secret'], bodyBytes: 14, outcome: 200 },
    })
    expect(JSON.stringify(entries)).not.toMatch(/hush-hush|a private text/)
  })
})

describe('the log', () => {
  test('of a function is read from where the page left off', async () => {
    await call('prints')
    const read = (after?: string): Promise<FunctionLog> =>
      developer.ask<FunctionLog>(`GET /functions/prints/log${after === undefined ? '' : `?after=${after}`}`)
    await expect.poll(async () => (await read()).lines.map(({ text }) => text)).toContain('a line')
    const { cursor } = await read()
    expect((await read(cursor)).lines).toEqual([])
    await call('prints')
    await expect.poll(async () => (await read(cursor)).lines.map(({ text }) => text)).toContain('a line')
    const other = await developer.ask<FunctionLog>('GET /functions/status/log')
    expect(JSON.stringify(other.lines)).not.toContain('half a line')
  })
})

test('viewers neither read logs nor call', async () => {
  expect(await viewer.refusal('GET /functions/prints/log')).toBe('403 role_too_low')
  const given = { method: 'GET', path: '', as: { kind: 'anon' }, headers: [] }
  expect(await viewer.refusal('POST /functions/prints/call', given)).toBe('403 role_too_low')
})

test('wrong calls are named', async () => {
  const given = { method: 'GET', path: '', as: { kind: 'anon' }, headers: [] }
  const refused = async (more: object): Promise<unknown> =>
    (await developer.call('POST /functions/mirror/call', { ...given, ...more })).body['message']
  expect(await refused({ body: 'x' })).toBe('A GET request has no body.')
  expect(await refused({ method: 'TRACE' })).toMatch(/"method"/)
  expect(await refused({ headers: [{ name: 'a b', value: '' }] })).toMatch(/"headers.0.name"/)
  expect(await refused({ headers: [{ name: 'a', value: 'b\r\nc: d' }] })).toMatch(/"headers.0.value"/)
  expect(await refused({ as: { kind: 'postgres' } })).toMatch(/"as/)
})

test('a server without functions says so', async () => {
  await using holdfast = await openHoldfast({ args: ['--no-functions-enabled'] })
  const operator = await openOwner(holdfast)
  expect(await operator.ask('GET /functions')).toMatchObject({ isOn: false, functions: [] })
  expect(await operator.refusal('GET /functions/mirror/log')).toBe('409 functions_off')
})
