import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRestWorld, type RestWorld } from './rest-world.ts'

// A type is the one that a column or a parameter has, whatever the search path finds under its name.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld({ restSchemas: ['api'], restExtraSearchPath: [], restRowsMax: 0 })
  await world.rows(`
    create schema api; grant usage on schema api to anon, authenticated, service_role;
    create type public.mood as enum ('good', 'bad');
    create type api.mood as enum ('up', 'down');
    create type public.shade as enum ('light', 'dark');
    create domain public."text/xml" as pg_catalog.xml;
    create table api.notes (
      id int primary key, mood public.mood default 'good', own api.mood, shade public.shade, shades public.shade[]);
    create view api.note_list as select id, shade from api.notes;
    create function api.feel(mood public.mood, own api.mood default 'up') returns text
      stable language sql as 'select mood || '' '' || own';
    create function api.page() returns public."text/xml" stable language sql as $$ select E'\n<a>\n</a>'::xml $$;
    create function api.many() returns setof api.notes volatile rows 2000 language sql as 'select * from api.notes';
    create view api.many_view as select * from api.many();
    grant select, insert, update, delete on all tables in schema api to anon, service_role`)
  await world.refresh()
})

afterAll(() => world?.[Symbol.asyncDispose]())

test('a type of the exposed schema does not shadow one of public, nor does the search path have to name public', async () => {
  const headers = { prefer: 'return=representation' }
  const rows = [
    { id: 1, mood: 'good', own: 'down', shade: 'dark', shades: ['light', 'dark'] },
    { id: 2, mood: 'bad', own: 'up', shade: 'light', shades: [] },
    { id: 3, mood: 'good', own: 'up', shade: null, shades: null },
  ]
  expect(await world.ask('/notes', { method: 'POST', headers, body: rows })).toMatchObject({ status: 201, body: rows })
  expect((await world.ask('/notes?id=eq.1', { method: 'PATCH', headers, body: { mood: 'bad' } })).body).toEqual([
    { ...rows[0], mood: 'bad' },
  ])
  const defaulted = { method: 'POST', headers: { prefer: 'return=representation, missing=default' } } as const
  expect((await world.ask('/notes?columns=id,mood', { ...defaulted, body: { id: 4 } })).body).toMatchObject([
    { mood: 'good' },
  ])
  expect((await world.ask('/rpc/feel', { method: 'POST', body: { mood: 'bad', own: 'down' } })).body).toBe('bad down')
  expect((await world.ask('/rpc/feel?mood=bad&own=down')).body).toBe('bad down')
})

test('the description names types with their schema, and keys of views', async () => {
  const { definitions } = (await world.ask('/')).body as {
    definitions: Record<string, { properties: Record<string, Record<string, unknown>> }>
  }
  expect(definitions['notes']?.properties).toMatchObject({
    id: { format: 'int32' },
    mood: { format: 'public.mood', type: 'string', enum: ['good', 'bad'], default: 'good' },
    own: { format: 'api.mood', enum: ['up', 'down'] },
    shades: { format: 'public.shade[]', type: 'array' },
  })
  expect(definitions['note_list']?.properties['id']).toMatchObject({
    description: 'Note:\nThis is a Primary Key.<pk/>',
  })
})

test('a cast is the one of the SQL grammar, to names that the catalog does not have as well', async () => {
  await world.rows(`create view api.pieces as select 'abc'::text as letters, 6 as number, b'101'::varbit as bits;
    grant select on api.pieces to service_role`)
  await world.refresh()
  const casts = {
    letters: [
      'bpchar',
      'char',
      'char varying',
      'character',
      'character varying',
      'name',
      'national char varying',
    ].concat(['national character', 'national character varying', 'nchar', 'nchar varying', 'NCHAR', 'varchar']),
    number: ['bigint', 'bit', 'dec', 'double precision', 'float', 'int', 'real', 'smallint'],
    bits: ['bit', 'bit varying', 'varbit'],
  }
  for (const [column, types] of Object.entries(casts)) {
    for (const type of types) {
      const expected = await world.rows(`select to_json(cast(${column} as ${type})) as value from api.pieces`)
      const query = new URLSearchParams({ select: `value:${column}::${type}` })
      const { body } = await world.ask(`/pieces?${query}`)
      expect(JSON.stringify(body), type).toBe(JSON.stringify(expected))
    }
  }
})

test('XML is what its output function makes of it, without the first newline', async () => {
  expect(await world.ask('/rpc/page', { headers: { accept: 'text/xml' } })).toMatchObject({ text: '<a>\n</a>' })
})

test('an estimate is the greater of the rows and the plan, if there are more rows than one answer may have', async () => {
  const count = { method: 'HEAD', headers: { prefer: 'count=estimated' } } as const
  const rangeOf = async (ask: RestWorld['ask'], path: string) => (await ask(path, count)).headers['content-range']
  // Without a limit of rows every answer may be estimated.
  expect(await rangeOf(world.ask, '/many_view')).toBe('0-3/2000')
  await using limited = await openRestWorld({ restRowsMax: 2 })
  await limited.rows(`
    create function public.many() returns setof public.clients volatile rows 2000 language sql as 'select * from public.clients';
    create function public.few() returns setof public.clients volatile rows 1 language sql as 'select * from public.clients';
    create view public.many_view as select * from public.many();
    create view public.few_view as select * from public.few();
    insert into clients (id, name) select 100 + n, 'more' from generate_series(1, 5) as n;
    grant select on public.many_view, public.few_view to service_role`)
  await limited.refresh()
  expect(await rangeOf(limited.ask, '/many_view')).toBe('0-1/2000')
  expect(await rangeOf(limited.ask, '/many_view?limit=1')).toBe('0-0/2000')
  expect(await rangeOf(limited.ask, '/few_view')).toBe('0-1/3')
  expect(await rangeOf(limited.ask, '/few_view?id=eq.101')).toBe('0-0/1')
  // What a function returns is counted whole.
  const [{ count: all }] = (await limited.rows('select count(*) from clients')) as [{ count: string }]
  expect(await rangeOf(limited.ask, '/rpc/few')).toBe(`0-1/${all}`)
})
