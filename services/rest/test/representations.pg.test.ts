import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRestWorld, type RestWorld } from './rest-world.ts'

// A domain with implicit casts to and from json and text is written in answers and read in filters by the functions of those casts.

let world: RestWorld

beforeAll(async () => {
  world = await openRestWorld()
  await world.rows(`
    create domain color as int check (value between 0 and 16777215);
    create function color_json(color) returns json language sql immutable strict as
      $$ select to_json('#' || lpad(upper(to_hex($1::int)), 6, '0')) $$;
    create function color_of_text(text) returns color language sql immutable strict as
      $$ select ('x' || lpad(ltrim($1, '#'), 8, '0'))::bit(32)::int::color $$;
    create cast (color as json) with function color_json(color) as implicit;
    create cast (text as color) with function color_of_text(text) as implicit;
    create table paints (id int primary key, name text, shade color, other int);
    create table walls (id int primary key, paint_id int references paints, tint color);
    insert into paints values (1, 'red', 16711680, 5), (2, 'blue', 255, 6), (3, 'none', null, 7);
    insert into walls values (1, 1, 1), (2, 1, 2);
    create view paint_list as select id, shade from paints;
    create function painted(paints) returns int language sql immutable as $$ select 1 $$;
  `)
  await world.refresh()
})

afterAll(() => world?.[Symbol.asyncDispose]())

describe('a domain that is represented', () => {
  test.each([
    [
      'is written as its function says',
      '/paints?select=id,shade&order=id',
      [
        { id: 1, shade: '#FF0000' },
        { id: 2, shade: '#0000FF' },
        { id: 3, shade: null },
      ],
    ],
    ['also under another name', '/paints?select=tone:shade&id=eq.1', [{ tone: '#FF0000' }]],
    ['also among all columns', '/paints?id=eq.2', [{ id: 2, name: 'blue', shade: '#0000FF', other: 6 }]],
    [
      'also beside a computed column',
      '/paints?select=*,painted&id=eq.2',
      [{ id: 2, name: 'blue', shade: '#0000FF', other: 6, painted: 1 }],
    ],
    ['also in a view', '/paint_list?id=eq.2', [{ id: 2, shade: '#0000FF' }]],
    [
      'also in embeds',
      '/walls?select=tint,paints(*)&id=eq.1',
      [{ tint: '#000001', paints: { id: 1, name: 'red', shade: '#FF0000', other: 5 } }],
    ],
    [
      'also in spreads',
      '/paints?select=shade,...walls(tint)&id=eq.1&walls.order=id',
      [{ shade: '#FF0000', tint: ['#000001', '#000002'] }],
    ],
    ['is found by its text', '/paints?select=id&shade=eq.%230000FF', [{ id: 2 }]],
    ['is found by what it is not', '/paints?select=id&shade=neq.%230000FF', [{ id: 1 }]],
    ['is found in a list', '/paints?select=id&shade=in.(%230000FF,%23FF0000)&order=id', [{ id: 1 }, { id: 2 }]],
    ['is found in an empty list', '/paints?select=id&shade=in.()', []],
    ['is found by any of several', '/paints?select=id&shade=eq(any).{%230000FF,%23000001}', [{ id: 2 }]],
    [
      'is found inside of trees',
      '/paints?select=id&or=(shade.gt.%23FE0000,shade.is.null)&order=id',
      [{ id: 1 }, { id: 3 }],
    ],
    [
      'is found in embeds',
      '/paints?select=id,walls!inner(id)&walls.tint=eq.%23000002',
      [{ id: 1, walls: [{ id: 2 }] }],
    ],
    ['is ordered as what it is', '/paints?select=id&order=shade.asc.nullsfirst', [{ id: 3 }, { id: 2 }, { id: 1 }]],
  ])('%s', async (_title, path, expected) => {
    const answer = await world.ask(path)
    expect(answer.body, answer.text).toEqual(expected)
  })

  test('is found in updates and comes with what was written', async () => {
    const { body } = await world.ask('/paints?shade=eq.%230000FF', {
      method: 'PATCH',
      body: { other: 9 },
      headers: { prefer: 'return=representation,tx=rollback' },
    })
    expect(body).toEqual([{ id: 2, name: 'blue', shade: '#0000FF', other: 9 }])
  })
})
