import { runsOf, seedOf } from '@holdfast/test-support'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { quoteIdentifier, quoteLiteral } from '@holdfast/postgres'
import { UPLOAD_PATH } from '@holdfast/protocol'
import { ALICE, openWorld, type World } from './sync-world.ts'

/**
 * Whatever a column holds reaches a device as JSON, and what the device holds, sent back, is the same value to Postgres: for random values of every
 * type, and of types made of them. Left out is what devices cannot tell apart: NaN and infinite dates.
 *
 * `HOLDFAST_VALUES_SEED` repeats a run, `HOLDFAST_VALUES_ROWS` makes it longer.
 */
const SEED = seedOf('HOLDFAST_VALUES_SEED')
const ROWS = runsOf(60, { variable: 'HOLDFAST_VALUES_ROWS' })

/** An SQL expression for a random value. */
type Sql = fc.Arbitrary<string>

const literal = (type: string, text: fc.Arbitrary<string>): Sql =>
  text.map((value) => `${quoteLiteral(value)}::${type}`)

const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
  fc.constantFrom(
    '',
    ' ',
    'NULL',
    'null',
    '{}',
    '{a,"b"}',
    '"',
    '\\',
    '\\\\"',
    '(a,b)',
    '(',
    ')',
    '[1,2)',
    ',',
    "'",
    '\n',
    '[1]',
    '{"a":1}',
    'empty',
    '\u{1F600}',
  ),
)
const digits = (min: bigint, max: bigint): fc.Arbitrary<string> =>
  fc.oneof(fc.bigInt({ min, max }), fc.constantFrom(min, max, 0n)).map(String)
const floats = (bits: 32 | 64): fc.Arbitrary<string> =>
  fc.oneof(
    (bits === 32 ? fc.float({ noNaN: true }) : fc.double({ noNaN: true })).map((value) => String(value)),
    fc.constantFrom(
      '1e20',
      '1e-7',
      '0.1',
      '-1.5',
      '100000',
      '1234567',
      'Infinity',
      '-Infinity',
      '1e15',
      '123456789012345680',
    ),
  )
const pad = (value: number, width = 2): string => String(value).padStart(width, '0')
const days = fc.oneof(
  fc
    .tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
    .map(([y, m, d]) => `${pad(y, 4)}-${pad(m)}-${pad(d)}`),
  fc.constantFrom('2024-02-29', '1999-12-31'),
)
const times = fc
  .tuple(fc.nat(23), fc.nat(59), fc.nat(59), fc.nat(999_999))
  .map(([h, m, s, micro]) => `${pad(h)}:${pad(m)}:${pad(s)}${micro % 3 === 0 ? '' : `.${pad(micro, 6)}`}`)
const moments = fc.oneof(
  fc.tuple(days, times).map(([day, time]) => `${day} ${time}`),
  fc.constantFrom('0044-03-15 12:00:00 BC', '2024-02-29 00:00:00'),
)
const hex = (bytes: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => Buffer.from(value).toString('hex'))
const numbers = fc.oneof(
  fc
    .tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.nat(9))
    .map(([value, scale]) => `${value}.${'7'.repeat(scale)}0`),
  fc.constantFrom('0', '10.00', 'NaN', 'Infinity', '-Infinity', '0.000000000000000000001'),
)
const numbersInRange = numbers.filter((text) => !text.includes('N') && !text.includes('I'))
const points = fc
  .tuple(fc.integer({ min: -99, max: 99 }), fc.integer({ min: -99, max: 99 }))
  .map(([x, y]) => `(${x},${y}.5)`)
const json = fc
  .oneof(fc.json(), fc.constantFrom('1', '"a"', 'null', '[1, 2]', '{"a": 12345678901234567890.10}'))
  .filter((text) => !text.includes('\\u0000') && !/\\ud[89a-f]/i.test(text) && text.isWellFormed())

const SCALARS: Readonly<Record<string, Sql>> = {
  boolean: fc.constantFrom('true', 'false'),
  smallint: literal('smallint', digits(-32768n, 32767n)),
  integer: literal('integer', digits(-(2n ** 31n), 2n ** 31n - 1n)),
  bigint: literal('bigint', digits(-(2n ** 63n), 2n ** 63n - 1n)),
  oid: literal('oid', digits(0n, 2n ** 32n - 1n)),
  real: literal('real', floats(32)),
  'double precision': literal('double precision', floats(64)),
  numeric: literal('numeric', numbers),
  'numeric(10,2)': literal(
    'numeric(10,2)',
    fc.integer().map((value) => String(value / 100)),
  ),
  text: literal('text', texts),
  'varchar(200)': literal(
    'varchar(200)',
    texts.map((text) => text.slice(0, 50)).filter((text) => text.isWellFormed()),
  ),
  'char(5)': literal('char(5)', fc.constantFrom('a', 'ab  ', '', 'abcde')),
  name: literal('name', fc.constantFrom('a', 'a b', 'Ä"')),
  '"char"': literal('"char"', fc.constantFrom('a', '"', ',')),
  uuid: literal('uuid', fc.uuid()),
  date: literal('date', days),
  time: literal('time', fc.oneof(times, fc.constant('24:00:00'))),
  'time with time zone': literal(
    'timetz',
    times.map((time) => `${time}+05:30`),
  ),
  timestamp: literal('timestamp', moments),
  timestamptz: literal(
    'timestamptz',
    moments.map((moment) => moment.replace(/( BC)?$/, '+02$1')),
  ),
  interval: literal(
    'interval',
    fc
      .tuple(fc.integer({ min: -500, max: 500 }), fc.integer({ min: -500, max: 500 }), fc.integer())
      .map(([m, d, s]) => `${m} months ${d} days ${s} ms`),
  ),
  json: literal('json', json),
  jsonb: literal('jsonb', json),
  bytea: literal(
    'bytea',
    fc.uint8Array().map((value) => String.raw`\x` + Buffer.from(value).toString('hex')),
  ),
  inet: literal('inet', fc.oneof(fc.ipV4(), fc.constantFrom('::1', '10.0.0.0/8', 'fe80::1/64'))),
  cidr: literal('cidr', fc.constantFrom('10.0.0.0/8', '2001:db8::/32')),
  macaddr: literal('macaddr', hex(6)),
  macaddr8: literal('macaddr8', hex(8)),
  'bit(5)': literal('bit(5)', fc.constantFrom('10101', '00000')),
  'bit varying': literal('bit varying', fc.constantFrom('', '1', '0001110')),
  point: literal('point', points),
  lseg: literal(
    'lseg',
    fc.tuple(points, points).map(([a, b]) => `[${a},${b}]`),
  ),
  box: literal(
    'box',
    fc.tuple(points, points).map(([a, b]) => `(${a},${b})`),
  ),
  path: literal(
    'path',
    fc.array(points, { minLength: 1, maxLength: 3 }).map((list) => `[${list.join(',')}]`),
  ),
  polygon: literal(
    'polygon',
    fc.array(points, { minLength: 1, maxLength: 3 }).map((list) => `(${list.join(',')})`),
  ),
  circle: literal(
    'circle',
    points.map((at) => `<${at},2>`),
  ),
  money: literal('money', fc.constantFrom('12.34', '-1000000')),
  xml: literal('xml', fc.constantFrom('<a b="c">d, e</a>', '')),
  tsvector: literal('tsvector', fc.constantFrom(`'a':1A 'b c':2`, '')),
  tsquery: literal('tsquery', fc.constantFrom(`'a' & !'b'`)),
  pg_lsn: literal('pg_lsn', fc.constantFrom('0/0', '16/B374D848')),
  'public.mood': literal('public.mood', fc.constantFrom('so so', 'NULL', 'great')),
  'public.small': literal('public.small', digits(0n, 9n)),
  'public.words': literal(
    'public.words',
    texts.filter((text) => text.length < 40),
  ),
}

const range = (type: string, bound: Sql): Sql =>
  fc.oneof(
    fc
      .tuple(fc.option(bound), fc.option(bound), fc.constantFrom('[)', '(]', '[]', '()'))
      // Bounds the wrong way round are refused by Postgres.
      .map(([a, b, bounds]) =>
        a !== null && b !== null
          ? `${type}(least(${a}, ${b}), greatest(${a}, ${b}), '${bounds}')`
          : `${type}(${a ?? 'null'}, ${b ?? 'null'}, '${bounds}')`,
      ),
    fc.constant(`'empty'::${type}`),
  )
const multirange = (type: string, of: Sql): Sql =>
  fc.array(of, { maxLength: 3 }).map((list) => `${type}(${list.join(', ')})`)
const orNull = (value: Sql): Sql => fc.option(value, { freq: 6 }).map((sql) => sql ?? 'null')
const row = (type: string, ...members: readonly Sql[]): Sql =>
  fc.tuple(...members.map(orNull)).map((values) => `row(${values.join(', ')})::${type}`)

const scalar = (type: string): Sql => SCALARS[type] as Sql
const RANGES: Readonly<Record<string, Sql>> = {
  int4range: range('int4range', literal('integer', digits(-1000n, 1000n))),
  int8range: range('int8range', literal('bigint', digits(-(2n ** 62n), 2n ** 62n))),
  numrange: range('numrange', literal('numeric', numbersInRange)),
  daterange: range('daterange', scalar('date')),
  tsrange: range('tsrange', scalar('timestamp')),
  tstzrange: range('tstzrange', scalar('timestamptz')),
  'public.textrange': range(
    'public.textrange',
    scalar('text').map((sql) => `(${sql} collate "C")`),
  ),
  'public.floatrange': range('public.floatrange', scalar('double precision')),
}
const inner = row('public.inner_', scalar('bigint'), scalar('text'), RANGES['int4range'] as Sql)
const COMPOSED: Readonly<Record<string, Sql>> = {
  ...RANGES,
  int4multirange: multirange('int4multirange', RANGES['int4range'] as Sql),
  tstzmultirange: multirange('tstzmultirange', RANGES['tstzrange'] as Sql),
  'public.textmultirange': multirange('public.textmultirange', RANGES['public.textrange'] as Sql),
  'public.inner_': inner,
  'public.outer_': row(
    'public.outer_', scalar('boolean'), scalar('public.words'), inner, fc.array(orNull(inner), { maxLength: 2 }).map((list) => `array[${list.join(', ')}]::public.inner_[]`),
    scalar('double precision'), scalar('timestamptz'), scalar('jsonb'), scalar('bytea'), literal('public.numbers', fc.constantFrom('{1,2}', '{}', '{NULL}')),
  ), // prettier-ignore
  'public.boxed': inner.map((sql) => `${sql}::public.boxed`),
  'public.numbers': literal('public.numbers', fc.constantFrom('{1,2}', '{}', '{{1,2},{3,4}}', '{NULL}')),
}
const ALL: Readonly<Record<string, Sql>> = { ...SCALARS, ...COMPOSED }
const arrayOf = (type: string, element: Sql): Sql =>
  fc.oneof(
    fc.array(orNull(element), { maxLength: 3 }).map((list) => `array[${list.join(', ')}]::${type}[]`),
    ...(type === 'public.numbers'
      ? []
      : [
          fc
            .tuple(orNull(element), orNull(element))
            .map(([a, b]) => `array[array[${a}, ${b}]::${type}[], array[${b}, ${a}]::${type}[]]`),
        ]),
  )

const COLUMNS = Object.entries(ALL).flatMap(([type, value], index) => [
  { name: `v${index}`, type, value },
  { name: `a${index}`, type: `${type}[]`, value: arrayOf(type, value) },
])

const SCHEMA = `
  create type public.mood as enum ('so so', 'NULL', 'great');
  create domain public.small as int check (value between 0 and 9);
  create domain public.words as text;
  create domain public.numbers as int[];
  create type public.inner_ as (n bigint, "t t" text, r int4range);
  create domain public.boxed as public.inner_;
  create type public.textrange as range (subtype = text, collation = "C", multirange_type_name = public.textmultirange);
  create type public.floatrange as range (subtype = double precision);
  create type public.outer_ as (b boolean, w public.words, i public.inner_, l public.inner_[], f double precision, z timestamptz, j jsonb, x bytea, d public.numbers);
  create table public.things (id int primary key, ${COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ')});
  create table public.back (like public.things including all);
  alter table public.things enable row level security;
  alter table public.back enable row level security;
  create policy all_ on public.things using (true);
  create policy all_ on public.back using (true);
`

let world: World

beforeAll(async () => {
  world = await openWorld({ schema: SCHEMA })
})

afterAll(async () => world?.[Symbol.asyncDispose]())

/** A row as SQLite would give it to the app: numbers that JavaScript cannot hold as their text. */
function held(json: string): Record<string, string | number | null> {
  return JSON.parse(json, ((key: string, value: unknown, { source }: { source?: string } = {}) => {
    if (typeof value !== 'number') return value
    if (!Number.isFinite(value)) return String(value)
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value
  }) as (key: string, value: unknown) => unknown) as Record<string, string | number | null>
}

test(`values of every type are the same after their way to a device and back (seed ${SEED})`, async () => {
  const rows = fc.sample(fc.tuple(...COLUMNS.map(({ value }) => orNull(value))), { numRuns: ROWS, seed: SEED })
  for (const [index, values] of rows.entries())
    await world.run(`insert into public.things values (${index + 1}, ${values.join(', ')})`)
  const device = world.device(ALICE)
  device.connect()
  await device.until(() => device.state.size === ROWS, 'all rows')
  device.disconnect()
  expect(device.faults).toEqual([])

  const operations = [...device.state].map(([key, json], index) => ({
    op_id: index + 1, op: 'PUT', type: 'back', id: key.slice('things/'.length), data: held(json),
  })) // prettier-ignore
  const answer = await fetch(`${world.url}${UPLOAD_PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${world.token(ALICE)}` },
    body: JSON.stringify({ client_id: 'cccccccc-cccc-4ccc-8ccc-cccccccccccc', position: ROWS, operations }),
  })
  const { status, verdicts } = (await answer.json()) as { status: string; verdicts: { status: string }[] }
  const refused = verdicts?.find((verdict) => verdict.status === 'error')
  expect({ status, refused }).toEqual({ status: 'applied', refused: undefined })

  for (const { name, type } of COLUMNS) {
    const column = quoteIdentifier(name)
    const differing = await world.rows(
      `select t.${column}::text as sent, b.${column}::text as back from public.things t join public.back b using (id)
        where t.${column}::text is distinct from b.${column}::text limit 3`,
    )
    expect({ type, differing }).toEqual({ type, differing: [] })
  }
})
