import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRestWorld, type RestWorld } from './rest-world.ts'

// Names, paths and types as a request can write them, and the errors for those that it cannot.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
  await world.rows(`
    create type point3 as (x int, y text);
    create domain short_text as text check (length(value) < 10);
    create domain search as tsvector;
    create type mood as enum ('sad', 'glad');
    create table "odd, names" (
      id int primary key, ":arr->ow::cast" text, "(inside,parens)" text, "a.dotted.column" text, "  spaces  " text, "say ""hi""" text,
      "back\\slash" text, "field-with-dash" int, "größe" int, a$num$ int, "count" int, "item" text
    );
    insert into "odd, names" values (1, 'arrow', 'parens', 'dots', 'spaces', 'quotes', 'slash', 2, 3, 4, 5, 'it');
    create table shapes (id int primary key, place point3, nested int[][], tags text[], short short_text, feeling mood, doc json,
      words search, span int4range, price numeric(10, 2), wide bigint);
    insert into shapes values
      (1, (7, 'y'), '{{1,2},{3,4}}', '{a,b}', 'abc', 'glad', '{"k": {"n": 1.5}, "l": [{"m": "v"}], "a b": 2, "0": "zero"}', 'fat cat', '[1,5)', 1.50, 9007199254740993),
      (2, null, null, '{}', null, 'sad', '[10, 20]', 'thin dog', '[5,9)', 2, 1);
    create extension file_fdw;
    create server files foreign data wrapper file_fdw;
    create foreign table far (id int, name text) server files options (program 'printf "1,near\\n2,far\\n"', format 'csv');
    create table ours (rest_page int, rest_rows int, rest_result int, rest_item int, rest_scalar int);
    insert into ours values (1, 2, 3, 4, 5);
    create table regions (id int, name text) partition by list (id);
    create table region_one partition of regions for values in (1);
    insert into regions values (1, 'one');
  `)
  await world.refresh()
})

afterAll(() => world?.[Symbol.asyncDispose]())

describe('a select is refused', () => {
  test.each([
    ['a column that is not there', '/shapes?select=nothing', '42703', undefined],
    ['a cast to no type', '/shapes?select=id::nothing', '42704', undefined],
    ['an embed without an end', '/tasks?select=id,projects(name', 'PGRST100', undefined],
    ['a character that ends nothing', '/shapes?select=id!', 'PGRST100', undefined],
    ['a cast without a type', '/shapes?select=id::', 'PGRST100', 'unexpected end of input expecting letter or digit'],
    ['a path of two dashes', '/shapes?select=doc->>--34', 'PGRST100', 'unexpected "-" expecting digit'],
    [
      'a number that goes on',
      '/shapes?select=doc->>-78xy',
      'PGRST100',
      `unexpected 'x' expecting digit, "->", "::", ".", "," or end of input`,
    ],
    [
      'an order with half a word',
      '/shapes?order=id.asc.nullslasttt',
      'PGRST100',
      `unexpected 't' expecting "," or end of input`,
    ],
    [
      'an order with another word',
      '/shapes?order=id.asc.nlsfst',
      'PGRST100',
      'unexpected "n" expecting "nullsfirst" or "nullslast"',
    ],
    [
      'an empty tree',
      '/shapes?or=()',
      'PGRST100',
      'unexpected ")" expecting field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)',
    ],
    [
      'a filter without an operator',
      '/shapes?id=0',
      'PGRST100',
      'unexpected "0" expecting "not" or operator (eq, gt, ...)',
    ],
    ['an is of something else', '/shapes?id=is.nil', 'PGRST100', undefined],
    ['a list without brackets', '/shapes?id=in.1,2', 'PGRST100', 'unexpected "1" expecting "("'],
    ['a value that the type does not have', '/shapes?feeling=eq.angry', '22P02', undefined],
    ['an operator that the type does not have', '/shapes?id=cs.{1}', '42883', undefined],
    ['a path into text', '/shapes?select=doc->>k->n', '42883', undefined],
  ])('%s', async (_title, path, code, details) => {
    const { status, body } = await world.ask(encodeURI(path))
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(body).toMatchObject({ code, ...(details === undefined ? {} : { details }) })
  })

  test('with the place where it stopped to make sense', async () => {
    expect((await world.ask('/shapes?or=()')).body).toMatchObject({
      message: '"failed to parse logic tree (())" (line 1, column 4)',
    })
  })
})

describe('a select reads', () => {
  test.each(['application/json', 'application/vnd.pgrst.object', 'text/csv'])(
    'columns that are called as our own names in the statement (%s)',
    async (accept) => {
      const { body, text } = await world.ask('/ours', { headers: { accept } })
      const row = { rest_page: 1, rest_rows: 2, rest_result: 3, rest_item: 4, rest_scalar: 5 }
      const csv = `${Object.keys(row).join(',')}\n${Object.values(row).join(',')}`
      if (accept === 'text/csv') expect(text).toBe(csv)
      else expect(body).toEqual(accept === 'application/json' ? [row] : row)
    },
  )

  const odd = encodeURIComponent('odd, names')
  test.each([
    [
      'quoted names',
      `/${odd}?select=":arr->ow::cast","(inside,parens)","a.dotted.column","  spaces  ","say \\"hi\\"","back\\\\slash"`,
      [
        {
          ':arr->ow::cast': 'arrow',
          '(inside,parens)': 'parens',
          'a.dotted.column': 'dots',
          '  spaces  ': 'spaces',
          'say "hi"': 'quotes',
          'back\\slash': 'slash',
        },
      ],
    ],
    [
      'names with dashes, dollars and letters of other alphabets',
      `/${odd}?select=field-with-dash,größe,a$num$`,
      [{ 'field-with-dash': 2, größe: 3, a$num$: 4 }],
    ],
    ['aliases of other alphabets', `/${odd}?select=番号:id,"a:b":id`, [{ 番号: 1, 'a:b': 1 }]],
    [
      'filters and orders by such names',
      `/${odd}?select=id&"a.dotted.column"=eq.dots&größe=gt.1&order="(inside,parens)".desc`,
      [{ id: 1 }],
    ],
    ['a column called count', `/${odd}?select=count`, [{ count: 5 }]],
    ['spaces between items', '/shapes?select=id, short , tags &id=eq.1', [{ id: 1, short: 'abc', tags: ['a', 'b'] }]],
    ['nothing as everything', '/clients?select=&id=eq.1', [{ id: 1, name: 'Acme' }]],
    ['everything of a partitioned table', '/regions', [{ id: 1, name: 'one' }]],
    [
      'a composite and an element of it',
      '/shapes?select=place,place->x,b:place->>y&id=eq.1',
      [{ place: { x: 7, y: 'y' }, x: 7, b: 'y' }],
    ],
    [
      'elements of arrays',
      '/shapes?select=a:nested->0->1,b:nested->>1,tags->-1&id=eq.1',
      [{ a: 2, b: '[3, 4]', tags: 'b' }],
    ],
    [
      'paths with keys of any kind',
      '/shapes?select=doc->k->n,doc->l->0->>m,"w":doc->"a b",z:doc->"0"&id=eq.1',
      [{ n: 1.5, m: 'v', w: 2, z: 'zero' }],
    ],
    ['an index of an array in an embed', '/tasks?select=projects(meta->list->1)&id=eq.1', [{ projects: { list: 20 } }]],
    [
      'domains, enums, ranges and numbers',
      '/shapes?select=short,feeling,span,price&id=eq.1',
      [{ short: 'abc', feeling: 'glad', span: '[1,5)', price: 1.5 }],
    ],
    [
      'casts to them',
      '/shapes?select=tags::text,price::int,s:feeling::text,doc->k->>n::numeric&id=eq.1',
      [{ tags: '{a,b}', price: 2, s: 'glad', n: 1.5 }],
    ],
    ['rows by a domain and an enum', '/shapes?select=id&short=eq.abc&feeling=gt.sad', [{ id: 1 }]],
    ['rows by an element of an array', '/shapes?select=id&nested->0->1=eq.2&tags->>0=eq.a', [{ id: 1 }]],
    ['rows by a part of a composite', '/shapes?select=id&place->>y=eq.y&order=place->x', [{ id: 1 }]],
    ['rows by JSON inside of JSON', '/shapes?select=id&doc->k->>n=eq.1.5', [{ id: 1 }]],
    ['rows by text search in a domain over tsvector', '/shapes?select=id&words=fts(simple).cat', [{ id: 1 }]],
    [
      'rows by a list with commas, quotes and brackets',
      '/people?select=id&name=in.("Ann","B,(\\"n",Ben)&order=id',
      [{ id: 1 }, { id: 2 }],
    ],
    ['rows by any pattern', '/people?select=id&name=like(any).{A*,*en}&order=id', [{ id: 1 }, { id: 2 }]],
    ['rows by all patterns', '/people?select=id&name=imatch(all).{^a,n$}', [{ id: 1 }]],
    ['rows that differ, null included', '/shapes?select=id&short=isdistinct.abc', [{ id: 2 }]],
    ['rows that do not', '/shapes?select=id&short=not.isdistinct.abc', [{ id: 1 }]],
    ['rows by is in any case', '/shapes?select=id&place=is.NOT_NULL', [{ id: 1 }]],
  ])('%s', async (_title, path, expected) => {
    const answer = await world.ask(encodeURI(path).replaceAll('%25', '%'))
    expect(answer.body, answer.text).toEqual(expected)
    expect(answer.status).toBe(200)
  })

  test('all digits of a number', async () => {
    expect((await world.ask('/shapes?select=wide&id=eq.1')).text).toBe('[{"wide":9007199254740993}]')
  })

  test('one column twice, as JSON may', async () => {
    expect((await world.ask('/clients?select=*,name,id&id=eq.1')).text).toBe(
      '[{"id":1,"name":"Acme","name":"Acme","id":1}]',
    )
  })
})
