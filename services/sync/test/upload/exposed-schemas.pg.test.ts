import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OperationVerdict } from '@holdfast/protocol'
import { openUploadWorld, type Operation, type UploadWorld } from './upload-world.ts'

/*
 * The upload endpoint must be no second door: it writes where REST would, and what it answers about a table or column that the caller may not use is,
 * word for word, what it answers about one that does not exist.
 */

let world: UploadWorld

beforeAll(async () => {
  world = await openUploadWorld()
  await world.database.pool.withClient((client) =>
    client.query(`
      create schema hidden;
      grant usage on schema hidden to authenticated;
      create table hidden.drawers (id uuid primary key, label text);
      grant all on hidden.drawers to authenticated;
      create schema closed;
      create table closed.drawers (id uuid primary key, label text);
      grant all on closed.drawers to authenticated;
      create table public.ledger (id uuid primary key, amount int);
      revoke all on public.ledger from public, anon, authenticated;
      create table public.staff (id uuid primary key, name text, salary int);
      revoke all on public.staff from public, anon, authenticated;
      grant select (id, name), insert (id, name), update (id, name) on public.staff to authenticated;
      create table public.sealed (id uuid primary key default gen_random_uuid(), label text);
      revoke all on public.sealed from public, anon, authenticated;
      grant insert (label), select (label) on public.sealed to authenticated;
    `),
  )
})

afterAll(async () => world?.[Symbol.asyncDispose]())

beforeEach(() => {
  world.exposedSchemas = ['public', 'closed']
})

async function verdictOf(operation: Operation): Promise<OperationVerdict | undefined> {
  const { verdicts } = await world.upload(world.transaction(operation))
  return verdicts[0]
}

/** What a verdict says, with the names that were sent left out. */
function saying(verdict: OperationVerdict | undefined, ...names: readonly string[]): string {
  let text = JSON.stringify({ ...verdict, op_id: 0 })
  for (const name of names) text = text.replaceAll(name, 'NAME')
  return text
}

const rowsOf = (table: string): Promise<readonly unknown[]> =>
  world.database.pool.withClient(async (client) => (await client.query(`select * from ${table}`)).rows as unknown[])

describe('what the caller may not use looks like what does not exist', () => {
  test.each([
    ['a table in a schema that is not exposed', 'hidden__drawers'],
    ['a table in a schema that the role may not enter', 'closed__drawers'],
    ['a table without any grant', 'ledger'],
  ])('%s', async (_title, type) => {
    for (const [op, data] of [
      ['PUT', { label: 'x' }],
      ['PATCH', { nope: 1 }],
      ['DELETE', undefined],
    ] as const) {
      const operation = { op, id: randomUUID(), ...(data ? { data } : {}) }
      const there = await verdictOf({ ...operation, type })
      const absent = await verdictOf({ ...operation, type: 'nowhere' })
      expect(saying(there, type)).toBe(saying(absent, 'nowhere'))
      expect(there).toMatchObject({ status: 'error', sqlstate: '42P01' })
    }
  })

  test('a column without any grant', async () => {
    const patch = (column: string): Promise<OperationVerdict | undefined> =>
      verdictOf({ op: 'PATCH', type: 'staff', id: randomUUID(), data: { [column]: 1 } })
    const there = await patch('salary')
    expect(saying(there, 'salary')).toBe(saying(await patch('nowhere'), 'nowhere'))
    expect(there).toMatchObject({ status: 'error', sqlstate: '42703', column: 'salary' })
  })

  test('a column without any grant, given as the previous value', async () => {
    const patch = (column: string): Promise<OperationVerdict | undefined> =>
      verdictOf({ op: 'PATCH', type: 'staff', id: randomUUID(), data: { name: 'x' }, old: { [column]: 1 } })
    expect(saying(await patch('salary'), 'salary')).toBe(saying(await patch('nowhere'), 'nowhere'))
  })
})

test('a table in a schema is writable from the moment that the project exposes it', async () => {
  const put = { op: 'PUT', type: 'hidden__drawers', id: randomUUID(), data: { label: 'mine' } } as const
  expect(await verdictOf(put)).toMatchObject({ status: 'error', sqlstate: '42P01' })
  expect(await rowsOf('hidden.drawers')).toEqual([])
  world.exposedSchemas = ['public', 'hidden']
  expect(await verdictOf(put)).toMatchObject({ status: 'applied' })
  expect(await rowsOf('hidden.drawers')).toEqual([{ id: put.id, label: 'mine' }])
})

test.each(['auth', 'sync', 'pg_catalog'])('nothing in schema %s is writable even if it is exposed', async (schema) => {
  world.exposedSchemas = ['public', schema]
  const tables = { auth: 'users', sync: 'uploads', pg_catalog: 'pg_class' } as const
  const type = `${schema}__${tables[schema as keyof typeof tables]}`
  expect(await verdictOf({ op: 'DELETE', type, id: randomUUID() })).toMatchObject({ sqlstate: '42P01' })
})

test('a table in an exposed schema goes before one of the same name that the caller may not use', async () => {
  await world.database.pool.withClient((client) =>
    client.query(
      'create table public.hidden__drawers (id uuid primary key); revoke all on public.hidden__drawers from authenticated',
    ),
  )
  world.exposedSchemas = ['public', 'hidden']
  const id = randomUUID()
  expect(await verdictOf({ op: 'PUT', type: 'hidden__drawers', id, data: { label: 'y' } })).toMatchObject({
    status: 'applied',
  })
})

test('an id whose column the caller may not use is still part of the write: Postgres refuses it', async () => {
  const put = { op: 'PUT', type: 'sealed', id: randomUUID(), data: { label: 'x' } } as const
  expect(await verdictOf(put)).toMatchObject({ status: 'error', sqlstate: '42501' })
  expect(await rowsOf('public.sealed')).toEqual([])
})
