import { createRandom, type Random, runsOf, seedOf } from '@holdfast/test-support'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { delay } from '@holdfast/foundation'
import { assumeSession, sql, type Transaction } from '@holdfast/postgres'
import { SCHEMA_PATH, UPLOAD_PATH, type SchemaDescriptor } from '@holdfast/protocol'
import { findBreaches, print, type Followed } from './histories.ts'
import type { DeviceState } from './stream-client.ts'
import { ALICE, BOB, openWorld, type World } from './sync-world.ts'

/**
 * Random histories over tables of which each has another kind of key, where people of two roles see different columns. At every completed checkpoint a
 * device has what its person could select at one commit, under ids that the test makes itself. Keys change, are swapped and taken over.
 *
 * `HOLDFAST_KEYS_SEED` repeats a history, `HOLDFAST_KEYS_RUNS` makes more of them.
 */
const SEED = seedOf('HOLDFAST_KEYS_SEED')
const RUNS = runsOf(1, { variable: 'HOLDFAST_KEYS_RUNS' })

/** Roles are those of the whole cluster, which other tests share. */
const CLERK = `clerk_${process.pid}`

interface KeyedTable {
  readonly name: string
  /** Columns of the key and how their values are made, as SQL literals. */
  readonly key: Readonly<Record<string, (n: number) => string>>
  /** The texts that the id is made of, in SQL over the row. */
  readonly id: readonly string[]
  readonly create: string
  readonly deferrable?: boolean
}

const uuid = (n: number): string => `'0000000${n % 10}-0000-4000-8000-000000000000'::uuid`
const words = ['a', 'b c', '"', '\\', '[1]', 'ü,', '', '{}']
const word = (n: number): string => `'${words[n % words.length]}'`
const int = String
const day = (n: number): string => `date '2024-01-0${1 + (n % 8)}'`
const moment = (n: number): string => `timestamptz '2024-01-01 10:00:00.${n % 8}+02'`

const REST = 'owner_id uuid, n int, secret text, "other id" int'
const COLUMNS = 'owner_id, n, secret, "other id"'

const TABLES: readonly KeyedTable[] = [
  { name: 'by_code', key: { code: word }, id: ['code'], create: `(code text primary key, ${REST})` },
  { name: 'by_no', key: { no: int }, id: ['no::text'], create: `(no int primary key, ${REST})` },
  { name: 'by_uuid', key: { key: uuid }, id: ['key::text'], create: `(key uuid primary key, ${REST})` },
  { name: 'by_pair', key: { a: int, b: word }, id: ['a::text', 'b'], create: `(b text, ${REST}, a bigint, primary key (a, b))` },
  {
    name: 'by_moment',
    key: { at: moment, on: day, yes: (n) => String(n % 2 === 0) },
    id: [
      `to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
      '"on"::text',
      `case when yes then '1' else '0' end`,
    ],
    create: `(at timestamptz, "on" date, yes boolean, ${REST}, primary key (at, "on", yes))`,
  },
  // A column `id` that is not the key.
  { name: 'with_id', key: { org: int, id: word }, id: ['org::text', 'id'], create: `(id text, org int, ${REST}, primary key (org, id))` },
  // The column `id` tells rows apart, although the primary key is another.
  { name: 'unique_id', key: { id: int, a: int }, id: ['id::text'], create: `(a int, id int not null unique, ${REST}, primary key (a, id))` },
  { name: 'unique_only', key: { a: word }, id: ['a'], create: `(${REST}, a text not null unique, u int unique)` },
  { name: 'deferred', key: { a: int }, id: ['a::text'], create: `(a int primary key deferrable initially deferred, ${REST})`, deferrable: true },
  { name: 'parted', key: { p: int, k: word }, id: ['p::text', 'k'], create: `(p int, k text, ${REST}, primary key (p, k)) partition by hash (p)` },
] // prettier-ignore

const SCHEMA = `
  do $$ begin create role ${CLERK}; exception when duplicate_object then null; end $$;
  grant ${CLERK} to authenticator;
  grant usage on schema public, auth to ${CLERK};
  ${TABLES.map(
    ({ name, create, key }) => `
  create table public.${name} ${create};
  ${create.includes('partition by') ? `create table public.${name}_0 partition of public.${name} for values with (modulus 2, remainder 0); create table public.${name}_1 partition of public.${name} for values with (modulus 2, remainder 1);` : ''}
  alter table public.${name} enable row level security;
  create policy own on public.${name} using (owner_id = (select auth.uid()) or n > 50);
  grant select (${Object.keys(key)
    .map((column) => `"${column}"`)
    .join(', ')}, owner_id, n), insert, update, delete on public.${name} to ${CLERK};`,
  ).join('\n')}
`

interface Person {
  readonly userId: string
  readonly role: string
}

const PEOPLE: readonly Person[] = [
  { userId: ALICE, role: 'authenticated' },
  { userId: BOB, role: 'authenticated' },
  { userId: ALICE, role: CLERK },
]
const label = ({ userId, role }: Person): string => `${userId} ${role}`
const tokenOf = ({ userId, role }: Person): string =>
  Buffer.from(JSON.stringify({ sub: userId, role })).toString('base64url')

let world: World

beforeEach(async () => {
  world = await openWorld({ schema: SCHEMA })
})

afterEach(async () => {
  await world.run(`revoke ${CLERK} from authenticator`)
  await world[Symbol.asyncDispose]()
})

/** Reads what a user may see, and under which id, without using any code of the service. */
async function readAs(tx: Transaction, { userId, role }: Person): Promise<DeviceState> {
  const found = new Map<string, string>()
  const columns = await tx.query<{ table: string; names: string[] }>(sql`
    select c.relname as table, array_agg(a.attname::text order by a.attnum) as names
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and has_column_privilege(${role}, c.oid, a.attnum, 'select') group by 1`)
  await assumeSession(tx, { role, claims: { sub: userId, role } })
  for (const { name, id } of TABLES) {
    const shown = columns.find((one) => one.table === name)?.names ?? []
    const values = shown.map((column) => {
      const local = column === 'id' && id.join() !== 'id::text' ? 'id_' : column
      const quoted = `"${column}"`
      const value = column === 'at' ? id[0] : column === 'yes' ? 'yes::int' : quoted
      return `'${local}', ${value}`
    })
    const rows = await tx.query<{ id: string[]; data: string }>(
      sql.trusted(
        `select array[${id.join(', ')}] as id, json_build_object(${values.join(', ')})::text as data from public.${name}`,
      ),
    )
    for (const row of rows) {
      const key = id.length === 1 ? row.id[0] : JSON.stringify(row.id)
      // Without the spaces that Postgres writes between the values.
      found.set(`${name}/${key}`, JSON.stringify(JSON.parse(row.data)))
    }
  }
  await tx.execute(sql`reset role`)
  return found
}

function changes(random: Random): string {
  const table = random.pick(TABLES)
  const name = `public.${table.name}`
  const values = (): string =>
    Object.values(table.key)
      .map((make) => make(random.below(8)))
      .join(', ')
  const key = Object.keys(table.key)
    .map((column) => `"${column}"`)
    .join(', ')
  const [first = ''] = Object.keys(table.key)
  const make = table.key[first] as (n: number) => string
  const owner = random.pick([`'${ALICE}'`, `'${BOB}'`, 'null'])
  const some = `(${key}) = (select ${key} from ${name} order by md5(n::text || '${random.below(1000)}') limit 1)`
  switch (random.below(table.deferrable ? 9 : 7)) {
    case 0:
    case 1:
    case 2:
      return `insert into ${name} (${key}, ${COLUMNS}) values (${values()}, ${owner}, ${random.below(60)}, 's${random.below(9)}', 1)`
    case 3:
      return `update ${name} set n = ${random.below(60)} where ${some}`
    case 4:
      return `update ${name} set owner_id = ${owner}, secret = 'x' where ${some}`
    case 5:
      return `update ${name} set "${first}" = ${make(random.below(8))} where ${some}`
    case 6:
      return `delete from ${name} where ${some}`
    case 7: // each takes over the key of another
      return `update ${name} t set a = m.next from (select a, coalesce(lead(a) over (order by a), min(a) over ()) as next from ${name}) m where m.a = t.a`
    default:
      return `insert into ${name} (a, owner_id, n) select a, owner_id, n + 1 from ${name} where a < 4; delete from ${name} t where exists (select from ${name} o where o.a = t.a and o.n > t.n)`
  }
}

for (let run = 0; run < RUNS; run++) {
  const seed = SEED + run
  test(`tables with any key are equal at every checkpoint (seed ${seed})`, async () => {
    const random = createRandom(seed)
    const shown = new Map<string, DeviceState[]>(PEOPLE.map((person) => [label(person), []]))
    const commit = async (statements: readonly string[]): Promise<void> => {
      const states: DeviceState[] = []
      await world.db.pool.transaction(async (tx) => {
        for (const [index, text] of statements.entries()) {
          await tx.execute(sql.trusted(`savepoint s${index}`))
          // Two rows with one key are no matter of this test.
          await tx.client
            .query(`${text}; set constraints all immediate; set constraints all deferred`)
            .catch(() => tx.execute(sql.trusted(`rollback to savepoint s${index}`)))
        }
        for (const person of PEOPLE) states.push(await readAs(tx, person))
      })
      PEOPLE.forEach((person, index) => shown.get(label(person))?.push(states[index] as DeviceState))
    }
    for (let i = 0; i < 6; i++) await commit(Array.from({ length: 8 }, () => changes(random)))

    const followed: (Followed & { readonly person: Person })[] = PEOPLE.map((person) => {
      const device = world.device(person.userId, { token: tokenOf(person), format: random.pick(['bson', 'ndjson']) })
      device.connect()
      return { userId: label(person), person, device }
    })
    for (let step = 0; step < 25; step++) {
      await commit(Array.from({ length: 1 + random.below(5) }, () => changes(random)))
      if (random.chance(0.6)) await delay(random.below(60))
      if (step === 12) {
        await commit([
          `grant select (secret) on public.by_pair to ${CLERK}; revoke select (n) on public.by_code from ${CLERK}; alter table public.by_no add column more int default 5`,
        ])
      }
      const { device } = random.pick(followed)
      if (random.chance(0.8)) continue
      if (device.isOpen) device.disconnect()
      else device.connect()
    }
    const last = (person: Person): string => print(shown.get(label(person))?.at(-1) ?? new Map())
    for (const { person, device } of followed) {
      await device
        .until(
          () => {
            if (!device.isOpen) device.connect()
            return device.completed.length > 0 && print(device.state) === last(person)
          },
          'the end',
          8_000,
        )
        .catch(() => undefined) // told by findBreaches
      device.disconnect()
    }
    for (const one of followed)
      expect({ seed, breaches: findBreaches({ seed, shown }, one).slice(0, 5) }).toEqual({ seed, breaches: [] })
    expect(followed.some(({ device }) => device.state.size > 3)).toBe(true)
  })
}

test('rows swap their keys, and a reader that trusts the order of changes does not notice', async () => {
  const swap = async (one: World): Promise<(number | undefined)[]> => {
    await one.run(`insert into public.deferred (a, owner_id, n) values (1, '${ALICE}', 1), (2, '${ALICE}', 2)`)
    const device = one.device(ALICE)
    device.connect()
    await device.until(() => device.state.size === 2, 'both rows')
    await one.run(
      `update public.deferred set a = 3 - a; insert into public.by_no (no, owner_id) values (1, '${ALICE}')`,
    )
    await device.until(() => device.state.has('by_no/1'), 'the transaction')
    return ['1', '2'].map((id) => (JSON.parse(device.state.get(`deferred/${id}`) ?? '{}') as { n?: number }).n)
  }
  expect(await swap(world)).toEqual([2, 1])
  await using broken = await openWorld({
    schema: SCHEMA,
    tamper: (plan) => ({
      ...plan,
      tables: plan.tables.map((table) => ({ ...table, key: { ...table.key, deferrable: false } })),
    }),
  })
  expect(await swap(broken)).not.toEqual([2, 1])
})

test('what a device makes under an id comes back under the same, and is found by it again', async () => {
  const [alice] = PEOPLE as [Person]
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${tokenOf(alice)}` }
  const schema = (await (await fetch(`${world.url}${SCHEMA_PATH}`, { headers })).json()) as SchemaDescriptor
  expect(Object.fromEntries(schema.tables.map((table) => [table.name, table.key]))).toMatchObject({
    by_code: ['code'],
    by_pair: ['a', 'b'],
    with_id: ['org', 'id_'],
    unique_id: ['id'],
    deferred: ['a'],
  })
  let position = 0
  const upload = async (operations: readonly object[]): Promise<unknown> => {
    const answer = await fetch(`${world.url}${UPLOAD_PATH}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({
        client_id: 'cccccccc-cccc-4ccc-8ccc-cccccccccccc',
        operations: operations.map((operation) => ({ op_id: ++position, ...operation })),
        position,
      }),
    })
    const { status, verdicts } = (await answer.json()) as { status: string; verdicts: object[] }
    return status === 'applied' ? status : verdicts
  }
  const device = world.device(alice.userId, { token: tokenOf(alice) })
  device.connect()
  const rows: readonly (readonly [string, string, Readonly<Record<string, string | number>>])[] = [
    ['by_code', 'a "b"', { code: 'a "b"' }],
    ['by_no', '7', { no: 7 }],
    ['by_uuid', '00000001-0000-4000-8000-000000000000', { key: '00000001-0000-4000-8000-000000000000' }],
    ['by_pair', '["9007199254740993","x,y"]', { a: '9007199254740993', b: 'x,y' }],
    ['by_moment', '["2024-02-29T10:13:14.500000Z","2024-02-29","1"]', { at: '2024-02-29T10:13:14.500000Z', on: '2024-02-29', yes: 1 }],
    ['with_id', '["3","me"]', { org: 3, id_: 'me' }],
    ['unique_only', '', { a: '' }],
    ['deferred', '5', { a: 5 }],
    ['parted', '["1","k"]', { p: 1, k: 'k' }],
  ] // prettier-ignore
  const ids = rows.map(([type, id]) => `${type}/${id}`).toSorted()
  const held = (): string[] => [...device.state.keys()].toSorted()
  const until = (condition: () => boolean): Promise<unknown> =>
    device.until(condition, 'the change').catch(() => undefined)

  // With the key in the row and, as ids can be read again, with the key in the id alone.
  for (const withKey of [true, false]) {
    for (const [type, id, key] of rows)
      expect([
        type,
        await upload([{ op: 'PUT', type, id, data: { owner_id: ALICE, n: 1, ...(withKey ? key : {}) } }]),
      ]).toEqual([type, 'applied'])
    await until(() => held().join() === ids.join())
    expect(held()).toEqual(ids)
    // Twice is once.
    for (const [type, id, key] of rows)
      expect([type, await upload([{ op: 'PUT', type, id, data: { owner_id: ALICE, n: 2, ...key } }])]).toEqual([
        type,
        'applied',
      ])
    for (const [type, id] of rows)
      expect([type, await upload([{ op: 'PATCH', type, id, data: { n: 3 } }])]).toEqual([type, 'applied'])
    await until(() => [...device.state.values()].every((json) => json.includes('"n":3')))
    expect([...device.state.values()].every((json) => json.includes('"n":3'))).toBe(true)
    for (const [type, id] of rows) expect([type, await upload([{ op: 'DELETE', type, id }])]).toEqual([type, 'applied'])
    await until(() => device.state.size === 0)
    expect(held()).toEqual([])
  }
  expect(await upload([{ op: 'DELETE', type: 'by_pair', id: 'no list' }])).toMatchObject([{ status: 'no_row' }])
  expect(await upload([{ op: 'PATCH', type: 'by_pair', id: '["1"]', data: { n: 1 } }])).toMatchObject([
    { status: 'no_row' },
  ])
})
