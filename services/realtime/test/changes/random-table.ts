import type { Random } from '@holdfast/test-support'
import { quoteIdentifier } from '@holdfast/postgres'
import { ALICE, BOB } from './change-world.ts'

interface Kind {
  /** Column type. */
  readonly type: string
  /** SQL expressions of values. */
  readonly values: readonly string[]
  /** Policy conditions on the column `#`. */
  readonly conditions: readonly string[]
  /** Whether it may be part of a key. */
  readonly isKey?: boolean
}

/** Types with error-prone values. */
const KINDS: readonly Kind[] = [
  {
    type: 'int',
    values: ['0', '-7', '2147483647'],
    conditions: ['# > 0', `# = (auth.jwt() ->> 'level')::int`],
    isKey: true,
  },
  { type: 'bigint', values: ['9007199254740993', '-1', '0'], conditions: ['# <> 0'], isKey: true },
  { type: 'numeric(20,5)', values: ['1.50000', `'NaN'`, '-123456789012345.12345'], conditions: ['# > 1'] },
  { type: 'double precision', values: ['0.1', '1e300', '-0.0'], conditions: ['# < 1'] },
  { type: 'boolean', values: ['true', 'false'], conditions: ['#'] },
  {
    type: 'text',
    values: [
      `''`,
      `'a"\\b,(c)'`,
      `'Ä€🙂'`,
      `repeat('x', 3000)`,
      `(select string_agg(md5(n::text), '') from generate_series(1, 400) n)`,
    ],
    conditions: ['length(#) > 1', `# = (auth.jwt() ->> 'name')`],
  },
  { type: 'varchar(5)', values: [`'ab'`, `' '`], conditions: ['# is not null'], isKey: true },
  {
    type: 'uuid',
    values: [`'${ALICE}'`, `'${BOB}'`, 'gen_random_uuid()'],
    conditions: ['# = auth.uid()', '# = (select auth.uid())', '# in (select m.person from public.members m)'],
    isKey: true,
  },
  {
    type: 'date',
    values: [`'2024-02-29'`, `'infinity'`, `'0001-01-01 BC'`],
    conditions: [`# > '2000-01-01'`],
    isKey: true,
  },
  { type: 'timestamptz', values: [`'2024-02-29 23:59:59.123456+05:30'`, `'-infinity'`], conditions: ['# is not null'] },
  { type: 'timestamp', values: [`'2024-02-29 23:59:59'`], conditions: ['# is null'] },
  { type: 'interval', values: [`'1 year 2 days'`, `'-3 hours'`], conditions: ['# is null'] },
  { type: 'jsonb', values: [`'{"a": [1, null, "x"]}'`, `'null'`, `'"text"'`], conditions: [`# ? 'a'`] },
  { type: 'json', values: [`'{"b":1, "a" : 2, "b":3}'`], conditions: ['# is null'] },
  { type: 'bytea', values: [`'\\x00ff'`, `''`], conditions: ['length(#) = 2'] },
  { type: 'text[]', values: [`'{}'`, `'{x,NULL,"y,z"}'`, `'{{a,b},{c,d}}'`], conditions: [`'x' = any (#)`] },
  { type: 'uuid[]', values: [`'{${ALICE}}'`, `'{${ALICE},${BOB}}'`], conditions: ['auth.uid() = any (#)'] },
  { type: 'inet', values: [`'10.0.0.1/8'`], conditions: ['# is null'] },
  { type: 'int4range', values: [`'[1,5)'`, `'empty'`], conditions: ['not isempty(#)'] },
  { type: 'public.mood', values: [`'sad'`, `'so, happy'`], conditions: [`# = 'sad'`], isKey: true },
  { type: 'public.short', values: [`'ok'`], conditions: [`# = 'ok'`] },
  { type: 'public.pair', values: [`'(1,"a b")'`, `'(,)'`], conditions: ['(#).number = 1'] },
]

export const TYPES = `
  create type public.mood as enum ('sad', 'so, happy');
  create domain public.short as text check (length(value) < 10);
  create type public.pair as (number int, word text);`

const NAMES = ['plain', 'Upper', 'with "quotes"', 'order', 'ümlaut', 'a b', 'user', '$1', 'record', 'row']

/** A table with random columns, policies and rights, and changes to it. */
export interface RandomTable {
  readonly create: readonly string[]
  readonly columns: readonly string[]
  /** Key columns. */
  readonly key: readonly string[]
  /** A statement that changes one row. */
  change(): string
}

export function makeTable(random: Random, name: string): RandomTable {
  const names = shuffled(random, NAMES).slice(0, 3 + random.below(5))
  const columns = names.map((column) => ({ column, kind: random.pick(KINDS) }))
  const number = { column: 'number', kind: { type: 'int', values: [], conditions: ['# > 3'] } as Kind }
  const all = [number, ...columns]
  const more = columns.find(({ kind }) => kind.isKey)
  const key = ['number', ...(more && random.below(2) === 0 ? [more.column] : [])]
  const table = `public.${quoteIdentifier(name)}`
  const valueOf = ({ column, kind }: (typeof columns)[number]): string =>
    random.below(4) === 0 && !key.includes(column) ? 'null' : random.pick(kind.values)
  const definitions = all.map(({ column, kind }) => `${quoteIdentifier(column)} ${kind.type}`)
  if (random.below(2) === 0) definitions.push(`twice int generated always as (number * 2) stored`)
  const policyOf = (index: number): string => {
    const { column, kind } = random.pick(all)
    const condition = random.pick(kind.conditions).replaceAll('#', quoteIdentifier(column))
    return `create policy p${index} on ${table} as ${index > 0 && random.below(3) === 0 ? 'restrictive' : 'permissive'} for select to ${random.pick(['public', 'authenticated'])} using (${condition})`
  }
  const granted = columns
    .filter(({ column }) => key.includes(column) || random.below(2) === 0)
    .map(({ column }) => column)
  let last = 0
  return {
    columns: [...names, 'number', ...(definitions.length > all.length ? ['twice'] : [])],
    key,
    create: [
      `create table ${table} (${shuffled(random, definitions).join(', ')}, primary key (${key.map(quoteIdentifier).join(', ')}))`,
      `grant select (${['number', ...granted].map(quoteIdentifier).join(', ')}) on ${table} to anon`,
      `grant select on ${table} to authenticated, service_role`,
      ...(random.below(4) === 0
        ? []
        : [
            `alter table ${table} enable row level security`,
            ...Array.from({ length: 1 + random.below(3) }, (_, index) => policyOf(index)),
          ]),
    ],
    change() {
      const kind = random.below(5)
      const one = `where number = (select number from ${table} order by md5(number::text || '${random.below(1_000)}') limit 1)`
      if (kind < 2 || last < 2)
        return `insert into ${table} (${all.map(({ column }) => quoteIdentifier(column)).join(', ')}) values (${[String(++last), ...columns.map(valueOf)].join(', ')})`
      if (kind === 4) return `delete from ${table} ${one}`
      if (random.below(4) === 0) return `update ${table} set number = ${++last} ${one}`
      const changed = random.pick(columns)
      return `update ${table} set ${quoteIdentifier(changed.column)} = ${valueOf(changed)} ${one}`
    },
  }
}

function shuffled<T>(random: Random, values: readonly T[]): readonly T[] {
  const left = [...values]
  return values.map(() => left.splice(random.below(left.length), 1)[0] as T)
}
