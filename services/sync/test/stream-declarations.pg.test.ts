import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALICE, openWorld, type World } from './sync-world.ts'

// What a stream's declaration is answered with, and which types its parameters may have.

const TYPES: Readonly<Record<string, readonly [value: string, other: string]>> = {
  date: ['2026-03-01', '2026-03-02'],
  timestamp: ['2026-03-01 10:00:00', '2026-03-01 10:00:01'],
  timestamptz: ['2026-03-01T10:00:00Z', '2026-03-01T10:00:01Z'],
  numeric: ['1.50', '1.51'],
  uuid: ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'],
}

let world: World

beforeAll(async () => {
  const columns = Object.keys(TYPES).map((type) => `at_${type} ${type}`)
  const values = (index: 0 | 1): string =>
    Object.values(TYPES)
      .map((pair) => `'${pair[index]}'`)
      .join(', ')
  const streams = Object.keys(TYPES).map(
    (type) => `
      select sync.create_stream('cast_${type}', $$ select * from events where at_${type} = subscription.parameter('v')::${type} $$);
      select sync.create_stream('from_${type}', $$ select * from events where at_${type} >= subscription.parameter('v') $$);
      select sync.create_stream('list_${type}', $$ select * from events where at_${type} = any (subscription.parameter('v')) $$);`,
  )
  world = await openWorld({
    schema: `
      create table public.events (id integer primary key, ${columns.join(', ')});
      alter table public.events enable row level security;
      create policy everybody on public.events for select using (true);
      insert into public.events values (1, ${values(0)}), (2, ${values(1)});
      ${streams.join('\n')}`,
  })
})

afterAll(() => world[Symbol.asyncDispose]())

async function idsOf(stream: string, v: unknown): Promise<readonly string[]> {
  const subscription = { stream, parameters: { v }, override_priority: null }
  const device = world.device(ALICE)
  device.connect({ streams: { include_defaults: false, subscriptions: [subscription] } })
  await device.until(() => device.completed.length > 0)
  const streams = (device.lines.find((line) => line.checkpoint)?.checkpoint?.streams ?? []) as { errors: unknown[] }[]
  device.disconnect()
  const errors = streams.flatMap((one) => one.errors).map((error) => JSON.stringify(error))
  return [...device.ids('events').toSorted(), ...errors]
}

test.each(Object.entries(TYPES))('a parameter may be a %s', async (type, [first, second]) => {
  expect(world.service.plan()?.streams.flatMap(({ refused }) => refused)).toEqual([])
  expect(await idsOf(`cast_${type}`, first)).toEqual(['1'])
  expect(await idsOf(`from_${type}`, second)).toEqual(['2'])
  expect(await idsOf(`list_${type}`, [second, first])).toEqual(['1', '2'])
})

test('a word for the current day is no date: it would be another one tomorrow', async () => {
  for (const word of ['today', 'NOW', ' yesterday '])
    expect((await idsOf('cast_date', word)).join()).toMatch(/parameter .*v.*has to be written out/)
  expect((await idsOf('list_date', ['2026-03-01', 'tomorrow'])).join()).toMatch(/has to be written out/)
})

describe('a declaration that cannot be followed is refused at once', () => {
  test.each([
    ['select * from events limit 5', /LIMIT/],
    ['select * from events order by id', /no order/],
    ['select distinct * from events', /DISTINCT/],
    ['select id from events group by id', /GROUP BY/],
    ['select * from events union select * from events', /UNION/],
    ['with e as (select * from events) select * from e', /WITH/],
    ['select * from events where at_timestamptz > clock_timestamp()', /volatile/],
    ['select * from events where id > random() * 10', /volatile/],
  ])('%s', async (query, reason) => {
    await expect(world.run(`select sync.create_stream('wrong', $$ ${query} $$)`)).rejects.toThrow(reason)
    expect(await world.rows(`select from sync.streams where name = 'wrong'`)).toEqual([])
  })
})

test('a stream may compare the clock with a column', async () => {
  await world.run(`
    insert into public.events (id, at_timestamptz) values (11, now() - interval '1 day'), (12, now() + interval '2 s'), (13, now() + interval '1 day');
    select sync.create_stream('coming', $$ select * from events where at_timestamptz > now() $$)`)
  const device = world.device(ALICE)
  const subscription = { stream: 'coming', parameters: {}, override_priority: null }
  device.connect({ streams: { include_defaults: false, subscriptions: [subscription] } })
  await device.until(() => device.ids('events').length === 1, 'the event that stays', 30_000)
  expect(device.ids('events')).toEqual(['13'])
  expect(world.service.plan()?.streams.find(({ name }) => name === 'coming')?.refused).toEqual([])
  device.disconnect()
  await world.run(`delete from public.events where id > 10`)
})
