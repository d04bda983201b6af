import { afterAll, beforeAll, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { runAs, sql, type Session } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

// What tables look like: read by everybody who is signed in, written by operators.

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, serverMigrations] })
  await database.pool.execute(sql`insert into holdfast.tables (table_name, icon) values ('sites', 'map-pin')`)
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

test('who is signed in reads the looks of tables, and a stranger does not', async () => {
  expect(await asked(person, sql`select icon from holdfast.tables`)).toEqual([{ icon: 'map-pin' }])
  await expect(
    asked({ role: 'anon', claims: { role: 'anon' } }, sql`select icon from holdfast.tables`),
  ).rejects.toThrow('permission denied')
})

test('only an operator changes them', async () => {
  await expect(asked(person, sql`insert into holdfast.tables (table_name) values ('assets')`)).rejects.toThrow(
    'row-level security',
  )
  expect(await asked(person, sql`update holdfast.tables set icon = 'zap' returning icon`)).toEqual([])
  expect(await asked(person, sql`delete from holdfast.tables returning icon`)).toEqual([])
  expect(await asked(operator, sql`update holdfast.tables set color = 'teal' returning color`)).toEqual([
    { color: 'teal' },
  ])
})

test.each([
  ['icon', 'javascript:alert(1)', 'tables_icon_name'],
  ['color', '#ff0000', 'tables_color_name'],
  ['label', '   ', 'tables_label_length'],
  ['section', 'x'.repeat(61), 'tables_section_length'],
  ['position', 'NaN', 'tables_position_number'],
  ['position', '-Infinity', 'tables_position_number'],
  ['translations', '[]', 'tables_translations_form'],
  ['translations', '1', 'tables_translations_form'],
  ['translations', '[{"label": "Standorte"}]', 'tables_translations_form'],
  ['translations', '{"de": "Standorte"}', 'tables_translations_form'],
  ['translations', '{"de": [{"label": "Standorte"}]}', 'tables_translations_form'],
  ['translations', '{"de": {"label": 1}}', 'tables_translations_form'],
  ['translations', JSON.stringify({ de: { label: 'x'.repeat(4000) } }), 'tables_translations_form'],
])('a bad %s is refused by name: %s', async (column, value, constraint) => {
  await expect(asked(operator, sql`update holdfast.tables set ${sql.identifier(column)} = ${value}`)).rejects.toThrow(
    constraint,
  )
})

test('words are given in several languages', async () => {
  const words = { de: { label: 'Standorte', one: 'Standort', section: 'Netz' }, fr: { label: 'Sites' } }
  const update = sql`update holdfast.tables set translations = ${JSON.stringify(words)} returning translations`
  expect(await asked(operator, update)).toEqual([{ translations: words }])
})
