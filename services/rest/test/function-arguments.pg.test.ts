import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRestWorld, type Ask, type RestWorld } from './rest-world.ts'

// Which function a request means, and what it is given.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
  await world.rows(`
    create type mood as enum ('sad', 'glad');
    create function say_hello(name text) returns text language sql immutable as $$ select 'Hello, ' || name $$;
    create function no_params() returns text language sql immutable as $$ select 'none' $$;
    create function varied(a int, b numeric, c text[], d jsonb default '{}', e mood default 'sad', f date default null) returns json
      language sql immutable as $$ select json_build_object('a', a, 'b', b, 'c', c, 'd', d, 'e', e, 'f', f) $$;
    create function list(variadic v text[] default '{}') returns text[] language sql immutable as $$ select v $$;
    create function named_list(name text, variadic v int[] default '{}') returns text language sql immutable as $$ select name || array_length(v, 1) $$;
    create function plus_one(arr int[]) returns int[] language sql immutable as $$ select array_agg(n + 1) from unnest(arr) as n $$;
    create function cut(c char, b bit, cs char[]) returns json language sql immutable as $$ select json_build_array(c, b, cs) $$;
    create function "Quoted"("userName" text) returns text language sql immutable as $$ select $1 $$;
    create function over() returns int language sql immutable as $$ select 1 $$;
    create function over(a int, b int) returns int language sql immutable as $$ select a + b $$;
    create function over(a text, b text, c text) returns text language sql immutable as $$ select a || b || c $$;
    create function same(arg int) returns int language sql immutable as $$ select 1 $$;
    create function same(arg text, num int default 0) returns int language sql immutable as $$ select 2 $$;
    create function same(arg date) returns int language sql immutable as $$ select 3 $$;
    create function whole_json(json) returns json language sql immutable as $$ select $1 $$;
    create function whole_text(text) returns text language sql immutable as $$ select upper($1) $$;
    create function whole_xml(xml) returns text language sql immutable as $$ select xmlserialize(content $1 as text) $$;
    create function whole_bytes(bytea) returns text language sql immutable as $$ select encode($1, 'hex') $$;
    create function whole_int(int) returns int language sql immutable as $$ select $1 $$;
    create function mixed() returns text language sql immutable as $$ select 'nothing' $$;
    create function mixed(a int) returns text language sql immutable as $$ select 'named' $$;
    create function mixed(json) returns text language sql immutable as $$ select 'json' $$;
    create function mixed(text) returns text language sql immutable as $$ select 'text' $$;
    create function mixed(bytea) returns text language sql immutable as $$ select 'bytea' $$;
    create function by_default() returns int language sql immutable as $$ select 1 $$;
    create function by_default(int default 42) returns int language sql immutable as $$ select 2 $$;
    create function by_default(text default 'default') returns text language sql immutable as $$ select $1 $$;
    create function twice(json) returns int language sql immutable as $$ select 1 $$;
    create function twice(jsonb) returns int language sql immutable as $$ select 2 $$;
  `)
  await world.refresh()
})

afterAll(() => world?.[Symbol.asyncDispose]())

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

function post(path: string, raw: string | Buffer, type = 'application/json') {
  return world.ask(path, { method: 'POST', raw, headers: { 'content-type': type } })
}

describe('calls that are refused', () => {
  const searched = (text: string) =>
    `Searched for the function public.${text}, but no matches were found in the schema cache.`
  const cases: readonly (readonly [string, Ask, body: Readonly<Record<string, unknown>>])[] = [
    [
      '/rpc/say_hell',
      {},
      {
        message: 'Could not find the function public.say_hell without parameters in the schema cache',
        details: searched('say_hell without parameters'),
        hint: 'Perhaps you meant to call the function public.say_hello',
      },
    ],
    [
      '/rpc/say_hello?nam=Peter',
      {},
      {
        message: 'Could not find the function public.say_hello(nam) in the schema cache',
        details: searched('say_hello with parameter nam'),
        hint: 'Perhaps you meant to call the function public.say_hello(name)',
      },
    ],
    [
      '/rpc/over?wrong_arg=value',
      {},
      {
        message: 'Could not find the function public.over(wrong_arg) in the schema cache',
        details: searched('over with parameter wrong_arg'),
        hint: null,
      },
    ],
    [
      '/rpc/over',
      { method: 'POST', body: { b: 1, a: 1, wrong_arg: 2 } },
      {
        message: 'Could not find the function public.over(a, b, wrong_arg) in the schema cache',
        details: searched('over with parameters a, b, wrong_arg or with a single unnamed json/jsonb parameter'),
        hint: 'Perhaps you meant to call the function public.over(a, b, c)',
      },
    ],
    [
      '/rpc/over',
      { method: 'POST', raw: 'a=1&d=1', headers: FORM },
      {
        message: 'Could not find the function public.over(a, d) in the schema cache',
        details: searched('over with parameters a, d'),
        hint: 'Perhaps you meant to call the function public.over(a, b)',
      },
    ],
    ...(['text', 'xml', 'bytea'] as const).map((type): readonly [string, Ask, Readonly<Record<string, unknown>>] => [
      '/rpc/whole_int',
      {
        method: 'POST',
        raw: 'x',
        headers: { 'content-type': { text: 'text/plain', xml: 'text/xml', bytea: 'application/octet-stream' }[type] },
      },
      {
        message: 'Could not find the function public.whole_int in the schema cache',
        details: searched(`whole_int with a single unnamed ${type} parameter`),
        hint: null,
      },
    ]),
    [
      '/rpc/no_params',
      { method: 'POST', raw: 'x', headers: { 'content-type': 'text/plain' } },
      { message: 'Could not find the function public.no_params in the schema cache', hint: null },
    ],
  ]
  test.each(cases)('%s %j', async (path, ask, body) => {
    expect(await world.ask(path, ask)).toMatchObject({ status: 404, body: { code: 'PGRST202', ...body } })
  })

  test('several that fit are named, the shortest first', async () => {
    const hint =
      'Try renaming the parameters or the function itself in the database so function overloading can be resolved'
    expect(await world.ask('/rpc/same?arg=1')).toMatchObject({
      status: 300,
      body: {
        code: 'PGRST203',
        message:
          'Could not choose the best candidate function between: public.same(arg => date), public.same(arg => integer), public.same(arg => text, num => integer)',
        details: null,
        hint,
      },
    })
    expect(await post('/rpc/twice', '{"A":1}')).toMatchObject({
      status: 300,
      body: {
        code: 'PGRST203',
        message:
          'Could not choose the best candidate function between: public.twice( => json), public.twice( => jsonb)',
        hint,
      },
    })
  })

  test('a body that is no JSON, no XML or of no known type', async () => {
    expect(await post('/rpc/say_hello', 'sdfsdf')).toMatchObject({ status: 400, body: { code: 'PGRST102' } })
    expect(await post('/rpc/whole_xml', '<', 'text/xml')).toMatchObject({ status: 400, body: { code: '2200N' } })
    expect(await post('/rpc/whole_text', 'x', 'audio/mpeg3')).toMatchObject({ status: 400, body: { code: 'PGRST102' } })
    expect(await post('/rpc/whole_text', Buffer.from([0xff]), 'text/plain')).toMatchObject({
      status: 400,
      body: { code: '22021' },
    })
  })

  test.each(['DELETE', 'PATCH', 'PUT'] as const)('%s', async (method) => {
    expect(await world.ask('/rpc/no_params', { method, body: {} })).toMatchObject({
      status: 405,
      body: { code: 'PGRST101', message: `Cannot use the ${method} method on RPC` },
    })
  })

  test('parameters as a single object, which PostgREST 14 does not know any more', async () => {
    const answer = await world.ask('/rpc/whole_json', {
      method: 'POST',
      body: { a: 1 },
      headers: { prefer: 'params=single-object, handling=strict' },
    })
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'PGRST122', details: 'Invalid preferences: params=single-object' },
    })
  })
})

describe('arguments', () => {
  const VARIED = { a: 1, b: 2.5, c: ['x', 'y,z'], d: { k: [1] }, e: 'glad', f: '2020-01-02' }

  test('from JSON with the types of the parameters, and defaults for those that are missing', async () => {
    expect((await world.ask('/rpc/varied', { method: 'POST', body: VARIED })).body).toEqual(VARIED)
    const { a, b, c } = VARIED
    expect((await world.ask('/rpc/varied', { method: 'POST', body: { a, b, c } })).body).toEqual({
      a,
      b,
      c,
      d: {},
      e: 'sad',
      f: null,
    })
  })

  test('from the address and from a form', async () => {
    const text = 'a=1&b=2.5&c=%7Bx,%22y,z%22%7D&d=%7B%22k%22:[1]%7D&e=glad&f=20200102'
    expect((await world.ask(`/rpc/varied?${text}`)).body).toEqual(VARIED)
    expect((await post('/rpc/varied', text, FORM['content-type'])).body).toEqual(VARIED)
  })

  test('restricted by columns=, from CSV, and from the first of several objects', async () => {
    expect((await post('/rpc/say_hello?columns=name', '{"name":"x","other":1}')).body).toBe('Hello, x')
    expect((await post('/rpc/say_hello', 'name\nx', 'text/csv')).body).toBe('Hello, x')
    expect((await post('/rpc/say_hello', '[{"name":"x"},{"name":"y"}]')).body).toBe('Hello, x')
  })

  test('none, as an empty body of any kind', async () => {
    expect((await post('/rpc/no_params', '')).body).toBe('none')
    expect((await post('/rpc/no_params', '{}')).body).toBe('none')
    expect((await post('/rpc/no_params', '', FORM['content-type'])).body).toBe('none')
    expect((await world.ask('/rpc/no_params', { method: 'POST' })).body).toBe('none')
    expect((await world.ask('/rpc/no_params')).body).toBe('none')
  })

  test.each([
    ['/rpc/list', {}, []],
    ['/rpc/list?v=a', {}, ['a']],
    ['/rpc/list?v=a&v=b,c', {}, ['a', 'b,c']],
    ['/rpc/list', { method: 'POST', body: { v: ['a', 'b'] } }, ['a', 'b']],
    ['/rpc/list', { method: 'POST', raw: '', headers: FORM }, []],
    ['/rpc/list', { method: 'POST', raw: 'v=a&v=b', headers: FORM }, ['a', 'b']],
    ['/rpc/named_list?name=ignored&name=n&v=1&v=2', {}, 'n2'],
    ['/rpc/say_hello?name=ignored&name=world', {}, 'Hello, world'],
    ['/rpc/plus_one?arr=%7B1,2%7D', {}, [2, 3]],
    ['/rpc/plus_one', { method: 'POST', body: { arr: [1, 2] } }, [2, 3]],
    ['/rpc/Quoted?userName=x', {}, 'x'],
  ] satisfies [string, Ask, unknown][])('%s %j', async (path, ask, body) => {
    expect(await world.ask(path, ask)).toMatchObject({ status: 200, body })
  })

  test('of types with a length that is not said are not cut', async () => {
    const expected = ['abc', '101', ['de', 'f']]
    expect((await world.ask('/rpc/cut?c=abc&b=101&cs=%7Bde,f%7D')).body).toEqual(expected)
    expect(
      (await world.ask('/rpc/cut', { method: 'POST', body: { c: 'abc', b: '101', cs: ['de', 'f'] } })).body,
    ).toEqual(expected)
  })
})

describe('overloads', () => {
  test('are told apart by the names of their arguments', async () => {
    expect((await world.ask('/rpc/over')).body).toBe(1)
    expect((await world.ask('/rpc/over?a=1&b=2')).body).toBe(3)
    expect((await post('/rpc/over', 'a=1&b=2&c=3', FORM['content-type'])).body).toBe('123')
  })

  test('with names come before one that takes the whole body', async () => {
    expect((await post('/rpc/mixed', '{}')).body).toBe('nothing')
    expect((await post('/rpc/mixed', '{"a":1}')).body).toBe('named')
    expect((await post('/rpc/mixed', '{"A":1}')).body).toBe('json')
    expect((await post('/rpc/mixed', 'x', 'text/plain')).body).toBe('text')
    expect((await post('/rpc/mixed', 'x', 'application/octet-stream')).body).toBe('bytea')
    const asked = await world.ask('/rpc/mixed', { headers: { 'content-type': 'text/plain' } })
    expect(asked.body).toBe('nothing')
  })
})

describe('a whole body', () => {
  test('is the only argument of a parameter without a name', async () => {
    expect((await post('/rpc/whole_json', '[{"a": 2}]')).text).toBe('[{"a": 2}]')
    expect((await post('/rpc/whole_text', 'naïve', 'text/plain; charset=utf-8')).body).toBe('NAÏVE')
    expect((await post('/rpc/whole_xml', '<a>ü</a>', 'text/xml')).body).toBe('<a>ü</a>')
    const bytes = Buffer.from([0, 255, 10, 13, 92])
    expect((await post('/rpc/whole_bytes', bytes, 'application/octet-stream')).body).toBe('00ff0a0d5c')
  })

  test('is meant by an argument without a name, of any type that takes a body', async () => {
    expect((await post('/rpc/whole_json', '{"": {"a": 2}}')).text).toBe('{"": {"a": 2}}')
    expect((await post('/rpc/whole_text', '{"":"x"}')).body).toBe('{"":"X"}')
    expect((await post('/rpc/whole_text', '=x', FORM['content-type'])).body).toBe('{"":"X"}')
    expect((await post('/rpc/by_default', '{"":true}')).body).toBe('{"":true}')
    expect(await post('/rpc/whole_int', '{"":1}')).toMatchObject({
      status: 404,
      body: {
        code: 'PGRST202',
        message: 'Could not find the function public.whole_int() in the schema cache',
        details:
          'Searched for the function public.whole_int with parameter  or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache.',
      },
    })
  })

  test('that may be left out leaves open which function is meant', async () => {
    const message =
      'Could not choose the best candidate function between: public.by_default(), public.by_default( => text)'
    for (const answer of [await world.ask('/rpc/by_default'), await post('/rpc/by_default', '{}')]) {
      expect(answer).toMatchObject({ status: 300, body: { code: 'PGRST203', message } })
    }
  })
})
