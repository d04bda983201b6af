import { afterAll, beforeAll, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { runAs, sql, type Session } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

// How the fields of records stand: read by everybody who is signed in, written by leads of teams and by operators.

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }
const LEAD = 'aaaaaaaa-0000-4000-8000-00000000000a'
const MEMBER = 'aaaaaaaa-0000-4000-8000-00000000000b'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, serverMigrations] })
  await database.pool.execute(sql`insert into auth.users (id) values (${LEAD}), (${MEMBER})`)
  await database.pool.execute(sql`
    with team as (insert into holdfast.teams (name) values ('North') returning id)
    insert into holdfast.team_members (team_id, user_id, function)
    select team.id, one.user_id::uuid, one.function::holdfast.team_function from team, (values (${LEAD}, 'lead'), (${MEMBER}, 'member')) one (user_id, function)`)
  await database.pool.execute(
    sql`insert into holdfast.fields (table_name, field_name, section) values ('visits', 'hours', 'Effort')`,
  )
})
afterAll(() => database[Symbol.asyncDispose]())

const personOf = (sub: string, rest: object = {}): Session => ({
  role: 'authenticated',
  claims: { role: 'authenticated', sub, ...rest },
})
const operator = personOf(MEMBER, { app_metadata: { holdfast_operator: true } })

const asked = <Row extends object>(session: Session, query: ReturnType<typeof sql>): Promise<readonly Row[]> =>
  runAs(database.requestPool, session, (tx) => tx.query<Row>(query))

test('who is signed in reads where fields stand, and a stranger does not', async () => {
  expect(await asked(personOf(MEMBER), sql`select section from holdfast.fields`)).toEqual([{ section: 'Effort' }])
  await expect(
    asked({ role: 'anon', claims: { role: 'anon' } }, sql`select section from holdfast.fields`),
  ).rejects.toThrow('permission denied')
})

test('a member of a team changes nothing of it; a lead and an operator do', async () => {
  const insert = (name: string): ReturnType<typeof sql> =>
    sql`insert into holdfast.fields (table_name, field_name) values ('visits', ${name}) returning field_name`
  await expect(asked(personOf(MEMBER), insert('cost'))).rejects.toThrow('row-level security')
  expect(await asked(personOf(MEMBER), sql`update holdfast.fields set position = 1 returning id`)).toEqual([])
  expect(await asked(personOf(MEMBER), sql`delete from holdfast.fields returning id`)).toEqual([])
  expect(await asked(personOf(LEAD), insert('cost'))).toEqual([{ field_name: 'cost' }])
  expect(await asked(operator, insert('day'))).toEqual([{ field_name: 'day' }])
})

test.each([
  ['label', 'No. 1', 'fields_label_form'],
  ['label', '  ', 'fields_label_form'],
  ['help', ' ', 'fields_help_length'],
  ['place', 'aloft', 'fields_place_name'],
  ['section', 'x'.repeat(61), 'fields_section_length'],
  ['position', 'NaN', 'fields_position_number'],
  ['translations', '[]', 'fields_translations_form'],
  ['translations', '{"de": "Frist"}', 'fields_translations_form'],
  ['translations', '{"de": {"label": 1}}', 'fields_translations_form'],
  ['translations', JSON.stringify({ de: { help: 'x'.repeat(8000) } }), 'fields_translations_form'],
  ['translations', '{"de": [{"label": "Frist"}]}', 'fields_translations_form'],
  ['translations', '{"de": {"label": {"a": "b"}}}', 'fields_translations_form'],
  ['translations', '{"de": {"choices": "open"}}', 'fields_translations_form'],
  ['translations', '{"de": {"choices": ["open"]}}', 'fields_translations_form'],
  ['translations', '{"de": {"choices": [{"open": "Offen"}]}}', 'fields_translations_form'],
  ['translations', '{"de": {"choices": {"open": 1}}}', 'fields_translations_form'],
  ['translations', '{"de": {"choices": {"open": {"a": "b"}}}}', 'fields_translations_form'],
  ['choices', '[]', 'fields_choices_form'],
  ['choices', '"open"', 'fields_choices_form'],
  ['choices', '[{"open": "Offen"}]', 'fields_choices_form'],
  ['choices', '{"open": null}', 'fields_choices_form'],
  ['choices', JSON.stringify({ open: 'x'.repeat(4000) }), 'fields_choices_form'],
])('a bad %s is refused by name: %s', async (column, value, constraint) => {
  await expect(asked(operator, sql`update holdfast.fields set ${sql.identifier(column)} = ${value}`)).rejects.toThrow(
    constraint,
  )
})

test('choices have words, in several languages', async () => {
  const choices = { open: 'New', to_verify: 'Waits for its check' }
  const translations = { de: { label: 'Stand', help: 'Wie weit es ist.', section: 'Lauf', choices: { open: 'Neu' } } }
  const update = sql`
    update holdfast.fields set choices = ${JSON.stringify(choices)}, translations = ${JSON.stringify(translations)}
     where field_name = 'hours' returning choices, translations`
  expect(await asked(operator, update)).toEqual([{ choices, translations }])
})
