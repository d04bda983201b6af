import { afterEach, beforeEach, expect, test } from 'vitest'
import type { StreamClient } from './stream-client.ts'
import { ALICE, openWorld, type World } from './sync-world.ts'

/* What tells rows apart, what their values are made of, and who may select which column, changed while a device is connected. */

const SCHEMA = `
  create type public.size as (w int, h int);
  create table public.parts (code text primary key, owner_id uuid, n int not null, size public.size, secret text);
  alter table public.parts enable row level security;
  create policy own on public.parts for select using (owner_id = (select auth.uid()));
  insert into public.parts values ('a', '${ALICE}', 1, '(1,2)', 's1'), ('b', '${ALICE}', 2, null, 's2');
`

let world: World
let device: StreamClient
let round = 0

beforeEach(async () => {
  round = 0
  world = await openWorld({ schema: SCHEMA })
  device = world.device(ALICE)
  device.connect()
  await device.until(() => device.state.size === 2)
})

afterEach(() => world[Symbol.asyncDispose]())

const rows = (): Record<string, unknown> =>
  Object.fromEntries(
    [...device.state]
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, json]) => [key.slice('parts/'.length), JSON.parse(json) as unknown]),
  )

/** Rows as they are once a later change has come. */
async function after(statements: string): Promise<Record<string, unknown>> {
  await world.run(statements)
  round++
  await world.run(`update public.parts set n = n % 10 + ${round * 10}`)
  await device.until(() => {
    if (!device.isOpen) device.connect()
    return device.state.size > 0 && [...device.state.values()].every((json) => json.includes(`"n":${round}`))
  }, 'the later change')
  expect(device.faults).toEqual([])
  return rows()
}

test('a composite that gains an attribute', async () => {
  expect(rows()).toMatchObject({ a: { size: '{"w":1,"h":2}' }, b: { size: null } })
  expect(await after(`alter type public.size add attribute d text`)).toMatchObject({
    a: { size: '{"w":1,"h":2,"d":null}' },
  })
})

test('an attribute of a composite with another name', async () => {
  expect(await after(`alter type public.size rename attribute h to height`)).toMatchObject({
    a: { size: '{"w":1,"height":2}' },
  })
})

test('another primary key gives the rows other ids, in one checkpoint', async () => {
  const before = device.completed.length
  const found = await after(
    `alter table public.parts drop constraint parts_pkey; alter table public.parts add primary key (n, code)`,
  )
  expect(Object.keys(found)).toEqual(['["11","a"]', '["12","b"]'])
  for (const { state } of device.completed.slice(before)) expect(state.size).toBe(2)
})

test('a table that loses its only key leaves devices, and comes back with another', async () => {
  await world.run(
    `alter table public.parts drop constraint parts_pkey; alter table public.parts alter column code drop not null`,
  )
  await device.until(() => device.state.size === 0, 'the table to leave')
  await world.run(`create unique index on public.parts (n)`)
  await device.until(() => device.state.size === 2, 'the table to come back')
  expect(Object.keys(rows())).toEqual(['1', '2'])
})

test('a column whose grant is taken leaves devices and the wire, and comes back', async () => {
  const received = device.received.length
  const taken = await after(
    `revoke select on public.parts from authenticated; grant select (code, owner_id, n) on public.parts to authenticated`,
  )
  expect(taken).toEqual({ a: { code: 'a', owner_id: ALICE, n: 11 }, b: { code: 'b', owner_id: ALICE, n: 12 } })
  expect(device.received.slice(received).filter((row) => row.includes('secret'))).toEqual([])
  const given = await after(
    `grant select (secret) on public.parts to authenticated; update public.parts set secret = 'new'`,
  )
  expect(given).toMatchObject({ a: { secret: 'new' }, b: { secret: 'new' } })
  expect(device.received.filter((row) => row.includes('s1')).length).toBe(1)
})

test('a person who may not select the key any more has nothing of the table', async () => {
  await world.run(
    `revoke select on public.parts from authenticated; grant select (n, owner_id) on public.parts to authenticated`,
  )
  await device.until(() => device.state.size === 0, 'the table to leave')
})
