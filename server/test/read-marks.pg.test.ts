import { afterAll, beforeAll, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { runAs, sql, type Session } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

// Read marks: each person's own, and no more than a month of them.

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }
const ANN = 'aaaaaaaa-0000-4000-8000-000000000001'
const BEN = 'aaaaaaaa-0000-4000-8000-000000000002'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, serverMigrations] })
})
afterAll(() => database[Symbol.asyncDispose]())

const session = (sub: string): Session => ({ role: 'authenticated', claims: { role: 'authenticated', sub } })
const asked = <Row extends object>(sub: string, query: ReturnType<typeof sql>): Promise<readonly Row[]> =>
  runAs(database.requestPool, session(sub), (tx) => tx.query<Row>(query))

test('a mark belongs to who makes it, nobody else has it, and old ones go when another comes', async () => {
  await asked(
    ANN,
    sql`insert into holdfast.read_marks (owner_id, table_name, record_id, read_at)
        values (${BEN}, 'actions', 'old', now() - interval '40 days')`,
  )
  expect(await asked(BEN, sql`select 1 from holdfast.read_marks`)).toEqual([])
  expect(await asked(ANN, sql`select record_id from holdfast.read_marks`)).toEqual([{ record_id: 'old' }])
  await asked(
    ANN,
    sql`insert into holdfast.read_marks (owner_id, table_name, record_id) values (${ANN}, 'actions', 'new')`,
  )
  expect(await asked(ANN, sql`select record_id from holdfast.read_marks`)).toEqual([{ record_id: 'new' }])
  expect(await asked(BEN, sql`delete from holdfast.read_marks returning id`)).toEqual([])
})

test('a person has at most 1,000 marks', async () => {
  await asked(
    BEN,
    sql`insert into holdfast.read_marks (owner_id, table_name, record_id, read_at)
        select ${BEN}, 'actions', n::text, now() - n * interval '1 minute' from generate_series(1, 1010) n`,
  )
  const [marks] = await asked<{ rows: number }>(BEN, sql`select count(*)::int as rows from holdfast.read_marks`)
  expect(marks?.rows).toBeLessThanOrEqual(1_000)
})

test('a mark names a table and a record, or neither', async () => {
  await expect(
    asked(ANN, sql`insert into holdfast.read_marks (owner_id, table_name) values (${ANN}, 'actions')`),
  ).rejects.toThrow('read_marks_table_name')
})
