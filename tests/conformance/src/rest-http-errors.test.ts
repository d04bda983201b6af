import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRestWorld, type HttpRequest, type RestWorld } from './rest-world.ts'

// Exact errors: status, code, message, details, hint and headers.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld(['--rest-body-bytes-max=20000'])
})

afterAll(() => world?.[Symbol.asyncDispose]())

interface Refusal {
  readonly code: string
  readonly message: string
  readonly details?: string
  readonly hint?: string
}

describe('errors', () => {
  test.each([
    ['/a/b/c', {}, 404, { code: 'PGRST125', message: 'Invalid path specified in request URL' }],
    ['/rpc/a/b', {}, 404, { code: 'PGRST125', message: 'Invalid path specified in request URL' }],
    [
      '/nothing',
      {},
      404,
      { code: 'PGRST205', message: "Could not find the table 'public.nothing' in the schema cache" },
    ],
    [
      '/countrys',
      {},
      404,
      {
        code: 'PGRST205',
        message: "Could not find the table 'public.countrys' in the schema cache",
        hint: "Perhaps you meant the table 'public.countries'",
      },
    ],
    ['/%E6%97%A5', {}, 404, { code: 'PGRST205', message: "Could not find the table 'public.日' in the schema cache" }],
    [
      '/cities?id=1',
      {},
      400,
      {
        code: 'PGRST100',
        message: '"failed to parse filter (1)" (line 1, column 1)',
        details: 'unexpected "1" expecting "not" or operator (eq, gt, ...)',
      },
    ],
    [
      '/cities',
      { headers: { accept: 'text/html' } },
      406,
      { code: 'PGRST107', message: 'None of these media types are available: text/html' },
    ],
    [
      '/cities',
      { headers: { 'accept-profile': 'x' } },
      406,
      { code: 'PGRST106', message: 'Invalid schema: x', hint: 'Only the following schemas are exposed: public, api' },
    ],
    [
      '/cities?countries.id=eq.1',
      {},
      400,
      {
        code: 'PGRST108',
        message: "'countries' is not an embedded resource in this request",
        hint: "Verify that 'countries' is included in the 'select' query parameter.",
      },
    ],
    ['/rpc/echo', { method: 'PUT', body: {} }, 405, { code: 'PGRST101', message: 'Cannot use the PUT method on RPC' }],
    [
      '/cities?limit=-1',
      {},
      416,
      {
        code: 'PGRST103',
        message: 'Requested range not satisfiable',
        details: 'Limit should be greater than or equal to zero.',
      },
    ],
    [
      '/cities',
      { headers: { prefer: 'handling=strict, a=b, return=soup' } },
      400,
      {
        code: 'PGRST122',
        message: 'Invalid preferences given with handling=strict',
        details: 'Invalid preferences: a=b, return=soup',
      },
    ],
    ['/cities?select=zzzzzzzz', {}, 400, { code: '42703', message: 'column cities.zzzzzzzz does not exist' }],
    ['/cities?id=eq.x', {}, 400, { code: '22P02', message: 'invalid input syntax for type integer: "x"' }],
    [
      '/cities?name=cs.{a}',
      {},
      404,
      {
        code: '42883',
        message: 'operator does not exist: text @> unknown',
        details: 'No operator of that name accepts the given argument types.',
        hint: 'You might need to add explicit type casts.',
      },
    ],
    [
      '/rpc/raise_as',
      { method: 'POST', body: { state: 'PT402', said: 'Payment Required' } },
      402,
      { code: 'PT402', message: 'Payment Required', details: 'why', hint: 'how' },
    ],
    [
      '/rpc/raise_as',
      { method: 'POST', body: { state: 'P0001', said: 'no' } },
      400,
      { code: 'P0001', message: 'no', details: 'why', hint: 'how' },
    ],
    [
      '/rpc/raise_as',
      { method: 'POST', body: { state: '40001', said: 'again' } },
      500,
      { code: '40001', message: 'again', details: 'why', hint: 'how' },
    ],
  ] satisfies [string, HttpRequest, number, Refusal][])('%s %j is %i', async (path, request, status, refusal) => {
    const answer = await world.http(path, request)
    const { code, message, details = null, hint = null } = refusal as Refusal
    if (code === '42883') expect(answer.body).toMatchObject({ code, message })
    else expect(answer.body).toEqual({ code, message, details, hint })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.headers.get('proxy-status')).toBe(`PostgREST; error=${code}`)
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(answer.text)))
  })

  test('a raised status has the raised status text', async () => {
    const answer = await world.http('/rpc/raise_as', {
      method: 'POST',
      body: { state: 'PT402', said: 'Payment Required' },
    })
    expect(answer.statusText).toBe('Payment Required')
  })

  test('a function can set the whole response', async () => {
    const message = JSON.stringify({ code: '123', message: 'ABC', details: 'DEF', hint: 'XYZ' })
    const detail = JSON.stringify({ status: 432, status_text: 'My Words', headers: { 'X-Header': 'str' } })
    const answer = await world.http('/rpc/raise_pgrst', { method: 'POST', body: { message, detail } })
    expect(answer).toMatchObject({
      status: 432,
      statusText: 'My Words',
      body: { code: '123', message: 'ABC', details: 'DEF', hint: 'XYZ' },
    })
    expect(answer.headers.get('x-header')).toBe('str')
    expect(answer.headers.get('proxy-status')).toBe('PostgREST; error=123')
  })

  test.each([
    [{ message: 'soup', detail: '{}' }, "Invalid JSON value for MESSAGE: 'soup'"],
    [{ message: '{"code":"1","message":"m"}', detail: 'soup' }, "Invalid JSON value for DETAIL: 'soup'"],
    [{ message: '{"code":"1","message":"m"}' }, 'DETAIL is missing in the RAISE statement'],
  ])('a function that raises a malformed response gets PGRST121: %j', async (body, details) => {
    const answer = await world.http('/rpc/raise_pgrst', { method: 'POST', body })
    expect(answer).toMatchObject({
      status: 500,
      body: { code: 'PGRST121', message: `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`, details },
    })
  })

  test('to HEAD requests have headers only', async () => {
    const { status, text, headers } = await world.http('/nothing', { method: 'HEAD' })
    expect([status, text, headers.get('proxy-status')]).toEqual([404, '', 'PostgREST; error=PGRST205'])
  })

  test('for missing privileges are 401 for anonymous requests and 403 for users', async () => {
    const anon = await world.http('/secrets', { as: 'anon' })
    expect([anon.status, anon.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(anon.body).toMatchObject({ code: '42501', message: 'permission denied for table secrets' })
    const ann = await world.signIn('ann')
    expect(await ann.from('secrets').select()).toMatchObject({ status: 403, error: { code: '42501' } })
  })

  test.each([
    ['x', 'PGRST301', 'Expected 3 parts in JWT; got 1', null],
    ['a.b.c', 'PGRST301', 'JWT cryptographic operation failed', null],
    [
      'eyJ0eXAiOiJKV1QiLCJhbGciOiJub25lIn0.e30.yOBhlOIqn56T',
      'PGRST301',
      'Wrong or unsupported encoding algorithm',
      "JWT is unsecured but expected 'alg' was not 'none'",
    ],
    [
      'eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.e30.yOBhlOIqn56T',
      'PGRST301',
      'No suitable key or wrong key type',
      'None of the keys was able to decode the JWT',
    ],
  ])('an invalid token (%s) is refused', async (token, code, message, details) => {
    const answer = await world.http('/countries', { headers: { authorization: `Bearer ${token}` } })
    expect([answer.status, answer.body]).toEqual([401, { code, message, details, hint: null }])
    expect(answer.headers.get('www-authenticate')).toBe(`Bearer error="invalid_token", error_description="${message}"`)
  })

  test('a request without a key is refused', async () => {
    expect((await world.http('/countries', { as: 'nobody' })).status).toBe(401)
  })
})

describe('limits', () => {
  const nested = (depth: number) => `and(${'and('.repeat(depth)}id.eq.1${')'.repeat(depth)})`

  test.each([
    [
      'conditions',
      `/cities?${Array.from({ length: 299 }, (_, n) => `id=neq.${n}`).join('&')}&and=(${Array.from({ length: 250 }, () => 'id.gt.0').join(',')})`,
    ],
    ['nested conditions', `/cities?and=(${nested(40)})`],
    ['parameters', `/cities?${Array.from({ length: 400 }, () => 'id=gt.0').join('&')}`],
    ['values in a list', `/cities?id=in.(${Array.from({ length: 10_001 }, () => '1').join(',')})`],
    ['columns', `/cities?select=${Array.from({ length: 600 }, () => 'id').join(',')}`],
    ['nested embeds', `/districts?select=${'districts('.repeat(12)}id${')'.repeat(12)}`],
    ['embeds', `/cities?select=id,${Array.from({ length: 60 }, (_, n) => `a${n}:countries(id)`).join(',')}`],
    ['steps of a JSON path', `/cities?select=facts${'->a'.repeat(40)}`],
    ['order terms', `/cities?order=${Array.from({ length: 60 }, () => 'id').join(',')}`],
  ])('too many %s are refused', async (_title, path) => {
    const answer = await world.http(path)
    // Node refuses some URLs before our limit applies.
    if (answer.status === 431) return
    expect(answer.status, answer.text).toBe(400)
    expect(answer.body).toMatchObject({ code: 'PGRST100', message: 'The query string is too complex' })
  })

  test('a body that is too large is refused', async () => {
    const answer = await world.http('/cities', { method: 'POST', body: { name: 'x'.repeat(30_000) } })
    expect(answer).toMatchObject({ status: 413, body: { code: 'PGRST102' } })
  })

  test('a body with too many columns is refused', async () => {
    const row = Object.fromEntries(Array.from({ length: 1700 }, (_, n) => [`c${n}`, 1]))
    expect((await world.http('/cities', { method: 'POST', body: row })).status).toBe(400)
  })

  test('a URL that is too long is refused', async () => {
    const answer = await world.http(`/cities?name=eq.${'x'.repeat(70_000)}`)
    expect([400, 414, 431]).toContain(answer.status)
  })

  test('the server still responds afterwards', async () => {
    expect((await world.http('/countries?select=id&id=eq.1')).body).toEqual([{ id: 1 }])
  })
})
