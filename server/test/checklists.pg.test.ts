import { afterAll, beforeAll, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { runAs, sql, type Session } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

// Which tables are checklists: read by everybody who is signed in, written by operators.

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, serverMigrations] })
  await database.pool.execute(
    sql`insert into holdfast.checklists (table_name, item_table, answer_table) values ('rounds', 'lines', 'replies')`,
  )
})
afterAll(() => database[Symbol.asyncDispose]())

const sub = 'aaaaaaaa-0000-4000-8000-000000000001'
const person: Session = { role: 'authenticated', claims: { role: 'authenticated', sub } }
const operator: Session = {
  role: 'authenticated',
  claims: { role: 'authenticated', sub, app_metadata: { holdfast_operator: true } },
}

const asked = <Row extends object>(session: Session, query: ReturnType<typeof sql>): Promise<readonly Row[]> =>
  runAs(database.requestPool, session, (tx) => tx.query<Row>(query))

test('who is signed in reads which tables are checklists, and only an operator changes it', async () => {
  expect(await asked(person, sql`select item_table from holdfast.checklists`)).toEqual([{ item_table: 'lines' }])
  expect(await asked(person, sql`delete from holdfast.checklists returning id`)).toEqual([])
  const insert = sql`insert into holdfast.checklists (table_name, item_table, answer_table) values ('a', 'b', 'c')`
  await expect(asked(person, insert)).rejects.toThrow('row-level security')
  expect(
    await asked(operator, sql`update holdfast.checklists set names = '{"prompt": "question"}' returning names`),
  ).toEqual([{ names: { prompt: 'question' } }])
})

test.each([
  ['names', '{"prompt": 1}', 'checklists_names_texts'],
  ['names', '["prompt"]', 'checklists_names_texts'],
  ['begin_values', '{"state": {"to": "begun"}}', 'checklists_begin_values_plain'],
  ['finish_values', '7', 'checklists_finish_values_plain'],
  ['place_fields', '{a,b,c,d,e,f,g,h,i}', 'checklists_place_fields_max'],
  ['item_table', '', 'checklists_item_table'],
])('a bad %s is refused by name: %s', async (column, value, constraint) => {
  await expect(
    asked(operator, sql`update holdfast.checklists set ${sql.identifier(column)} = ${value}`),
  ).rejects.toThrow(constraint)
})
