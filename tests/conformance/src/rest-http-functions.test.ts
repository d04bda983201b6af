import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openRestWorld, type HttpRequest, type RestWorld } from './rest-world.ts'

// Database functions over plain HTTP. Refusals first.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
})

beforeEach(() => world.reset())

afterAll(() => world?.[Symbol.asyncDispose]())

const ABOUT = 'in the schema cache'

describe('functions', () => {
  test.each([
    [
      'that do not exist',
      '/rpc/nothing_like_it',
      {},
      404,
      'PGRST202',
      `Could not find the function public.nothing_like_it without parameters ${ABOUT}`,
    ],
    [
      'with unknown arguments',
      '/rpc/echo?says=x',
      {},
      404,
      'PGRST202',
      `Could not find the function public.echo(says) ${ABOUT}`,
    ],
    [
      'that are ambiguous',
      '/rpc/twice?a=1',
      {},
      300,
      'PGRST203',
      'Could not choose the best candidate function between: public.twice(a => integer, b => integer), public.twice(a => integer, c => text)',
    ],
    ['that write, by GET', '/rpc/clear_notes', {}, 405, '25006', 'cannot execute DELETE in a read-only transaction'],
    ['with DELETE', '/rpc/echo', { method: 'DELETE' }, 405, 'PGRST101', 'Cannot use the DELETE method on RPC'],
    ['with PATCH', '/rpc/echo', { method: 'PATCH', body: {} }, 405, 'PGRST101', 'Cannot use the PATCH method on RPC'],
    [
      'with a value of the wrong type',
      '/rpc/one_city?which=x',
      {},
      400,
      '22P02',
      'invalid input syntax for type integer: "x"',
    ],
    [
      'with a body of malformed JSON',
      '/rpc/echo',
      { method: 'POST', body: '{' },
      400,
      'PGRST102',
      'Empty or invalid json',
    ],
  ] satisfies [string, string, HttpRequest, number, string, string][])(
    'functions %s are refused',
    async (_title, path, request, status, code, message) => {
      const answer = await world.http(path, request)
      expect(answer.body).toMatchObject({ code, message })
      expect(answer.status).toBe(status)
    },
  )

  test.each([
    ['a value', '/rpc/echo?say=a&times=3', 'aaa'],
    ['a default value', '/rpc/echo?say=a', 'a'],
    ['an array', '/rpc/sum_of?numbers={1,2,3}', 6],
    ['a variadic argument', '/rpc/joined?words=a&words=b', 'a-b'],
    ['the matching overload', '/rpc/over?a=1&b=2', 'two'],
    ['no arguments', '/rpc/no_args', 7],
    ['a row', '/rpc/one_city?which=1&select=name', { name: 'Oslo' }],
    ['rows of a table, filtered', '/rpc/cities_of?country=Norway&select=name&population=gt.300000', [{ name: 'Oslo' }]],
    ['rows of its own columns', '/rpc/pairs?select=b&order=a.desc', [{ b: 'y' }, { b: 'x' }]],
  ])('GET with %s', async (_title, path, expected) => {
    const { status, body } = await world.http(path)
    expect([status, body]).toEqual([200, expected])
  })

  test.each([
    ['arguments', '/rpc/echo', { body: { say: 'a', times: 2 } }, '"aa"'],
    ['no body', '/rpc/no_args', {}, '7'],
    ['a variadic argument', '/rpc/joined', { body: { words: ['a', 'b'] } }, '"a-b"'],
    ['the whole body as JSON', '/rpc/whole_json', { body: { any: [1, null] } }, '{"any":[1,null]}'],
    [
      'the whole body as plain text',
      '/rpc/whole_text',
      { body: 'hé', headers: { 'content-type': 'text/plain' } },
      '"hé!"',
    ],
    [
      'the whole body as bytes',
      '/rpc/whole_bytes',
      { body: new Uint8Array([0, 255, 1]), headers: { 'content-type': 'application/octet-stream' } },
      '3',
    ],
    [
      'a form',
      '/rpc/echo',
      { body: 'say=a&times=2', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      '"aa"',
    ],
    [
      'a filter on its rows',
      '/rpc/cities_of?name=eq.Lima&select=name',
      { body: { country: 'Peru' } },
      '[{"name":"Lima"}]',
    ],
  ] satisfies [string, string, HttpRequest, string][])('POST with %s', async (_title, path, request, expected) => {
    const { status, text } = await world.http(path, { method: 'POST', ...request })
    expect([status, text.replaceAll(/\s/g, '')]).toEqual([200, expected])
  })

  test('HEAD responds without a body', async () => {
    const { status, text, headers } = await world.http('/rpc/cities_of?country=Norway', {
      method: 'HEAD',
      headers: { prefer: 'count=exact' },
    })
    expect([status, text, headers.get('content-range')]).toEqual([200, '', '0-1/2'])
  })

  test('void returns 204', async () => {
    const { status, text } = await world.http('/rpc/clear_notes', { method: 'POST' })
    expect([status, text]).toEqual([204, ''])
  })

  test('only volatile functions may write', async () => {
    const asked = async (method: string) => (await world.http('/rpc/about_request', { method })).body
    expect(await asked('GET')).toMatchObject({ read_only: 'on', method: 'GET' })
    expect(await asked('POST')).toMatchObject({ read_only: 'on', method: 'POST' })
    const { body } = await world.http('/rpc/rename_all?select=name&order=id', { method: 'POST', body: { suffix: '!' } })
    expect(body).toMatchObject([{ name: 'Oslo!' }, { name: 'Bergen!' }, { name: 'Lima!' }, { name: 'Cusco!' }])
  })

  test('rows can be counted and limited', async () => {
    const { status, headers, body } = await world.http('/rpc/cities_of?country=Peru&select=id&order=id&limit=1', {
      headers: { prefer: 'count=exact' },
    })
    expect([status, headers.get('content-range'), body]).toEqual([206, '0-0/2', [{ id: 3 }]])
  })

  test('OPTIONS lists the allowed methods', async () => {
    const allow = async (path: string) => (await world.http(path, { method: 'OPTIONS' })).headers.get('allow')
    expect(await allow('/rpc/no_args')).toBe('OPTIONS,GET,HEAD,POST')
    expect(await allow('/rpc/clear_notes')).toBe('OPTIONS,POST')
  })
})
