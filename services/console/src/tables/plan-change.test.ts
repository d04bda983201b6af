import { expect, test } from 'vitest'
import { planChange } from './plan-change.ts'

const on = { schema: 'public', table: 'Straße "1"' }

test('a new table has row-level security, and grants only as asked for', () => {
  const { statements, name, notes } = planChange({
    kind: 'create_table',
    ...on,
    columns: [
      { name: 'id', type: 'uuid', isNullable: false, default: 'gen_random_uuid()' },
      { name: 'select', type: 'numeric(10,2)', isNullable: true },
    ],
    key: ['id'],
    rls: true,
    grants: 'authenticated',
  })
  expect(statements).toEqual([
    'create table "public"."Straße ""1""" (\n  "id" uuid not null default gen_random_uuid(),\n  "select" numeric(10,2),\n  primary key ("id")\n);',
    'alter table "public"."Straße ""1""" enable row level security;',
    'revoke all on "public"."Straße ""1""" from anon, authenticated;',
    'grant select, insert, update, delete on "public"."Straße ""1""" to authenticated;',
  ])
  expect(name).toMatch(/^create_table_stra[a-z0-9_]*1$/)
  expect(notes[0]).toContain('no rows until a policy')
})

test('an open table without row-level security says so', () => {
  const { notes } = planChange({ kind: 'create_table', ...on, columns: [], key: [], rls: false, grants: 'anon' })
  expect(notes).toEqual([
    'Without a primary key the table does not sync.',
    'Row-level security is off: every visitor reads and changes all rows.',
  ])
})

test('names of migrations are plain, whatever the table is called', () => {
  const { name } = planChange({ kind: 'set_rls', schema: 'public', table: '🦉/../x', rls: true })
  expect(name).toBe('set_rls_x')
})

test('what is dropped is confirmed by its exact name', () => {
  const drop = (confirmation: string): readonly string[] =>
    planChange({ kind: 'drop_column', ...on, column: 'a"b', confirmation }).statements
  expect(() => drop('a')).toThrow('Type "a"b" to confirm.')
  expect(drop('a"b')).toEqual(['alter table "public"."Straße ""1""" drop column "a""b";'])
})

test.each([
  [{ kind: 'set_default', ...on, column: 'c', default: '' }, 'alter column "c" drop default'],
  [{ kind: 'set_type', ...on, column: 'c', type: 'int', using: 'c::int' }, 'alter column "c" type int using c::int'],
  [{ kind: 'add_key', ...on, isPrimary: false, columns: ['a', 'b'] }, 'add unique ("a", "b")'],
  [
    {
      kind: 'add_foreign_key',
      ...on,
      columns: ['a'],
      target: { schema: 's', table: 't', columns: ['id'] },
      onDelete: 'set null',
    },
    'add foreign key ("a") references "s"."t" ("id") on delete set null',
  ],
  [{ kind: 'rename_table', ...on, to: 'x; drop' }, 'rename to "x; drop"'],
] as const)('%j alters the table', (change, action) => {
  expect(planChange(change).statements).toEqual([`alter table "public"."Straße ""1""" ${action};`])
})

test('labels of an enum are literals', () => {
  const { statements } = planChange({ kind: 'create_enum', schema: 'public', name: 'mood', labels: ["it's", 'b'] })
  expect(statements).toEqual([`create type "public"."mood" as enum ('it''s', 'b');`])
})
