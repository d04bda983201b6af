import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ask, openRestWorld, type RestWorld } from './rest-world.ts'

// Invariant: what `missing=default` fills in is what Postgres fills in by itself.

let world: RestWorld

const DEFAULTS = {
  whole: `bigint default extract(epoch from timestamptz '2026-01-01 00:00:00.6+00')`,
  rounded: 'int default 2.5::float8 * 3.1',
  cut: 'numeric(6,2) default 1.239',
  place: `place default row('Main street', 7)`,
  moment: `text default timestamptz '2026-01-01 10:00+00'`,
  day: `date default timestamp '2026-01-02 23:59'`,
  bits: `bit(3) default b'101'`,
  fixed: `char(5) default 'abc'`,
  letter: `"char" default 'q'`,
  short: `varchar(4) default 'abcd'`,
  list: `int[] default array[1.4, 2.6]`,
  grid: `int[] default '{{1,2},{3,4}}'`,
  tree: `jsonb default '{"a": [1, null]}'`,
  bytes: `bytea default '\\x00ff'`,
  never: `timestamptz default 'infinity'`,
  none: `float8 default 'NaN'`,
  span: `int4range default '[1,4]'`,
  state: `state default 'a"b'`,
  period: `interval default '1 mon 2 days'`,
  price: 'money default 1234.5',
  size: 'size',
}

beforeAll(async () => {
  world = await openRestWorld()
  await world.rows(`
    create type place as (street text, "house.number" int);
    create type state as enum ('a"b', 'c');
    create domain size as int default 5;
    create table filled (id int primary key, ${Object.entries(DEFAULTS)
      .map(([name, definition]) => `${name} ${definition}`)
      .join(', ')});
    create table broad (id int primary key, ${numbered((name, index) => `${name} int default ${index}`)})`)
  await world.refresh()
})

afterAll(() => world?.[Symbol.asyncDispose]())

function numbered(render: (name: string, index: number) => string): string {
  return Array.from({ length: 120 }, (_, index) => render(`c${index}`, index)).join(',')
}

const insert = (prefer: string, body: unknown): Ask => ({
  method: 'POST',
  headers: { prefer: `return=representation${prefer}` },
  body,
})

test('a default has the type of its column, whatever type it was written in', async () => {
  const names = Object.keys(DEFAULTS).join(',')
  const [own] = (await world.ask(`/filled?select=${names}`, insert('', { id: 1 }))).body as unknown[]
  const asked = await world.ask(`/filled?select=${names}&columns=id,${names}`, insert(', missing=default', { id: 2 }))
  expect(asked).toMatchObject({ status: 201, body: [own] })
})

test('as many columns as a table may have can have defaults', async () => {
  const columns = `id,${numbered((name) => name)}`
  const body = [{ id: 1, c3: 1000 }, { id: 2 }]
  const asked = await world.ask(`/broad?select=c0,c3,c119&columns=${columns}`, insert(', missing=default', body))
  expect(asked).toMatchObject({
    status: 201,
    body: [
      { c0: 0, c3: 1000, c119: 119 },
      { c0: 0, c3: 3, c119: 119 },
    ],
  })
})
