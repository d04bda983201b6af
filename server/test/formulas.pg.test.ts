import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { quoteIdentifier, quoteLiteral, sql } from '@holdfast/postgres'
import {
  checkFormula,
  compileSqlite,
  type Formula,
  FORMULA_FUNCTIONS,
  type FormulaField,
  formulaTypeOf,
  type FormulaType,
  parseFormula,
  printFormula,
  readColumnSql,
  readFormula,
} from '@holdfast/protocol'
import { syncMigrations } from '@holdfast/sync'
import { openTestDatabase, runsOf, seedOf, type TestDatabase } from '@holdfast/test-support'
import { valueToJson } from '../../services/sync/src/encode/value-json.ts'

/**
 * Whatever the formula and whatever the row, Postgres and SQLite compute the same value, and neither fails. `HOLDFAST_FORMULAS_SEED` repeats a run,
 * `HOLDFAST_FORMULAS` makes it longer.
 */
const SEED = seedOf('HOLDFAST_FORMULAS_SEED')
const FORMULAS = runsOf(400, { variable: 'HOLDFAST_FORMULAS' })
const FORMULAS_AT_ONCE = 40

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }

interface Column {
  readonly name: string
  readonly type: string
  readonly oid: number
  readonly local: 'text' | 'integer' | 'real'
  readonly values: readonly string[]
  readonly choices?: readonly string[]
}
const COLUMNS: readonly Column[] = [
  {
    name: 'note',
    type: 'text',
    oid: 25,
    local: 'text',
    values: [
      '',
      ' ',
      'Pump 7',
      'pump 7',
      'ÄÖÜ ß ÿ Ÿ Ω',
      'É\u0301 \u{1F600}\u{1F468}\u200D\u{1F469}',
      'o\'clock "x" \\',
      'Ā',
      'x'.repeat(12_000),
      '\u{10FFFF}',
      '10',
    ],
  },
  { name: 'code', type: 'character(5)', oid: 1042, local: 'text', values: ['ab', '', 'abcde', ' a'] },
  { name: 'state', type: 'mood', oid: 1, local: 'text', values: ['open', 'In Arbeit'], choices: ['open', 'In Arbeit'] },
  { name: 'link', type: 'uuid', oid: 2950, local: 'text', values: ['aaaaaaaa-0000-4000-8000-000000000001'] },
  { name: 'small', type: 'smallint', oid: 21, local: 'integer', values: ['0', '7', '-32768'] },
  {
    name: 'count',
    type: 'bigint',
    oid: 20,
    local: 'integer',
    values: ['0', '-1', '3', '9007199254740993', '9223372036854775807', '-9223372036854775808'],
  },
  {
    name: 'price',
    type: 'numeric',
    oid: 1700,
    local: 'text',
    values: [
      '0',
      '-0.00',
      '10.00',
      '1.005',
      '-2.5',
      '0.1',
      '0.2',
      '1e-40',
      '1e200',
      'NaN',
      'Infinity',
      '-Infinity',
      '999999999999999.99',
      '123456789012345.6789012345',
      '0.30000000000000000001',
      '-1e-25',
    ],
  },
  {
    name: 'weight',
    type: 'double precision',
    oid: 701,
    local: 'real',
    values: [
      '0',
      '-0',
      '0.1',
      '1e308',
      '-1e308',
      '5e-324',
      '1e-200',
      'NaN',
      'Infinity',
      '-Infinity',
      '1e15',
      '4503599627370497.5',
      '-7',
      '1000000000000.125',
      '0.49999999999999994',
    ],
  },
  { name: 'ratio', type: 'real', oid: 700, local: 'real', values: ['0.1', '3.4e38', '1e-45', 'NaN', '-2'] },
  { name: 'done', type: 'boolean', oid: 16, local: 'integer', values: ['true', 'false'] },
  {
    name: 'due',
    type: 'date',
    oid: 1082,
    local: 'text',
    values: [
      '2024-02-29',
      '2026-01-31',
      '0001-01-01',
      '9999-12-30',
      '9999-12-31',
      '0044-03-15 BC',
      'infinity',
      '-infinity',
      '12024-01-01',
      '1900-03-01',
    ],
  },
  {
    name: 'seen',
    type: 'timestamp with time zone',
    oid: 1184,
    local: 'text',
    values: [
      '2024-02-29 10:13:14.123456+00',
      '2026-03-29 01:30:00+00',
      '1969-12-31 23:59:59.999999+00',
      '0001-01-01 00:00:00+00',
      '0044-03-15 12:00:00+00 BC',
      'infinity',
      '-infinity',
      '12024-01-01 00:00:00+00',
    ],
  },
  {
    name: 'local',
    type: 'timestamp without time zone',
    oid: 1114,
    local: 'text',
    values: ['2024-02-29 10:13:14.5', 'infinity', '0044-03-15 12:00:00 BC', '9999-12-30 23:59:59'],
  },
]
const FIELDS: readonly FormulaField[] = COLUMNS.map((column) => ({
  name: column.name,
  label: `The ${column.name} {${column.name}}`,
  type: formulaTypeOf(column),
}))
const TYPES: readonly FormulaType[] = ['text', 'number', 'boolean', 'date', 'datetime']

let database: TestDatabase
let local: DatabaseSync | undefined
let today = ''
let now = new Date(0)

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, syncMigrations, serverMigrations] })
  await database.pool.execute(
    sql.trusted(`create type public.mood as enum ('open', 'In Arbeit');
      create table public.things (id integer primary key, ${COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ')});`),
  )
  const longest = Math.max(...COLUMNS.map(({ values }) => values.length))
  const rows = Array.from({ length: longest * 3 + 1 }, (_, row) => rowOf(row))
  for (const [id, row] of rows.entries()) {
    const values = row.map((value, index) =>
      value === undefined ? 'null' : `${quoteLiteral(value)}::${COLUMNS[index]?.type}`,
    )
    await database.pool.execute(sql.trusted(`insert into public.things values (${[id, ...values].join(', ')})`))
  }
  local = await copyToDevice()
})
afterAll(async () => {
  local?.close()
  await database[Symbol.asyncDispose]()
})

/** Every value of every column, beside changing others; the first row has none. */
function rowOf(row: number): readonly (string | undefined)[] {
  return COLUMNS.map(({ values }, index) =>
    row === 0 ? undefined : values[(row * (index + 1) + index) % (values.length + (index % 2))],
  )
}

/** A table as PowerSync keeps it: the row as JSON, and a view with its columns. */
async function copyToDevice(): Promise<DatabaseSync> {
  // The log has booleans as t and f.
  const texts = COLUMNS.map(
    ({ name, type }) => `${type === 'boolean' ? `left(${name}::text, 1)` : `${name}::text`} as ${name}`,
  ).join(', ')
  const rows = await database.pool.query<{ id: number } & Record<string, string | null>>(
    sql.trusted(`select id, ${texts} from public.things`),
  )
  const device = new DatabaseSync(':memory:')
  const columns = COLUMNS.map(({ name, local: type }) => `cast(json_extract(data, '$.${name}') as ${type}) as ${name}`)
  device.exec(
    `create table ps_data (id integer primary key, data text); create view things as select id, ${columns.join(', ')} from ps_data`,
  )
  const insert = device.prepare('insert into ps_data values (?, ?)')
  for (const row of rows) {
    const members = COLUMNS.flatMap(({ name, oid }) => {
      const text = row[name]
      return text == null ? [] : [`"${name}":${valueToJson({ kind: 'scalar', oid })(text)}`]
    })
    insert.run(row.id, `{${members.join(',')}}`)
  }
  return device
}

function onDevice(formula: Formula): string {
  const column = (name: string): ReturnType<typeof compileSqlite> | undefined => {
    const found = COLUMNS.find((one) => one.name === name)
    const type = found && formulaTypeOf(found)
    return found && type && { sql: readColumnSql(`t.${quoteIdentifier(name)}`, found), type, depth: 6 }
  }
  return compileSqlite(formula, { column, today, now }).sql
}

/** Values as both databases show them, by row. */
async function compute(
  formulas: readonly Formula[],
): Promise<{ server: readonly unknown[][]; device: readonly unknown[][] }> {
  const [compiled] = await database.pool.query<{ texts: readonly string[] }>(
    sql`select array(select holdfast.formula_sql(f.value, '(t)', 'things', null) from jsonb_array_elements(${JSON.stringify(formulas)}::text::jsonb) with ordinality f (value, place) order by place) as texts`,
  )
  const shown = (compiled?.texts ?? []).map((text) => `to_json(${text})`).join(', ')
  const server = await database.pool.query<{ values: readonly unknown[] }>(
    sql.trusted(`select json_build_array(${shown}) as values from public.things t order by id`),
  )
  const device =
    local
      ?.prepare(
        `select ${formulas.map((formula, index) => `${onDevice(formula)} as c${index}`).join(', ')} from things t order by id`,
      )
      .all() ?? []
  const types = formulas.map((formula) =>
    checkFormula(formula, { typeOf: (name) => FIELDS.find((one) => one.name === name)?.type }),
  )
  return {
    server: server.map(({ values }) =>
      values.map((value, index) => (types[index] === 'datetime' ? inUtc(value) : value)),
    ),
    device: device.map((row) => types.map((type, index) => shownOf(row[`c${index}`], type))),
  }
}

function inUtc(value: unknown): unknown {
  return typeof value === 'string'
    ? value.replace(/(\.\d+)?\+00:00$/, (_, fraction: string | undefined) => `${(fraction ?? '.').padEnd(7, '0')}Z`)
    : value
}

function shownOf(value: unknown, type: FormulaType): unknown {
  if (value == null) return null
  return type === 'boolean' ? value === 1 : value
}

const literals: Readonly<Record<FormulaType, fc.Arbitrary<Formula>>> = {
  text: fc
    .oneof(
      fc.constantFrom('', ' ', "it's", 'Ä', 'u'),
      fc.string({ unit: 'grapheme', maxLength: 3 }).filter((text) => !text.includes('\0')),
    )
    .map((text) => ({ text })),
  number: fc.constantFrom(0, 1, 2, 0.5, 1.005, 100, 0.1, 123456789012345, 1e-7, 31, 12).map((number) => ({ number })),
  boolean: fc.boolean().map((boolean) => ({ boolean })),
  date: fc.constantFrom('2024-02-29', '0001-01-01', '9999-12-30', '2026-10-31').map((date) => ({ date })),
  datetime: fc.constant({ call: 'now', of: [] }),
}
const anyType = fc.constantFrom(...TYPES)
const ORDERED = ['text', 'number', 'date', 'datetime'] as const

/** Random formulas of a type, up to a depth. */
function formulaOf(type: FormulaType, depth: number): fc.Arbitrary<Formula> {
  const named = FIELDS.filter((field) => field.type === type).map(({ name }): Formula => ({ field: name }))
  const simple = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...named) }, { weight: 1, arbitrary: literals[type] })
  if (depth === 0) return simple
  const of = (one: FormulaType): fc.Arbitrary<Formula> => formulaOf(one, depth - 1)
  const call = (name: string, ...parts: readonly fc.Arbitrary<Formula>[]): fc.Arbitrary<Formula> =>
    fc.tuple(...parts).map((all) => ({ call: name, of: all }))
  const any = anyType.chain((one) => of(one))
  const calls: readonly fc.Arbitrary<Formula>[] = [
    call('if', of('boolean'), of(type)),
    call('if', of('boolean'), of(type), of(type)),
    call('coalesce', of(type), of(type), of(type)),
    anyType.chain((one) => call('switch', of(one), of(one), of(type), of(one), of(type))),
    anyType.chain((one) => call('switch', of(one), of(one), of(type), of(type))),
    ...callsOf(type, of, any, call),
  ]
  return fc.oneof({ weight: 1, arbitrary: simple }, { weight: 4, arbitrary: fc.oneof(...calls) })
}

function callsOf(
  type: FormulaType,
  of: (type: FormulaType) => fc.Arbitrary<Formula>,
  any: fc.Arbitrary<Formula>,
  call: (name: string, ...parts: readonly fc.Arbitrary<Formula>[]) => fc.Arbitrary<Formula>,
): readonly fc.Arbitrary<Formula>[] {
  const [n, t, b, d] = [of('number'), of('text'), of('boolean'), of('date')]
  switch (type) {
    case 'number':
      return [
        ...['+', '-', '*', '/', 'mod'].map((name) => call(name, n, n)),
        ...['neg', 'abs', 'floor', 'ceiling', 'round'].map((name) => call(name, n)),
        call(
          'round',
          n,
          fc.integer({ min: 0, max: 6 }).map((number) => ({ number })),
        ),
        ...['min', 'max'].map((name) => call(name, n, n, n)),
        call('length', t),
        ...['year', 'month', 'day', 'weekday'].map((name) => call(name, d)),
        call('days_between', d, d),
        call('hours_between', of('datetime'), of('datetime')),
      ]
    case 'text':
      return [
        call('&', any, any),
        call('concat', any, any, any),
        ...['lower', 'upper', 'trim'].map((name) => call(name, t)),
        ...['left', 'right'].map((name) => call(name, t, n)),
      ]
    case 'boolean':
      return [
        call('not', b),
        call('and', b, b),
        call('or', b, b),
        call('is_empty', any),
        call('contains', t, t),
        call('starts_with', t, t),
        ...['=', '!='].map((name) => anyType.chain((one) => call(name, of(one), of(one)))),
        ...['<', '<=', '>', '>='].map((name) =>
          fc.constantFrom(...ORDERED).chain((one) => call(name, of(one), of(one))),
        ),
      ]
    case 'date':
      return [call('add_days', d, n), call('add_months', d, n), call('utc_date', of('datetime'))]
    case 'datetime':
      return [call('now')]
    default:
      return type satisfies never
  }
}

describe('formulas', () => {
  test('yield the same in Postgres and on devices, whatever the row', async () => {
    const formulas = fc.sample(
      anyType.chain((type) => formulaOf(type, 3)),
      { numRuns: FORMULAS, seed: SEED },
    )
    for (let at = 0; at < formulas.length; at += FORMULAS_AT_ONCE) {
      const some = formulas.slice(at, at + FORMULAS_AT_ONCE)
      const { server, device } = await computeAtOneMoment(some)
      for (const [row, values] of server.entries()) {
        for (const [index, value] of values.entries()) {
          const formula = some[index] ?? { text: '' }
          const shown = `${printFormula(formula, [])} of row ${row}: ${JSON.stringify(rowOf(row).map((one) => one?.slice(0, 40)))} (seed ${SEED})`
          expect({ shown, value: device[row]?.[index] }).toEqual({ shown, value })
        }
      }
    }
  })

  test.each(Object.entries(FORMULA_FUNCTIONS).flatMap(([, { example }]) => (example ? [example] : [])))(
    'have the result that the reference says: %s',
    async (source, result) => {
      const { formula } = parseFormula(source, FIELDS)
      const { server, device } = await computeAtOneMoment([formula])
      expect([server[0]?.[0], device[0]?.[0]]).toEqual([result, result])
    },
  )

  test('are read again from what they are printed as, and from JSON', () => {
    fc.assert(
      fc.property(
        anyType.chain((type) => formulaOf(type, 3)),
        (formula) => {
          expect(readFormula(JSON.parse(JSON.stringify(formula)))).toEqual(formula)
          expect(parseFormula(printFormula(formula, FIELDS), FIELDS).formula).toEqual(formula)
        },
      ),
      { numRuns: runsOf(400), seed: SEED },
    )
  })
})

/** Repeats what straddled a minute. */
async function computeAtOneMoment(formulas: readonly Formula[]): ReturnType<typeof compute> {
  const clock = async (): Promise<number> => {
    const [row] = await database.pool.query<{ now: string; today: string }>(
      sql`select extract(epoch from holdfast.formula_now())::bigint * 1000 as now, holdfast.formula_today(null)::text as today`,
    )
    now = new Date(Number(row?.now))
    today = row?.today ?? ''
    return now.getTime()
  }
  for (;;) {
    const before = await clock()
    const values = await compute(formulas)
    if ((await clock()) === before) return values
  }
}
