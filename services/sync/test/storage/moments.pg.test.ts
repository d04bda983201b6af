/** The functions that tell when the clock gets somewhere: between two moments that they give, no comparison changes. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { syncMigrations } from '../../src/sync.ts'

let db: TestDatabase

beforeAll(async () => {
  db = await openTestDatabase({ migrations: [syncMigrations] })
  // Walks along the moments that `next` gives around `base`, and looks for changes of `is_past` that none of them is at.
  await db.pool.execute(
    sql.trusted(`
    create function public.missed(next text, is_past text, base timestamptz, days int) returns setof text language plpgsql as $$
    declare
      at timestamptz := base - make_interval(days => days);
      upto timestamptz := base + make_interval(days => days);
      found timestamptz;
      sample timestamptz;
      was boolean;
      is_now boolean;
      steps int := 0;
    begin
      loop
        execute 'select ' || next using at into found;
        if found < at then return next format('%s is before %s', found, at); return; end if;
        -- Up to the moment itself nothing changes; what changes there shows just behind it.
        execute 'select ' || is_past using at into was;
        for sample in select generate_series(at, least(coalesce(found, upto), upto), interval '5 minutes') loop
          execute 'select ' || is_past using sample into is_now;
          if is_now is distinct from was and sample < coalesce(found, upto) then return next format('changes between %s and %s', at, sample); return; end if;
        end loop;
        steps := steps + 1;
        exit when found is null or found >= upto;
        at := found + interval '1 microsecond';
      end loop;
      if steps > 3000 then return next format('%s moments', steps); end if;
    end $$`),
  )
})
afterAll(() => db[Symbol.asyncDispose]())

const CASES: readonly (readonly [zone: string, at: string, shift: string])[] = [
  ['UTC', '2026-03-31 12:00', '-30 days'],
  ['UTC', '2026-01-31 12:00', '-1 month'],
  ['UTC', '2024-02-29 00:30', '-1 year'],
  ['UTC', '2026-03-31 05:00', '1 month -3 days 7 hours'],
  ['Europe/Berlin', '2026-03-29 02:30', '-1 day'],
  ['Europe/Berlin', '2026-10-25 02:30', '-1 day'],
  ['Europe/Berlin', '2026-09-25 02:30', '-30 days'],
  ['Europe/Berlin', '2026-09-25 02:30', '-1 month'],
  ['Europe/Berlin', '2026-02-28 02:30', '-1 month'],
  ['America/Havana', '2026-11-01 00:30', '-24 hours'],
  ['America/Havana', '2026-11-01 00:30', '-2 days'],
  ['Australia/Lord_Howe', '2026-04-05 01:45', '-7 days'],
  ['America/Santiago', '2026-09-06 00:00', '-1 day'],
]

test.each(CASES)('in %s, moments around %s and %s', async (zone, at, shift) => {
  const missed = await db.pool.transaction(async (tx) => {
    await tx.execute(sql`select set_config('TimeZone', ${zone}, true)`)
    const moment = `'${at}'::timestamptz`
    const local = `'${at}'::timestamp`
    const base = `${moment} - '${shift}'::interval`
    const forms: readonly (readonly [next: string, isPast: string, base: string, days: number])[] = [
      [`sync.next_moment(${moment}, '${shift}', true, $1)`, `$1 + '${shift}'::interval > ${moment}`, base, 9],
      [`sync.next_moment(${local}::timestamptz, '0', false, $1)`, `$1::timestamp > ${local}`, moment, 3],
      [`sync.next_day(${local}::date, 0, $1)`, `$1::date = ${local}::date`, moment, 3],
      [
        `sync.next_day((${local} - '${shift}'::interval)::date, 6, $1)`,
        `$1::date + '${shift}'::interval > ${local}`,
        base,
        9,
      ],
      [`sync.next_age(${moment}, - '${shift}'::interval, $1)`, `$1 - ${moment} < - '${shift}'::interval`, base, 9],
    ]
    const found: string[] = []
    for (const [next, isPast, around, days] of forms) {
      const rows = await tx.query<{ missed: string }>(
        sql`select missed from public.missed(${next}, ${isPast}, ${sql.trusted(around)}, ${days}) as missed`,
      )
      found.push(...rows.map((row) => `${next}: ${row.missed}`))
    }
    return found
  })
  expect(missed).toEqual([])
})

test('a moment that is not given is missed', async () => {
  const rows = await db.pool.query(sql`
    select from public.missed('sync.next_moment(''2026-03-31'', ''-1 day'', true, $1)', '$1 - interval ''2 days'' > ''2026-03-31''', '2026-04-01', 3)`)
  expect(rows).toHaveLength(1)
})

test.each(['infinity', '-infinity', '290000-01-01', '4700-01-01 BC', null])(
  '%s has no moment, and is no error',
  async (at) => {
    const rows = await db.pool.query(sql`
    select sync.next_moment(${at}::timestamptz, '1 month', true, now()) as a, sync.next_day(${at}::timestamptz::date, 6, now()) as b,
           sync.next_age(${at}::timestamptz, '1 day', now()) as c`)
    expect(rows).toEqual([{ a: null, b: null, c: null }])
  },
)
