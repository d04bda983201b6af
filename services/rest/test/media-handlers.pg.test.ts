import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRestWorld, type RestWorld } from './rest-world.ts'

// Media types that the database makes: domains called like them, functions that return them, aggregates over rows.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
  await world.rows(`
    create domain "text/plain" as text;
    create domain "text/html" as text;
    create domain "text/xml" as xml;
    create domain "text/tab-separated-values" as text;
    create domain "application/json" as json;
    create domain "application/octet-stream" as bytea;
    create domain "application/vnd.pgrst.object" as json;
    create domain "application/vnd.rows+json" as jsonb;
    create domain "image/png" as bytea;
    create domain "*/*" as bytea;
    create table pixels (id int primary key, data bytea);
    insert into pixels values (1, '\\x89504e470d0a1a0a00ff'), (2, '\\x0102');
    create table notices (id int primary key, note text);
    insert into notices values (1, 'one'), (2, 'two');
    create view anything as select id, note from notices;

    create function welcome() returns "text/plain" language sql immutable as $$ select 'Grüße'::"text/plain" $$;
    create function welcome_twice() returns setof "text/plain" language sql immutable as $$ select 'a'::"text/plain" union all select 'b' $$;
    create function page() returns "text/html" language sql immutable as $$ select '<p>hi</p>'::"text/html" $$;
    create function tag() returns "text/xml" language sql immutable as $$ select '<tag/>'::"text/xml" $$;
    create function pixel(id int) returns "image/png" language sql stable as $$ select data::"image/png" from pixels where pixels.id = $1 $$;
    create function echo(bytea) returns "application/octet-stream" language sql immutable as $$ select $1::"application/octet-stream" $$;
    create function whatever() returns "*/*" language sql immutable as $$ select 'any'::bytea::"*/*" $$;
    create function a_number() returns int language sql immutable as $$ select 1 $$;
    create function picky() returns "*/*" language plpgsql as $$
      declare accept text := current_setting('request.headers', true)::json ->> 'accept';
      begin
        case when accept = '*/*' then perform set_config('response.headers', '[{"Content-Type": "app/groucho"}]', true); return 'groucho';
             when accept = 'app/chico' then perform set_config('response.headers', '[{"Content-Type": "app/chico"}]', true); return 'chico';
             else raise sqlstate 'PT406' using message = 'Not Acceptable';
        end case;
      end $$;
    create function all_notices() returns setof notices language sql stable as $$ select * from notices $$;

    create function png_step(state "image/png", next pixels) returns "image/png" language sql immutable as $$ select (coalesce(state, '') || next.data)::"image/png" $$;
    create aggregate png_agg (pixels) (stype = "image/png", sfunc = png_step);
    create function tsv_step(state "text/tab-separated-values", next notices) returns "text/tab-separated-values" language sql immutable as
      $$ select (state || next.id || E'\\t' || next.note || E'\\n')::"text/tab-separated-values" $$;
    create function tsv_final(data "text/tab-separated-values") returns "text/tab-separated-values" language sql as $$
      select set_config('response.headers', '[{"Content-Disposition": "attachment; filename=\\"n.tsv\\""}]', true);
      select (E'id\\tnote\\n' || data)::"text/tab-separated-values" $$;
    create aggregate tsv_agg (notices) (stype = "text/tab-separated-values", sfunc = tsv_step, finalfunc = tsv_final, initcond = '');
    create function rows_step(state "application/vnd.rows+json", next anyelement) returns "application/vnd.rows+json" language sql immutable as
      $$ select (coalesce(state, '[]') || to_jsonb(next))::"application/vnd.rows+json" $$;
    create aggregate rows_agg (anyelement) (stype = "application/vnd.rows+json", sfunc = rows_step, initcond = '[]');
    create function own_step(state "application/vnd.rows+json", next pixels) returns "application/vnd.rows+json" language sql immutable as
      $$ select '"own"'::"application/vnd.rows+json" $$;
    create aggregate own_agg (pixels) (stype = "application/vnd.rows+json", sfunc = own_step, initcond = '[]');
    create table replaced (id int); insert into replaced values (1);
    create function json_step(state "application/json", next replaced) returns "application/json" language sql immutable as
      $$ select '{"replaced": true}'::"application/json" $$;
    create aggregate json_agg_replaced (replaced) (stype = "application/json", sfunc = json_step);
    create function object_step(state "application/vnd.pgrst.object", next anyelement) returns "application/vnd.pgrst.object" language sql immutable as
      $$ select '{"never": 1}'::"application/vnd.pgrst.object" $$;
    create aggregate object_agg (anyelement) (stype = "application/vnd.pgrst.object", sfunc = object_step);
    create function any_step(state "*/*", next anything) returns "*/*" language sql immutable as $$ select (coalesce(state, '') || convert_to(next.note, 'UTF8'))::"*/*" $$;
    create aggregate any_agg (anything) (stype = "*/*", sfunc = any_step);

    create schema elsewhere;
    create domain elsewhere."text/hidden" as text;
    create function elsewhere.hidden_step(state elsewhere."text/hidden", next anyelement) returns elsewhere."text/hidden" language sql immutable as
      $$ select 'hidden'::elsewhere."text/hidden" $$;
    create aggregate elsewhere.hidden_agg (anyelement) (stype = elsewhere."text/hidden", sfunc = elsewhere.hidden_step);
  `)
  await world.refresh()
})

afterAll(() => world?.[Symbol.asyncDispose]())

const get = (path: string, accept: string) => world.ask(path, { headers: { accept } })

const PNG = Buffer.from('89504e470d0a1a0a00ff', 'hex')

describe('types that the database does not make for this', () => {
  test.each([
    ['of a table without an aggregate', '/clients', 'text/plain'],
    ['of a table, made by a function only', '/pixels', 'application/octet-stream'],
    ['of a function that returns another one', '/rpc/welcome', 'text/xml'],
    ['of a set of them', '/rpc/welcome_twice', 'text/plain'],
    ['of a function that returns a plain type', '/rpc/a_number', 'text/plain'],
    ['of a table, when fewer columns are selected', '/notices?select=id', 'text/tab-separated-values'],
    ['of a table, when all columns are named', '/notices?select=id,note', 'text/tab-separated-values'],
    ['of anything, in a schema that is not exposed', '/clients', 'text/hidden'],
  ])('%s', async (_title, path, accept) => {
    expect(await get(path, accept)).toMatchObject({
      status: 406,
      body: { code: 'PGRST107', message: `None of these media types are available: ${accept}` },
    })
  })
})

describe('functions that return a media type', () => {
  test.each([
    ['/rpc/welcome', 'text/plain', 'text/plain; charset=utf-8', 'Grüße'],
    ['/rpc/page', 'text/html', 'text/html', '<p>hi</p>'],
    ['/rpc/tag', 'text/xml', 'text/xml; charset=utf-8', '<tag/>'],
    ['/rpc/pixel?id=1', 'image/png', 'image/png', PNG],
    ['/rpc/pixel?id=1', 'text/html, image/png, */*;q=0.8', 'image/png', PNG],
    ['/rpc/pixel?id=77', 'image/png', 'image/png', ''],
  ])('%s as %s', async (path, accept, type, body) => {
    const answer = await get(path, accept)
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe(type)
    expect(answer.bytes).toEqual(Buffer.from(body as string))
    expect(answer.headers['content-length']).toBe(String(Buffer.from(body as string).length))
  })

  test('answer JSON all the same to those who ask for it', async () => {
    expect((await get('/rpc/welcome', 'application/json')).body).toBe('Grüße')
  })

  test('take and give any bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
    const headers = { 'content-type': 'application/octet-stream', accept: 'application/octet-stream' }
    const answer = await world.ask('/rpc/echo', { method: 'POST', raw: bytes, headers })
    expect(answer.bytes).toEqual(bytes)
    expect(answer.headers['content-type']).toBe('application/octet-stream')
  })

  test('give nothing but headers to HEAD', async () => {
    const answer = await world.ask('/rpc/pixel?id=1', { method: 'HEAD', headers: { accept: 'image/png' } })
    expect(answer).toMatchObject({ status: 200, text: '', headers: { 'content-type': 'image/png' } })
  })
})

describe('aggregates', () => {
  test('make bytes of the rows of their table', async () => {
    const answer = await get('/pixels?order=id', 'image/png')
    expect(answer.bytes).toEqual(Buffer.concat([PNG, Buffer.from([1, 2])]))
    expect(answer.headers['content-type']).toBe('image/png')
    expect((await get('/pixels?id=eq.2', 'image/png')).bytes).toEqual(Buffer.from([1, 2]))
    expect((await get('/pixels?id=eq.3', 'image/png')).bytes).toEqual(Buffer.alloc(0))
  })

  test('make texts, with headers of their own, of a table and of a function that returns its rows', async () => {
    for (const path of ['/notices?order=id', '/rpc/all_notices?order=id']) {
      const answer = await get(path, 'text/tab-separated-values')
      expect(answer).toMatchObject({ status: 200, text: 'id\tnote\n1\tone\n2\ttwo\n' })
      expect(answer.headers['content-disposition']).toBe('attachment; filename="n.tsv"')
      expect(answer.headers['content-type']).toBe('text/tab-separated-values')
    }
  })

  test('over anything serve every table and any selection, unless the table has its own', async () => {
    const type = 'application/vnd.rows+json'
    const all = await get('/clients?id=eq.1', type)
    expect(all.body).toEqual([{ id: 1, name: 'Acme' }])
    expect(all.headers['content-type']).toBe(type)
    expect((await get('/clients?id=eq.1&select=name,projects(id)&projects.order=id', type)).body).toEqual([
      { name: 'Acme', projects: [{ id: 1 }, { id: 2 }] },
    ])
    expect((await get('/rpc/all_notices?id=eq.2', type)).body).toEqual([{ id: 2, note: 'two' }])
    expect((await get('/rpc/a_number', type)).body).toEqual([1])
    expect((await get('/pixels', type)).body).toBe('own')
  })

  test('override the built-in ones, but none of the types of the vendor', async () => {
    expect((await get('/replaced', 'application/json')).text).toBe('{"replaced": true}')
    expect((await get('/replaced', 'application/vnd.pgrst.object')).text).toBe('{"id":1}')
  })

  test('answer writes that return rows', async () => {
    const headers = { accept: 'text/tab-separated-values', prefer: 'return=representation' }
    const answer = await world.ask('/notices', { method: 'POST', body: { id: 3, note: 'three' }, headers })
    expect(answer).toMatchObject({ status: 201, text: 'id\tnote\n3\tthree\n' })
    const silent = await world.ask('/notices?id=eq.3', { method: 'DELETE', headers: { accept: headers.accept } })
    expect(silent).toMatchObject({ status: 204, text: '' })
  })
})

describe('handlers for any type', () => {
  test.each(['*/*', 'app/bingo', 'text/csv', 'application/json'])('answer %s', async (accept) => {
    for (const [path, text] of [
      ['/rpc/whatever', 'any'],
      ['/anything?id=eq.1', 'one'],
    ] as const) {
      const answer = await get(path, accept)
      expect(answer).toMatchObject({ status: 200, text })
      expect(answer.headers['content-type']).toBe('application/octet-stream')
    }
  })

  test('may choose the type themselves, or refuse', async () => {
    for (const [accept, text, type] of [
      ['*/*', 'groucho', 'app/groucho'],
      ['app/chico', 'chico', 'app/chico'],
    ] as const) {
      const answer = await get('/rpc/picky', accept)
      expect(answer).toMatchObject({ status: 200, text, headers: { 'content-type': type } })
    }
    expect(await get('/rpc/picky', 'text/csv')).toMatchObject({ status: 406, body: { code: 'PT406' } })
  })
})

describe('GeoJSON', () => {
  // PostGIS is not among the extensions that come along: a function of its name and shape stands in for it.
  test('is made by the function of PostGIS as soon as there is one', async () => {
    expect((await get('/pixels', 'application/geo+json')).status).toBe(406)
    await world.rows(`
      create function extensions.st_asgeojson(r record, geom_column text default '') returns text language plpgsql stable as $$
        begin
          if to_jsonb(r) -> 'id' is null then raise sqlstate '22023' using message = 'geometry column is missing'; end if;
          return json_build_object('type', 'Feature', 'geometry', null, 'properties', to_jsonb(r))::text;
        end $$`)
    await world.refresh()
    const answer = await get('/clients?id=lt.3&order=id&select=id', 'application/geo+json')
    expect(answer.headers['content-type']).toBe('application/geo+json; charset=utf-8')
    expect(answer.body).toEqual({
      type: 'FeatureCollection',
      features: [1, 2].map((id) => ({ type: 'Feature', geometry: null, properties: { id } })),
    })
    expect((await get('/clients?id=lt.0', 'application/geo+json')).body).toEqual({
      type: 'FeatureCollection',
      features: [],
    })
    expect(await get('/clients?select=name', 'application/geo+json')).toMatchObject({
      status: 400,
      body: { code: '22023', message: 'geometry column is missing' },
    })
    expect((await get('/rpc/all_clients?id=eq.1&select=id', 'application/geo+json')).body).toMatchObject({
      features: [{ properties: { id: 1 } }],
    })
  })
})
