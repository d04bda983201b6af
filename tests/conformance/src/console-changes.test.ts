import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AppliedTableChange, TableChange, TableChangePlan, TableDetails } from '@holdfast/protocol'
import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { type ConsoleBrowser, openOperator, openOwner } from './console-world.ts'

// Changes of tables in the console: planned, applied in one transaction, and written as a migration.

let holdfast: Holdfast
let developer: ConsoleBrowser
let viewer: ConsoleBrowser
const folder = mkdtempSync(join(tmpdir(), 'holdfast-console-migrations-'))

beforeAll(async () => {
  holdfast = await openHoldfast({ args: [`--migrations-dir=${folder}`] })
  const owner = await openOwner(holdfast)
  developer = await openOperator(holdfast, owner, 'developer')
  viewer = await openOperator(holdfast, owner, 'viewer')
})
afterAll(async () => {
  await holdfast[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const plan = (change: TableChange): Promise<TableChangePlan> =>
  developer.ask<TableChangePlan>('POST /tables/changes/plan', { change })

async function apply(change: TableChange, writesFile = false): Promise<AppliedTableChange> {
  const planned = await plan(change)
  return await developer.ask<AppliedTableChange>('POST /tables/changes', { change, sql: planned.sql, writesFile })
}

const details = (table: string): Promise<TableDetails> =>
  viewer.ask<TableDetails>(`GET /tables/details?${new URLSearchParams({ schema: 'public', table })}`)

const newTable = (table: string): TableChange => ({
  kind: 'create_table',
  schema: 'public',
  table,
  columns: [
    { name: 'id', type: 'bigint', isNullable: false },
    { name: 'note', type: 'text', isNullable: true, default: "'it''s'" },
  ],
  key: ['id'],
  rls: true,
  grants: 'authenticated',
})

describe('a new table', () => {
  test('has row-level security and the chosen grants, and is written as a migration that is applied', async () => {
    const planned = await plan(newTable('orders'))
    expect(planned.migrations.state).toBe('writable')
    const { file } = await apply(newTable('orders'), true)
    const [name = ''] = readdirSync(folder)
    expect(file).toContain(name)
    expect(name).toMatch(/^\d{14}_create_table_orders\.sql$/)
    expect(readFileSync(join(folder, name), 'utf8')).toBe(planned.sql)
    const recorded = await holdfast.admin.query<{ version: string }>(
      sql`select version from supabase_migrations.schema_migrations where name = 'create_table_orders'`,
    )
    expect(recorded).toEqual([{ version: name.slice(0, 14) }])
    const made = await details('orders')
    expect(made).toMatchObject({ rls: 'on', key: ['id'] })
    expect(made.grants).toMatchObject([
      { role: 'anon', privileges: [] },
      { role: 'authenticated', privileges: ['select', 'insert', 'update', 'delete'] },
      { role: 'service_role' },
    ])
  })

  test('that exists is refused in the words of Postgres, and writes no file', async () => {
    const before = readdirSync(folder)
    const { sql: seen } = await plan(newTable('orders'))
    const body = { change: newTable('orders'), sql: seen, writesFile: true }
    expect((await developer.call('POST /tables/changes', body)).body).toEqual({
      code: 'query_refused',
      message: 'relation "orders" already exists.',
    })
    expect(readdirSync(folder)).toEqual(before)
  })

  test.each(['Straße 1', 'a"b', 'SELECT', '🦉', 'x'.repeat(63)])('may be called %s', async (name) => {
    await apply(newTable(name))
    await apply({
      kind: 'add_column',
      schema: 'public',
      table: name,
      column: { name, type: 'text[]', isNullable: true },
    })
    await apply({ kind: 'create_index', schema: 'public', table: name, columns: [name], isUnique: false })
    expect((await details(name)).columns.at(-1)).toMatchObject({ name, type: 'text[]' })
    await apply({ kind: 'drop_table', schema: 'public', table: name, confirmation: name })
    expect(await viewer.refusal(`GET /tables/details?${new URLSearchParams({ schema: 'public', table: name })}`)).toBe(
      '404 no_such_table',
    )
  })
})

test('columns, keys, enums, foreign keys and rules of a table are changed', async () => {
  const on = { schema: 'public', table: 'parts' }
  await apply(newTable('parts'))
  await apply({ kind: 'create_enum', schema: 'public', name: 'part_state', labels: ['new', "worn 'out'"] })
  await apply({ kind: 'add_label', schema: 'public', name: 'part_state', label: 'lost' })
  await apply({
    kind: 'add_column',
    ...on,
    column: { name: 'state', type: 'part_state', isNullable: false, default: "'new'" },
  })
  await apply({ kind: 'rename_column', ...on, column: 'note', to: 'Remark' })
  await apply({ kind: 'set_nullable', ...on, column: 'Remark', isNullable: false })
  await apply({ kind: 'set_default', ...on, column: 'Remark', default: '' })
  await apply({ kind: 'add_column', ...on, column: { name: 'order_id', type: 'int', isNullable: true } })
  await apply({ kind: 'set_type', ...on, column: 'order_id', type: 'bigint' })
  await apply({
    kind: 'add_foreign_key',
    ...on,
    columns: ['order_id'],
    target: { schema: 'public', table: 'orders', columns: ['id'] },
    onDelete: 'cascade',
  })
  await apply({ kind: 'add_check', ...on, condition: 'length("Remark") > 0' })
  await apply({ kind: 'add_key', ...on, isPrimary: false, columns: ['Remark', 'order_id'] })
  await apply({ kind: 'set_grants', ...on, role: 'anon', privileges: ['select'] })
  await apply({ kind: 'set_rls', ...on, rls: false })
  const made = await details('parts')
  expect(made.columns.map(({ name, type, isNullable }) => `${name} ${type} ${isNullable}`)).toEqual([
    'id bigint false',
    'Remark text false',
    'state public.part_state false',
    'order_id bigint true',
  ])
  expect(made.columns[2]?.labels).toEqual(['new', "worn 'out'", 'lost'])
  expect(made.rls).toBe('off')
  expect(made.constraints.map(({ kind }) => kind).filter((kind) => kind !== 'exclude')).toEqual(
    expect.arrayContaining(['primary key', 'check', 'foreign key', 'unique']),
  )
  expect(made.grants.find(({ role }) => role === 'anon')?.privileges).toEqual(['select'])
})

describe('refused are', () => {
  const on = { schema: 'public', table: 'orders' }
  const addColumn = (type: string, given?: string): TableChange => ({
    kind: 'add_column',
    ...on,
    column: { name: 'extra', type, isNullable: true, ...(given !== undefined && { default: given }) },
  })
  const refusal = async (change: unknown): Promise<string> =>
    await developer.refusal('POST /tables/changes/plan', { change })

  test.each(['int; drop table public.orders', 'int -- ', 'int /*', 'no_such_type', ''])('the type %j', async (type) => {
    expect(await refusal(addColumn(type))).toBe('400 invalid_request')
  })

  test.each(["0; drop table public.orders; select '", '0; commit', '(', "'"])('the default %j', async (given) => {
    expect(await refusal(addColumn('text', given))).toBe('400 invalid_request')
  })

  test('schemas of Holdfast and of the console', async () => {
    const drop = { kind: 'drop_table', confirmation: 'x', table: 'x' }
    for (const schema of ['auth', 'holdfast', 'holdfast_console', 'pg_catalog'])
      expect(await refusal({ ...drop, schema })).toBe('422 table_read_only')
  })

  test('statements other than those shown, unconfirmed deletions, and viewers', async () => {
    const change = addColumn('text')
    const body = { change, sql: 'alter table public.orders add column other text;\n', writesFile: false }
    expect(await developer.refusal('POST /tables/changes', body)).toBe('409 plan_changed')
    expect(await refusal({ kind: 'drop_table', ...on, confirmation: 'order' })).toBe('400 invalid_request')
    expect(await viewer.refusal('POST /tables/changes', body)).toBe('403 role_too_low')
    expect(await viewer.refusal('POST /tables/changes/plan', { change })).toBe('403 role_too_low')
  })

  test('changes that would wait long for a lock', async () => {
    const change = addColumn('text')
    const planned = await plan(change)
    await holdfast.admin.transaction(async (tx) => {
      await tx.execute(sql`lock table public.orders in access share mode`)
      const body = { change, sql: planned.sql, writesFile: true }
      expect((await developer.call('POST /tables/changes', body)).body['message']).toContain('lock timeout')
    })
    expect(readdirSync(folder).filter((name) => name.includes('add_column'))).toEqual([])
  })

  test('migrations in a folder that is gone, while the change itself is possible', async () => {
    const change = addColumn('text')
    rmSync(folder, { recursive: true })
    const planned = await plan(change)
    expect(planned.migrations.state).toBe('missing')
    const body = { change, sql: planned.sql, writesFile: true }
    expect(await developer.refusal('POST /tables/changes', body)).toBe('409 migration_unwritable')
    expect((await details('orders')).columns.map(({ name }) => name)).not.toContain('extra')
    expect(await developer.ask('POST /tables/changes', { ...body, writesFile: false })).toEqual({})
    expect(existsSync(folder)).toBe(false)
  })
})

test('each change is in the audit log with its SQL', async () => {
  const { entries } = await developer.ask<{ entries: readonly Record<string, unknown>[] }>(
    'GET /audit?action=change_table&target=public.parts&limit=1',
  )
  expect(entries[0]).toMatchObject({
    target: 'table public.parts',
    after: { sql: 'alter table "public"."parts" disable row level security;\n' },
  })
})
