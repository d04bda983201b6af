import { randomUUID } from 'node:crypto'
import { column, Schema, Table, type CommonPowerSyncDatabase } from '@powersync/common'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { quoteIdentifier } from '@holdfast/postgres'
import { SCHEMA_PATH, type SchemaDescriptor, type TableDescriptor } from '@holdfast/protocol'
import { createRandom, openDevice, openHoldfast, seedOf, type Holdfast, type TestDevice } from '@holdfast/test-support'
import { openApp, soon } from './sync-app.ts'

/* Every name that Postgres accepts works on a device, even if SQLite, PowerSync or JSON paths reserve, fold or parse it. Postgres is the oracle. */

const ACCOUNT = { email: 'names@example.org', password: 'whatever they are called' }

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

const TABLES = [
  ...words(`
    ordinary sqlite_export SQLite_Sequence ps_crud ps_buckets ps_buckets_name ps_data__x PS_Data__ordinary ps_data_local__hf_local_drafts
    powersync_crud powersync_crud_ powersync_x json_each JSON_Tree pragma_table_info dbstat hf_local_drafts hf_search hf_members
    E5Case e5case Alone No. x[0] " it's \\ 1 select constructor __proto__ ordinary__by_on No$2e$ sqlite$_export crm__leads Ä ä -- %`),
  'a b',
  'a\nb',
  ' ',
]
const COLUMNS = [
  ...words(`
    a A No. Tel. x[0] $.a .5 [ ] " "a" a"b it's \\ 1 0 $ $a _deleted _metadata _DELETED _deleted$ true false null ID Id id_ rowid oid _rowid_
    data type op __proto__ constructor toString select Ä ä No$2e$ A$u1$ ? ?1 :x -- /* a;b % a,b # ordinary`),
  'a\nb',
  '\u0001',
  ' ',
  '`',
]

let holdfast: Holdfast
let device: TestDevice

const there = <Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> =>
  holdfast.admin.withClient(async (client) => (await client.query<Row>(text, [...values])).rows)

/** @param columns - in addition to `id` and a date, which devices index */
function createTable(schema: string, name: string, columns: readonly string[]): string {
  const table = `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`
  const texts = columns.map((column) => `${quoteIdentifier(column)} text`)
  return `
    create table ${table} (id text primary key, ${[...texts, '"on" date'].join(', ')});
    alter table ${table} enable row level security;
    create policy all_ on ${table} to authenticated using (true);
    grant all on ${table} to authenticated;
    insert into ${table} values ('there', ${[...columns.map((_, at) => `'${at}'`), "'2030-01-01'"].join(', ')});`
}

/** Combines fragments that the name mapping has to tell apart. */
function randomNames(seed: number, count: number): readonly string[] {
  const random = createRandom(seed)
  const pieces = [
    'sqlite',
    'ps',
    '_',
    '__',
    '_crud',
    '_data__',
    'a',
    'A',
    'B',
    '.',
    '[',
    '"',
    '\\',
    '$',
    '$2e$',
    '$u1$',
    '$s$',
    ' ',
    'ä',
    '_deleted',
  ]
  const names = Array.from({ length: count }, () =>
    Array.from({ length: 1 + random.below(4) }, () => random.pick(pieces)).join(''),
  )
  return [...new Set(names)]
}

beforeAll(async () => {
  const seed = seedOf('HOLDFAST_SEED')
  console.log(`names of seed ${seed}`)
  const [tables, columns] = process.env['HOLDFAST_NIGHT'] === '1' ? [60, 300] : [10, 30]
  const made = [...new Set([...TABLES, ...randomNames(seed, tables)])]
  const all = [...new Set([...COLUMNS, ...randomNames(seed + 1, columns)])]
  holdfast = await openHoldfast()
  await there(
    [
      'create schema crm; create schema a; create schema a__b; grant usage on schema crm, a, a__b to authenticated;',
      ...made.map((name, at) =>
        createTable('public', name, at === 0 ? all : ['value', '_deleted', 'No.', 'Case', 'case']),
      ),
      ...[
        ['crm', 'leads'],
        ['crm', 'Leads'],
        ['a', 'b__c'],
        ['a__b', 'c'],
      ].map(([schema = '', name = '']) => createTable(schema, name, ['value'])),
      `alter role authenticator set pgrst.db_schemas = 'public, holdfast, crm, a, a__b'; notify pgrst, 'reload config'`,
    ].join('\n'),
  )
  const { error } = await (await holdfast.supabase()).auth.signUp(ACCOUNT)
  if (error) throw error
  device = await openDevice(holdfast, ACCOUNT)
  await vi.waitFor(() => expect(device.tables()).toContain('a__b$s$c'), { timeout: 60_000 })
  await device.settle()
})

afterAll(async () => {
  await device?.[Symbol.asyncDispose]()
  await holdfast?.[Symbol.asyncDispose]()
})

type Texts = Readonly<Record<string, string | null>>

const own = (schema: SchemaDescriptor): readonly TableDescriptor[] =>
  schema.tables.filter(({ schema }) => schema !== 'holdfast')

const qualified = ({ schema, table }: TableDescriptor): string => `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`

/** Rows by ID, with the columns in the descriptor's order. */
type Rows = ReadonlyMap<string, readonly (string | null)[]>

async function rowsThere(table: TableDescriptor): Promise<Rows> {
  const columns = table.columns.map((one) => `${quoteIdentifier(one.column ?? one.name)}::text`)
  const rows = await there<{ values: readonly (string | null)[]; id: string }>(
    `select id, array[${columns.join(', ')}] as values from ${qualified(table)}`,
  )
  return new Map(rows.map(({ id, values }) => [id, values]))
}

async function rowsHere(database: CommonPowerSyncDatabase, table: TableDescriptor): Promise<Rows> {
  const columns = table.columns.map(({ name }) => quoteIdentifier(name))
  const rows = await database.getAll<Texts>(`select ${columns.join(', ')} from ${quoteIdentifier(table.name)}`)
  return new Map(rows.map((row) => [String(row['id']), table.columns.map(({ name }) => row[name] ?? null)]))
}

/** Compares table by table; new tables reach a device one after another. */
async function expectSame(database: CommonPowerSyncDatabase, tables: readonly TableDescriptor[]): Promise<void> {
  for (const table of tables) {
    await vi.waitFor(
      async () => expect([table.name, await rowsHere(database, table)]).toEqual([table.name, await rowsThere(table)]),
      { timeout: 30_000 },
    )
  }
}

/** Inserts a row into each table and changes every text column of the existing row. */
async function edit(database: CommonPowerSyncDatabase, tables: readonly TableDescriptor[]): Promise<string> {
  const id = randomUUID()
  await database.writeTransaction(async (tx) => {
    for (const { name, columns } of tables) {
      const texts = columns.filter((one) => one.name !== 'id' && one.type === 'text').map((one) => one.name)
      const names = ['id', ...texts].map(quoteIdentifier).join(', ')
      await tx.execute(
        `insert into ${quoteIdentifier(name)} (${names}) values (${['', ...texts].map(() => '?').join(', ')})`,
        [id, ...texts.map((text) => `new ${name} ${text}`)],
      )
      await tx.execute(
        `update ${quoteIdentifier(name)} set ${texts.map((text) => `${quoteIdentifier(text)} = ?`).join(', ')} where id = 'there'`,
        texts.map((text) => `${id} ${name} ${text}`),
      )
    }
  })
  return id
}

/** Expects what {@link edit} wrote in Postgres, each value in its column. */
async function expectEdited(tables: readonly TableDescriptor[], id: string): Promise<void> {
  for (const table of tables) {
    const rows = await rowsThere(table)
    const written = (start: string): readonly (string | null)[] =>
      table.columns.map((one) => (one.type === 'text' ? `${start} ${table.name} ${one.name}` : null)).slice(1)
    expect([table.name, rows.get(id)?.slice(1)]).toEqual([table.name, written('new')])
    expect([table.name, rows.get('there')?.slice(1, -1)]).toEqual([table.name, written(id).slice(0, -1)])
  }
}

describe('unusual table and column names', () => {
  test('the client kit has all tables and columns, and keeps ordinary names', async () => {
    const tables = own(device.local.schema.get())
    const count = await there<{ count: number }>(
      `select count(*)::int as count from pg_policies where policyname = 'all_' and schemaname <> 'holdfast'`,
    )
    expect(tables).toHaveLength(count[0]?.count ?? 0)
    const renamed = tables
      .filter(({ schema, name, table }) => schema === 'public' && name !== table)
      .map(({ table }) => table)
    for (const name of ['ordinary', 'Alone', "it's", 'a b', 'crm__leads', 'select', 'e5case', 'Ä', 'ä', '%'])
      expect(renamed).not.toContain(name)
    await expectSame(device.database, tables)
  })

  test('writes of the client kit reach their columns, and no value deletes a record', async () => {
    const tables = own(device.local.schema.get())
    const id = await edit(device.database, tables)
    await device.settle()
    expect(await device.local.rejected.list()).toEqual([])
    await expectEdited(tables, id)
    await expectSame(device.database, tables)
    expect(await device.local.checkDevice()).toMatchObject({ equal: true })
    // The SDK deletes a record if its `_deleted` is true.
    const [ordinary] = tables.filter(({ name }) => name === 'ordinary')
    await device.database.execute(`update ordinary set "_deleted$" = 1 where id = 'there'`)
    await device.settle()
    expect(await there(`select _deleted from public.ordinary where id = 'there'`)).toEqual([{ _deleted: '1' }])
    if (ordinary) await expectSame(device.database, [ordinary])
  })

  test("the plain SDK, with the server's schema, reads and writes the same", async () => {
    const answer = await fetch(`${holdfast.url}${SCHEMA_PATH}`, {
      headers: { authorization: `Bearer ${await device.token()}` },
    })
    const tables = own((await answer.json()) as SchemaDescriptor)
    const schema = new Schema(
      Object.fromEntries(
        tables.map(({ name, columns }) => [
          name,
          new Table(Object.fromEntries(columns.slice(1).map((one) => [one.name, column.text])), {
            trackMetadata: true,
          }),
        ]),
      ),
    )
    await using app = await openApp(holdfast, { account: ACCOUNT, schema })
    await app.connect()
    await app.database.waitForFirstSync(soon())
    await expectSame(app.database, tables)
    const id = await edit(app.database, tables)
    await expect.poll(async () => (await app.database.getUploadQueueStats()).count, { timeout: 60_000 }).toBe(0)
    await expectEdited(tables, id)
  })

  test('a device whose own schema uses the Postgres names still reaches tables and columns', async () => {
    const answer = await fetch(`${holdfast.url}/sync/v1/upload`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${await device.token()}` },
      body: JSON.stringify({
        client_id: randomUUID(),
        position: 1,
        operations: [
          { op_id: 1, op: 'PATCH', type: 'sqlite_export', id: 'there', data: { 'No.': 'by hand' } },
          { op_id: 2, op: 'PATCH', type: 'E5Case', id: 'there', data: { Case: 'of E5Case', _deleted: 'no' } },
        ],
      }),
    })
    expect(await answer.json()).toMatchObject({ status: 'applied' })
    expect(await there(`select "No." as no from public.sqlite_export where id = 'there'`)).toEqual([{ no: 'by hand' }])
    expect(await there(`select "Case", _deleted from public."E5Case" where id = 'there'`)).toEqual([
      { Case: 'of E5Case', _deleted: 'no' },
    ])
  })
})
