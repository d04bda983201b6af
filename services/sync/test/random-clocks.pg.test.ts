/**
 * Random policies that read the clock, on tables whose rows change while their moments come: when all is quiet and after all moments, devices have what row-level
 * security shows. `HOLDFAST_CLOCK_HISTORIES` sets how many worlds are tried and `HOLDFAST_CLOCK_SEED` where they begin.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runAs, sql } from '@holdfast/postgres'
import {
  CLOCK_COLUMNS,
  CLOCK_SCHEMA,
  createRandom,
  ITEM_COLUMNS,
  POLICY_USERS,
  type Random,
  randomClockCondition,
  runsOf,
  seedOf,
} from '@holdfast/test-support'
import { openPolicyWorld } from './policy-histories.ts'
import type { World } from './sync-world.ts'

const COUNT = runsOf(1, { variable: 'HOLDFAST_CLOCK_HISTORIES' })
const FIRST = seedOf('HOLDFAST_CLOCK_SEED')
const TABLES = Array.from({ length: 12 }, (_, index) => `c${index}`)
const PATIENCE = { timeout: 60_000, interval: 50 }

let world: World
beforeAll(async () => {
  world = await openPolicyWorld()
  await world.run(CLOCK_SCHEMA)
})
afterAll(() => world[Symbol.asyncDispose]())

const columns = Object.entries({ ...ITEM_COLUMNS, ...CLOCK_COLUMNS }).map(([name, type]) => `${name} ${type}`)

function makeTable(random: Random, name: string): string {
  const policy = (): string => randomClockCondition(random).replaceAll('items.', `${name}.`)
  return `
    drop table if exists public.${name};
    create table public.${name} (id int primary key, ${columns.join(', ')});
    alter table public.${name} enable row level security;
    grant select on public.${name} to authenticated;
    create policy p0 on public.${name} for select to authenticated using (${policy()});
    ${random.chance(0.3) ? `create policy p1 on public.${name} for select to authenticated using (${policy()});` : ''}
    ${random.chance(0.2) ? `create policy r0 on public.${name} as restrictive for select to authenticated using (${policy()});` : ''}`
}

const moment = (random: Random): string =>
  random.pick([
    'null',
    `now() + interval '${random.below(4_000) - 1_000} ms'`,
    `now() + interval '1 day'`,
    `now() - interval '1 day'`,
  ])
const small = (random: Random): string => random.pick(['1', '2', '3', 'null'])
const person = (random: Random): string => `'${random.pick(POLICY_USERS)}'`

function changeRow(random: Random, table: string): string {
  const id = 1 + random.below(15)
  if (random.chance(0.15)) return `delete from public.${table} where id = ${id};`
  const [at, until] = [moment(random), moment(random)]
  if (table === 'stays')
    return `insert into public.stays values (${id}, ${small(random)}, ${person(random)}, ${at}, ${until})
      on conflict (id) do update set list_id = excluded.list_id, user_id = excluded.user_id, at = excluded.at, until = excluded.until;`
  const day = `current_date + ${random.below(3) - 1}`
  return `insert into public.${table} (id, list_id, org_id, owner_id, n, is_public, y_at, y_until, y_day)
    values (${id}, ${small(random)}, ${small(random)}, ${person(random)}, ${small(random)}, ${random.pick(['true', 'false'])}, ${at}, ${until}, ${day})
    on conflict (id) do update set list_id = excluded.list_id, owner_id = excluded.owner_id, y_at = excluded.y_at, y_until = excluded.y_until, y_day = excluded.y_day;`
}

async function shown(sub: string, tables: readonly string[]): Promise<ReadonlySet<string>> {
  const parts = tables.map((table) => sql.trusted(`select '${table}/' || id as key from public.${table}`))
  const rows = await runAs(
    world.db.requestPool,
    { role: 'authenticated', claims: { sub, role: 'authenticated' } },
    (tx) => tx.query<{ key: string }>(sql.join(parts, ' union all ')),
  )
  return new Set(rows.map(({ key }) => key))
}

test.each(Array.from({ length: COUNT }, (_, index) => FIRST + index))('seed %i', async (seed) => {
  const random = createRandom(seed)
  const made = TABLES.map((name) => makeTable(random, name))
  await world.run(`delete from public.stays; ${made.join('\n')}`)
  const change = (count: number): Promise<void> =>
    world.run(Array.from({ length: count }, () => changeRow(random, random.pick([...TABLES, 'stays']))).join('\n'))
  await change(150)
  await expect
    .poll(
      () =>
        TABLES.every((name) =>
          [...(world.service.plan()?.tables ?? []), ...(world.service.plan()?.refused ?? [])].some(
            (one) => one.name === name,
          ),
        ),
      PATIENCE,
    )
    .toBe(true)
  const people = POLICY_USERS.map((sub) => {
    const device = world.device(sub)
    device.connect()
    return { sub, device }
  })
  const expectEqual = (): Promise<void> =>
    expect
      .poll(async () => {
        const refused =
          world.service.plan()?.refused.filter(({ reason }) => /reads the clock in a way/.test(reason)) ?? []
        const tables = TABLES.filter((name) => !refused.some((one) => one.name === name))
        const wrong: string[] = []
        for (const { sub, device } of people) {
          const shows = await shown(sub, tables)
          const has = new Set(
            [...device.state.keys()].filter((key) => !key.startsWith('stays/') && /^c\d+\//.test(key)),
          )
          for (const key of new Set([...shows, ...has])) {
            if (shows.has(key) !== has.has(key))
              wrong.push(
                `${sub} ${has.has(key) ? 'has' : 'lacks'} ${key}: ${made[TABLES.indexOf(key.split('/')[0] ?? '')] ?? ''}`,
              )
          }
        }
        return wrong
      }, PATIENCE)
      .toEqual([])
  for (let round = 0; round < 4; round++) {
    await change(20)
    await expectEqual()
  }
  const soon = [
    ...TABLES.map((name) => `select y_at as m from public.${name} union all select y_until from public.${name}`),
    'select at from public.stays',
    'select until from public.stays',
  ]
  await expect
    .poll(
      async () =>
        (
          await world.rows(
            `select from (${soon.join(' union all ')}) s where m between now() - interval '1 second' and now() + interval '1 hour'`,
          )
        ).length,
      PATIENCE,
    )
    .toBe(0)
  await expectEqual()
  expect(people.flatMap(({ device }) => device.faults)).toEqual([])
  expect(world.service.plan()?.tables.filter(({ name }) => TABLES.includes(name)).length).toBeGreaterThan(
    TABLES.length / 2,
  )
  for (const { device } of people) device.disconnect()
})
