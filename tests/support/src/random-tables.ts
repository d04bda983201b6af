import { ITEM_COLUMNS, POLICY_USERS } from './policy-schema.ts'
import type { Random } from './random.ts'

/** A table that policies are tried on: the columns that conditions read, a key of some kind, columns of other types, in any order, in parts or whole. */
export interface RandomTable {
  readonly name: string
  /** Columns of the key, in its order. */
  readonly key: readonly string[]
  /** Makes the table, without policies. */
  readonly create: readonly string[]
  /** Its partitions, each with its bounds. */
  readonly partitions: readonly { readonly name: string; readonly bounds: string }[]
  /** Columns beside the key, that may be left out when rows are made. */
  readonly columns: readonly string[]
  /** Literals of a new row's key. */
  keyValues(random: Random): readonly string[]
}

interface KeyKind {
  readonly columns: Readonly<Record<string, (random: Random) => string>>
  readonly key: readonly string[]
  readonly types: readonly string[]
  readonly constraint: (key: string) => string
  /** Ways of partitioning that the key allows. */
  readonly partitions?: readonly (readonly string[])[]
}

const KEY_SPACE = 12
const number = (random: Random): string => String(1 + random.below(KEY_SPACE))
const word = (random: Random): string => `'${random.pick(['a', 'b c', '"', '\\', '[1]', 'ü,', '{}', ''])}'`
const uuid = (random: Random): string => `'0000000${random.below(10)}-0000-4000-8000-00000000000a'`
const primary = (key: string): string => `primary key (${key})`
const byHash = (column: string): readonly string[] => [
  `partition by hash (${column})`,
  'for values with (modulus 2, remainder 0)',
  'for values with (modulus 2, remainder 1)',
]

const KEY_KINDS: readonly KeyKind[] = [
  { columns: { id: number }, key: ['id'], types: ['id int'], constraint: primary, partitions: [byHash('id')] },
  { columns: { id: uuid }, key: ['id'], types: ['id uuid'], constraint: primary, partitions: [byHash('id')] },
  { columns: { id: word }, key: ['id'], types: ['id text'], constraint: primary },
  {
    columns: { id: number, part: (random) => String(random.below(4)) },
    key: ['part', 'id'],
    types: ['id bigint', 'part int'],
    constraint: primary,
    partitions: [
      byHash('part'),
      ['partition by list (part)', 'for values in (0, 1)', 'default'],
      ['partition by range (part)', 'for values from (minvalue) to (2)', 'for values from (2) to (maxvalue)'],
    ],
  },
  {
    columns: { no: number, on: (random) => `'2026-01-0${1 + random.below(3)}'` },
    key: ['no', 'on'],
    types: ['no smallint', '"on" date'],
    constraint: primary,
  },
  { columns: { no: number }, key: ['no'], types: ['no bigint'], constraint: primary, partitions: [byHash('no')] },
  { columns: { label: word }, key: ['label'], types: ['label text not null'], constraint: (key) => `unique (${key})` },
  {
    columns: { id: number },
    key: ['id'],
    types: ['id int not null unique', 'x_other int not null default 1'],
    constraint: () => 'primary key (id, x_other)',
  },
]

/** Columns of other types, and what they hold when nothing is said. */
const EXTRAS: readonly string[] = [
  `x_at timestamptz default '2026-02-03 04:05:06.7+02'`,
  `x_bytes bytea default '\\x00ff'`,
  `x_ints int[] default '{1,null,3}'`,
  `"x Odd" text default 'a "quoted" \\ text'`,
  `x_twice int generated always as (coalesce(n, 0) * 2) stored`,
  `x_span interval default '1 day 02:00'`,
  `x_gone int default 7`,
]

function shuffled<T>(random: Random, list: readonly T[]): T[] {
  const rest = [...list]
  return list.map(() => rest.splice(random.below(rest.length), 1)[0] as T)
}

export function randomTable(random: Random, name: string): RandomTable {
  const kind = random.pick(KEY_KINDS)
  const extras = shuffled(random, EXTRAS).slice(0, random.below(EXTRAS.length))
  const columns = [
    ...Object.entries(ITEM_COLUMNS).map(([column, type]) => `${column} ${type}`),
    ...extras,
    ...kind.types,
  ]
  const [by, ...bounds] = kind.partitions && random.chance(0.4) ? random.pick(kind.partitions) : ['']
  const partitions = bounds.map((one, index) => ({ name: `${name}_${index}`, bounds: one }))
  const quoted = kind.key.map((column) => `"${column}"`).join(', ')
  return {
    name,
    key: kind.key,
    create: [
      `create table public.${name} (${shuffled(random, columns).join(', ')}, ${kind.constraint(quoted)}) ${by}`,
      ...partitions.map((part) => `create table public.${part.name} partition of public.${name} ${part.bounds}`),
      ...(extras.some((extra) => extra.startsWith('x_gone')) ? [`alter table public.${name} drop column x_gone`] : []),
      ...(random.chance(0.3)
        ? [`alter table public.${name} replica identity ${random.pick(['full', 'nothing'])}`]
        : []),
      `alter table public.${name} enable row level security`,
    ],
    partitions,
    columns: Object.keys(ITEM_COLUMNS),
    keyValues: (one) => kind.key.map((column) => kind.columns[column]?.(one) ?? 'null'),
  }
}

/** Drops a table of this name, however it was, with partitions that were detached from it. */
export const dropRandomTable = (name: string): string =>
  `drop table if exists public.${name}, public.${name}_0, public.${name}_1`

const orNull = (random: Random, text: string): string => (random.chance(0.12) ? 'null' : text)
const user = (random: Random): string => orNull(random, `'${random.pick(POLICY_USERS)}'`)
const small = (random: Random): string => orNull(random, String(1 + random.below(3)))
const flag = (random: Random): string => orNull(random, String(random.chance(0.5)))
const kind = (random: Random): string => orNull(random, `'${random.pick(['draft', 'open', 'closed'])}'`)
const role = (random: Random): string => orNull(random, `'${random.pick(['admin', 'owner', 'guest', 'red'])}'`)
const day = (random: Random): string => orNull(random, `'${random.pick(['2026-01-01', '2026-01-03', 'infinity'])}'`)
const list = (random: Random, one: (random: Random) => string, type: string): string =>
  orNull(random, `array[${Array.from({ length: random.below(4) }, () => one(random)).join(', ')}]::${type}`)

/** Literals for the columns that conditions read, by name. */
const VALUES: Readonly<Record<string, (random: Random) => string>> = {
  list_id: small,
  org_id: small,
  owner_id: user,
  editors: (random) => list(random, user, 'uuid[]'),
  tags: (random) => list(random, (one) => `'${one.pick(['red', 'blue', 'admin', 'guest'])}'`, 'text[]'),
  team: (random) => orNull(random, `'${random.pick(['red', 'Red', 'blue', ''])}'`),
  code: (random) => orNull(random, `'${random.pick(['c1', 'd2'])}'`),
  status: kind,
  n: small,
  is_public: flag,
  day,
  price: (random) => orNull(random, random.pick(['1', '1.0', '2.50'])),
  extra: (random) => orNull(random, `'{"owner": "${random.pick(POLICY_USERS)}"}'`),
  user_id: user,
  role,
  level: small,
  kind,
  is_open: flag,
}

/** Tables that policies read, with their columns beside `id`. */
const READ: Readonly<Record<string, readonly string[]>> = {
  members: ['org_id', 'user_id', 'role'],
  lists: ['org_id', 'owner_id', 'kind', 'is_open'],
  grants: ['list_id', 'user_id', 'level'],
  admins: ['user_id'],
  days: ['day'],
  shares: ['list_id', 'user_id'],
}

const valueOf = (random: Random, column: string): string => VALUES[column]?.(random) ?? 'null'

/** The statement that empties all tables. */
export const EMPTY_ALL = `truncate ${Object.keys(READ)
  .map((table) => `public.${table}`)
  .join(', ')}`

/** One random change of rows of the tables, or of those that their policies read. Constraints may refuse it. */
export function changeRows(random: Random, tables: readonly RandomTable[]): string {
  if (random.chance(0.45)) return changeWhatPoliciesRead(random)
  const table = random.pick(tables)
  const name = `public.${table.name}`
  const key = table.key.map((column) => `"${column}"`).join(', ')
  const some = (): string =>
    `(${key}) in (select ${key} from ${name} order by md5(row(${key})::text || '${random.below(1_000)}') limit ${1 + random.below(2)})`
  const column = random.pick(table.columns)
  switch (random.below(10)) {
    case 0:
    case 1:
    case 2:
    case 3: {
      const values = [...table.keyValues(random), ...table.columns.map((one) => valueOf(random, one))]
      return `insert into ${name} (${key}, ${table.columns.join(', ')}) values (${values.join(', ')}) on conflict do nothing`
    }
    case 4:
    case 5:
    case 6:
      return `update ${name} set ${column} = ${valueOf(random, column)} where ${some()}`
    case 7:
      return `update ${name} set ${column} = ${valueOf(random, column)} where list_id = ${1 + random.below(3)}`
    case 8: {
      const index = random.below(table.key.length)
      return `update ${name} set "${table.key[index]}" = ${table.keyValues(random)[index]} where ${some()}`
    }
    default:
      return `delete from ${name} where ${some()}`
  }
}

function changeWhatPoliciesRead(random: Random): string {
  const table = random.pick(Object.keys(READ))
  const columns = READ[table] ?? []
  const some = `id in (select id from public.${table} order by md5(id::text || '${random.below(1_000)}') limit ${1 + random.below(2)})`
  const column = random.pick(columns)
  switch (random.below(random.chance(0.1) ? 7 : 6)) {
    case 0:
    case 1:
    case 2:
      return `insert into public.${table} (id, ${columns.join(', ')}) values (${1 + random.below(6)}, ${columns.map((one) => valueOf(random, one)).join(', ')}) on conflict do nothing`
    case 3:
    case 4:
      return `update public.${table} set ${column} = ${valueOf(random, column)} where ${some}`
    case 5:
      return `delete from public.${table} where ${some}`
    default:
      return `truncate public.${table}`
  }
}
