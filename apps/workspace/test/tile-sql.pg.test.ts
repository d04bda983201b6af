/** Tiles calculate in the local SQLite what Postgres calculates over the same rows: a random test with Postgres as the judge. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DateStep, MeasureKind } from '@holdfast/protocol'
import { sql } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { runsOf } from '@holdfast/test-support/runs'
import { drillFilter } from '../src/features/dashboard/data/drill.ts'
import { chartData } from '../src/features/dashboard/data/tile-data.ts'
import {
  groupsSql,
  numberSql,
  type TileQuery,
  type TileRow,
  tileWhereSql,
} from '../src/features/dashboard/data/tile-sql.ts'
import { type ZoneShift, zoneShifts } from '../src/features/dashboard/data/zone-shifts.ts'
import type { Field } from '../src/lib/fields/field.ts'
import { tableSql } from '../src/lib/fields/table-sql.ts'
import { NO_FILTER } from '../src/lib/filters/filter.ts'
import { useWorkspaceZone } from '../src/lib/time-zone.ts'

const STEPS = ['day', 'week', 'month', 'quarter', 'year'] as const satisfies readonly DateStep[]
const MEASURES = ['count', 'sum', 'average', 'min', 'max'] as const satisfies readonly MeasureKind[]
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC'] as const
const SITES = ['11111111-0000-4000-8000-000000000001', '11111111-0000-4000-8000-000000000002'] as const
const CHOICES = ['open', 'it’s "done"', "quo'ted"] as const

let database: TestDatabase
const local = new DatabaseSync(':memory:')

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [] })
  await database.pool.execute(
    sql.trusted(`
    create table public.sites (id uuid primary key, title text);
    create table public.jobs (id integer primary key, state text, title text, site_id uuid, done boolean, due_on date, at timestamptz, wall timestamp, hours numeric, pieces integer);
    insert into public.sites values ('${SITES[0]}', 'Same'), ('${SITES[1]}', 'Same')`),
  )
  local.exec(`
    create table sites (id text primary key, title text);
    create table jobs (id text primary key, state text, title text, site_id text, done integer, due_on text, at text, wall text, hours text, pieces integer);
    insert into sites values ('${SITES[0]}', 'Same'), ('${SITES[1]}', 'Same')`)
})
afterAll(async () => {
  useWorkspaceZone.setState({ zone: undefined })
  local.close()
  await database[Symbol.asyncDispose]()
})

const field = (
  name: string,
  kind: Field['kind'],
  type: string,
  localType: 'text' | 'integer' | 'real',
  more: Partial<Field> = {},
): Field => ({
  name,
  label: name,
  help: undefined,
  kind,
  column: { name, type, local: localType, nullable: true, hasDefault: false, generated: false },
  choices: [],
  choiceWords: new Map(),
  link: undefined,
  isSystem: false,
  isEditable: true,
  isRequired: false,
  isTitle: false,
  ...more,
})
const state = field('state', 'choice', 'text', 'text', { choices: CHOICES })
const title = field('title', 'text', 'text', 'text')
const site = field('site_id', 'link', 'uuid', 'text', { link: { table: 'sites', titleColumn: 'title' } })
const done = field('done', 'boolean', 'boolean', 'integer')
const due = field('due_on', 'date', 'date', 'text')
const at = field('at', 'datetime', 'timestamp with time zone', 'text')
const wall = field('wall', 'datetime', 'timestamp without time zone', 'text')
const hours = field('hours', 'number', 'numeric', 'text')
const pieces = field('pieces', 'integer', 'integer', 'integer')
/** A field that is computed, as a formula would be. */
const double = {
  ...field('double', 'number', 'double precision', 'real'),
  computed: { sql: 'c.pieces * 2.0', tables: [] },
} as unknown as Field
const urgent = {
  ...field('urgent', 'text', 'text', 'text'),
  computed: { sql: `case when c.pieces > 3 then 'Many' else 'few' end`, tables: [] },
} as unknown as Field
const FIELDS = [state, title, site, done, due, at, wall, hours, pieces, double, urgent]

interface Job {
  readonly state: string | null
  readonly title: string | null
  readonly site_id: string | null
  readonly done: boolean | null
  readonly due_on: string | null
  readonly at: string | null
  readonly wall: string | null
  readonly hours: string | null
  readonly pieces: number | null
}

const day = fc.oneof(
  fc.date({ min: new Date('1995-01-01'), max: new Date('2037-12-31'), noInvalidDate: true }),
  // Around the turns of clocks and years.
  fc
    .constantFrom(
      '2024-03-31T00:59:59.999999Z',
      '2024-03-31T01:00:00Z',
      '2024-10-27T00:30:00Z',
      '2023-12-31T23:30:00Z',
      '2024-01-01T00:00:00Z',
      '2026-11-01T05:59:59Z',
    )
    .map((text) => new Date(text)),
)
const job: fc.Arbitrary<Job> = fc.record({
  state: fc.constantFrom(...CHOICES, null),
  title: fc.constantFrom('Pump', 'PUMP', 'pump', 'Ä', 'ä', '', "o'clock", 'a.b,(c)!', null),
  site_id: fc.constantFrom(...SITES, null),
  done: fc.constantFrom(true, false, null),
  due_on: fc.option(day.map((one) => one.toISOString().slice(0, 10))),
  at: fc.option(day.map((one) => one.toISOString())),
  wall: fc.option(day.map((one) => one.toISOString().slice(0, 19))),
  hours: fc.option(fc.integer({ min: -50_000, max: 50_000 }).map((one) => String(one / 100))),
  pieces: fc.option(fc.integer({ min: -5, max: 9 })),
})

/** Stores rows in both databases, in SQLite as sync writes them. */
async function store(jobs: readonly Job[]): Promise<void> {
  await database.pool.execute(sql`truncate public.jobs`)
  await database.pool.execute(sql`
    insert into public.jobs select row_number() over (), j.* from jsonb_to_recordset(${JSON.stringify(jobs)}::jsonb)
      as j (state text, title text, site_id uuid, done boolean, due_on date, at timestamptz, wall timestamp, hours numeric, pieces integer)`)
  local.exec('delete from jobs')
  const insert = local.prepare('insert into jobs values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  for (const [index, one] of jobs.entries()) {
    const moment =
      one.at === null ? null : one.at.replace(/(\.\d{3})?Z$/, (_, part: string | undefined) => `${part ?? '.000'}000Z`)
    insert.run(
      String(index + 1),
      one.state,
      one.title,
      one.site_id,
      one.done === null ? null : Number(one.done),
      one.due_on,
      moment,
      one.wall && `${one.wall}.000000`,
      one.hours,
      one.pieces,
    )
  }
}

function askLocal<Row>({
  text,
  values,
}: {
  readonly text: string
  readonly values: readonly unknown[]
}): readonly Row[] {
  return local.prepare(text).all(...(values as SQLInputValue[])) as unknown as readonly Row[]
}

/** The group of a row in Postgres, with the semantics that the guide promises. */
function keyInPostgres(
  { field: of, by }: { readonly field: Field; readonly by: DateStep | undefined },
  zone: string,
): string {
  switch (of.name) {
    case 'due_on':
    case 'wall':
      return `to_char(date_trunc('${by}', ${of.name}), 'YYYY-MM-DD')`
    case 'at':
      return `to_char(date_trunc('${by}', at at time zone '${zone}'), 'YYYY-MM-DD')`
    case 'done':
      return 'done::int::text'
    case 'title':
      return `nullif(lower(title collate "C"), '')`
    case 'urgent':
      return `case when pieces > 3 then 'many' else 'few' end`
    default:
      return `${of.name}::text`
  }
}

function valueInPostgres({ kind, field: of }: TileQuery['measure']): string {
  if (!of || kind === 'count') return 'count(*)::float8'
  return `${kind === 'average' ? 'avg' : kind}(${of.name === 'double' ? 'pieces * 2.0' : of.name})::float8`
}

interface Answer {
  readonly k: string | null
  readonly s: string | null
  readonly n: number
  readonly v: number | null
}

const asText = (value: string | number | null): string | null => (value === null ? null : String(value))
const sorted = (answers: readonly Answer[]): readonly Answer[] =>
  answers
    .map((one) => ({
      ...one,
      k: asText(one.k),
      s: asText(one.s),
      v: one.v === null ? null : Number(one.v.toFixed(6)) + 0,
    }))
    .toSorted((a, b) => JSON.stringify([a.k, a.s]).localeCompare(JSON.stringify([b.k, b.s])))

const groupBy = fc.oneof(
  fc.constantFrom(state, title, site, done, urgent, pieces).map((of) => ({ field: of, by: undefined })),
  fc.record({ field: fc.constantFrom(due, at, wall), by: fc.constantFrom(...STEPS) }),
)
const measure = fc.oneof(
  fc.constant({ kind: 'count' as const, field: undefined }),
  fc.record({ kind: fc.constantFrom(...MEASURES.slice(1)), field: fc.constantFrom(hours, pieces, double) }),
)

const base = (zone: string, parts: Pick<TileQuery, 'group' | 'stack' | 'measure'>): TileQuery => {
  const query = {
    table: 'jobs',
    fields: FIELDS,
    filter: NO_FILTER,
    today: '2026-11-29',
    shifts: [],
    groupsMax: 10_000,
    partsMax: 10_000,
    ...parts,
  }
  return { ...query, shifts: shiftsOf(zone) }
}
const shiftsByZone = new Map<string, readonly ZoneShift[]>()
function shiftsOf(zone: string): readonly ZoneShift[] {
  const shifts = shiftsByZone.get(zone) ?? zoneShifts(zone, 1995, 2037)
  shiftsByZone.set(zone, shifts)
  return shifts
}

describe('groups and values', () => {
  test('are those of Postgres, with nulls, quotes, time zones and computed fields', async () => {
    const worlds = fc.sample(
      fc.record({
        jobs: fc.array(job, { maxLength: 40 }),
        asked: fc.array(fc.tuple(groupBy, fc.option(groupBy), measure), { minLength: 12, maxLength: 12 }),
        zone: fc.constantFrom(...ZONES),
      }),
      { numRuns: runsOf(40), seed: 38 },
    )
    let compared = 0
    for (const { jobs, asked, zone } of worlds) {
      await store(jobs)
      for (const [group, stack, measured] of asked) {
        const query = base(zone, { group, stack: stack ?? undefined, measure: measured })
        const here = askLocal<TileRow>(groupsSql(query)).map(({ k, s, n, v }) => ({ k: asText(k), s: asText(s), n, v }))
        const there = await database.pool.query<Answer>(
          sql.trusted(`
          select ${keyInPostgres(group, zone)} as k, ${stack ? keyInPostgres(stack, zone) : 'null::text'} as s, count(*)::int as n, ${valueInPostgres(measured)} as v
            from public.jobs group by 1, 2`),
        )
        expect(sorted(here), JSON.stringify([group, stack, measured.kind, zone])).toEqual(sorted(there))
        const [whole] = askLocal<{ n: number; v: number | null }>(numberSql(query))
        const [wholeThere] = await database.pool.query<{ n: number; v: number | null }>(
          sql.trusted(`select count(*)::int as n, ${valueInPostgres(measured)} as v from public.jobs`),
        )
        expect(sorted([{ k: null, s: null, n: whole?.n ?? -1, v: whole?.v ?? null }])).toEqual(
          sorted([{ k: null, s: null, n: wholeThere?.n ?? 0, v: wholeThere?.v ?? null }]),
        )
        compared++
      }
    }
    expect(compared).toBe(12 * worlds.length)
  })

  test('the rest of many groups has the value of all its records, whatever is calculated', async () => {
    const jobs = Array.from({ length: 60 }, (_, n): Job => ({
      state: null,
      title: `t${n % 20}`,
      site_id: null,
      done: null,
      due_on: null,
      at: null,
      wall: null,
      hours: String(n),
      pieces: n % 7,
    }))
    await store(jobs)
    for (const kind of MEASURES) {
      const query = {
        ...base('UTC', {
          group: { field: title, by: undefined },
          stack: undefined,
          measure: kind === 'count' ? { kind, field: undefined } : { kind, field: hours },
        }),
        groupsMax: 12,
      }
      const rows = askLocal<TileRow>(groupsSql(query))
      const shown = rows.filter(({ ko }) => ko === 0).map(({ k }) => k)
      expect(shown).toHaveLength(12)
      const [there] = await database.pool.query<{ n: number; v: number }>(sql`
        select count(*)::int as n, ${sql.trusted(valueInPostgres(query.measure))} as v from public.jobs where title <> all (${shown})`)
      expect(rows.find(({ ko }) => ko === 1)).toMatchObject({ n: there?.n, v: there?.v })
    }
  })
})

describe('drilling down', () => {
  test('every group, and the rest, leads to exactly its records', async () => {
    const worlds = fc.sample(
      fc.record({
        jobs: fc.array(job, { minLength: 1, maxLength: 40 }),
        asked: fc.array(fc.tuple(groupBy, fc.option(groupBy)), { minLength: 6, maxLength: 6 }),
        zone: fc.constantFrom(...ZONES),
      }),
      { numRuns: runsOf(24), seed: 7 },
    )
    let [led, all] = [0, 0]
    for (const { jobs, asked, zone } of worlds) {
      await store(jobs)
      useWorkspaceZone.setState({ zone })
      for (const [group, stack] of asked) {
        const query = {
          ...base(zone, { group, stack: stack ?? undefined, measure: { kind: 'count', field: undefined } }),
          groupsMax: 3,
          partsMax: 3,
        }
        const data = chartData(query, askLocal<TileRow>(groupsSql(query)))
        for (const [index, one] of data.groups.entries()) {
          for (const [at_, part] of data.parts.entries()) {
            const cell = data.cells[index]?.[at_]
            const filter = drillFilter(query, data, one, stack ? part : undefined)
            all++
            if (!filter || !cell) continue
            led++
            const where = tileWhereSql({ ...query, filter })
            const [count] = askLocal<{ n: number }>({
              text: `select count(*) as n from ${tableSql(query)}${where.text}`,
              values: where.values,
            })
            expect(count?.n, JSON.stringify([group.field.name, one, stack?.field.name, part, filter])).toBe(
              cell.records,
            )
          }
        }
      }
    }
    expect(led / all).toBeGreaterThan(0.8)
  })
})
