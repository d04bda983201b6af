import { afterAll, beforeAll, expect, test } from 'vitest'
import { authMigrations } from '@holdfast/auth'
import { readWriteInput } from '@holdfast/policy'
import { runAs, sql, type Session } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

// Which value of a field may follow which: rows that operators write and a trigger enforces, for whoever writes.

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }

const sub = 'aaaaaaaa-0000-4000-8000-000000000001'
const as = (claims: object, role = 'authenticated'): Session => ({ role, claims: { role, sub, ...claims } })
const person = as({})
const clerk = as({ is_clerk: true })
const stranger = as({}, 'anon')

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase({ migrations: [authMigrations, serverMigrations] })
  const { pool } = database
  for (const statement of [
    `create table public.orders (id int primary key, state text, note text)`,
    `comment on column public.orders.state is 'Status. Where it is.'`,
    `grant select, insert, update on public.orders to anon, authenticated, service_role`,
    `create function public.does_something() returns boolean language sql as $$ select true $$`,
    `create function public.is_clerk() returns boolean language sql stable as $$ select coalesce((auth.jwt() ->> 'is_clerk')::boolean, false) and current_user = 'authenticated' $$`,
    `insert into holdfast.transitions (table_name, field, from_value, to_value, allowed_if, words) values
       ('orders', 'state', null, 'open', null, null), ('orders', 'state', 'open', 'packed', null, null),
       ('orders', 'state', 'open', 'called_off', null, null), ('orders', 'state', 'packed', 'sent', 'public.is_clerk', null)`,
    `select holdfast.enforce_transitions('public.orders', 'state')`,
    `insert into public.orders values (1, 'open'), (2, 'open')`,
    `update public.orders set state = 'packed' where id = 2`,
  ])
    await pool.execute(sql.trusted(statement))
})
afterAll(() => database[Symbol.asyncDispose]())

async function attempt(session: Session, statement: string): Promise<string> {
  const undone = new Error('undone')
  try {
    await runAs(database.requestPool, session, async (tx) => {
      await tx.execute(sql.trusted(statement))
      throw undone
    })
  } catch (error) {
    return error === undone ? 'done' : (error as Error).message
  }
  return 'kept'
}

test.each([
  ['a step there is', person, `update public.orders set state = 'packed' where id = 1`, 'done'],
  [
    'a step there is none',
    person,
    `update public.orders set state = 'sent' where id = 1`,
    'Status goes from Open to Called off or Packed.',
  ],
  ['the same by a stranger', stranger, `update public.orders set state = 'packed' where id = 1`, 'done'],
  [
    'the service role, bound as well',
    as({}, 'service_role'),
    `update public.orders set state = 'lost' where id = 1`,
    'Status goes from Open to Called off or Packed.',
  ],
  [
    'a step that is for others',
    person,
    `update public.orders set state = 'sent' where id = 2`,
    'Not everyone sets Status to Sent.',
  ],
  [
    'the same by one of them, asked with their own rights',
    clerk,
    `update public.orders set state = 'sent' where id = 2`,
    'done',
  ],
  [
    'a value taken away',
    person,
    `update public.orders set state = null where id = 2`,
    'Status goes from Packed to Sent.',
  ],
  ['another field', person, `update public.orders set note = 'x' where id = 2`, 'done'],
  ['a new record', person, `insert into public.orders values (3, 'open')`, 'done'],
  [
    'a new record further on',
    person,
    `insert into public.orders values (3, 'sent')`,
    'Status of a new record is Open.',
  ],
  ['a new record without a value', person, `insert into public.orders values (3, null)`, 'done'],
])('%s', async (_, session, statement, outcome) => {
  expect(await attempt(session, statement)).toBe(outcome)
})

test('what may follow comes in the order that the type has its values', async () => {
  const { pool } = database
  for (const statement of [
    `create type public.stage as enum ('new', 'wet', 'dry', 'hot', 'cold', 'gone')`,
    `create table public.parts (id int primary key, stage public.stage)`,
    `insert into holdfast.transitions (table_name, field, from_value, to_value)
       select 'parts', 'stage', 'new', unnest(array['gone', 'cold', 'hot', 'dry', 'wet'])`,
    `select holdfast.enforce_transitions('public.parts', 'stage')`,
  ])
    await pool.execute(sql.trusted(statement))
  const { transitions } = await readWriteInput(pool)
  const stage = transitions.find(({ column }) => column === 'stage')
  expect(stage?.steps.map(({ to }) => to)).toEqual(['wet', 'dry', 'hot', 'cold', 'gone'])
})

test('what the rows may say, and who writes them', async () => {
  const add = `insert into holdfast.transitions (table_name, field, to_value, allowed_if) values ('orders', 'state', 'x', `
  const operator = as({ app_metadata: { holdfast_operator: true } })
  expect(await attempt(person, `${add} null)`)).toContain('row-level security')
  expect(await attempt(operator, `${add} null)`)).toBe('done')
  expect(await attempt(operator, `${add} 'public.nothing')`)).toBe(
    'There is no function public.nothing() that returns boolean and is stable.',
  )
  expect(await attempt(operator, `${add} 'public.does_something')`)).toContain('and is stable')
  expect(await attempt(operator, `${add} 'public.is_clerk() or true')`)).toContain(
    'There is no function public.is_clerk() or true()',
  )
  await expect(database.pool.execute(sql`select holdfast.enforce_transitions('public.orders', 'id')`)).rejects.toThrow(
    'id of public.orders cannot have transitions',
  )
  await database.pool.execute(sql`select holdfast.ignore_transitions('public.orders', 'state')`)
  expect(await attempt(person, `update public.orders set state = 'lost' where id = 1`)).toBe('done')
})
