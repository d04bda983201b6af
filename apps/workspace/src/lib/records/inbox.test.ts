import { DatabaseSync } from 'node:sqlite'
import type { ColumnDescriptor, SchemaDescriptor, TableDescriptor } from '@holdfast/protocol'
import { expect, test } from 'vitest'
import { type InboxItem, inboxSql, isUnread } from './inbox.ts'
import { workTablesOf } from './work-tables.ts'

const column = (name: string, type = 'text', rest: Partial<ColumnDescriptor> = {}): ColumnDescriptor => ({
  name,
  type,
  local: 'text',
  nullable: true,
  hasDefault: false,
  generated: false,
  ...rest,
})
const table = (name: string, columns: readonly ColumnDescriptor[], schema = 'public'): TableDescriptor => ({
  name,
  schema,
  table: name.replace(/^hf_/, ''),
  columns: [column('id', 'uuid'), ...columns],
  can: { insert: true, update: true, delete: true },
  indexes: [],
})
const schema: SchemaDescriptor = {
  version: '1',
  tables: [
    table('people', [column('name'), column('user_id', 'uuid')]),
    table('visits', [
      column('title'),
      column('visitor', 'uuid', { references: { table: 'people', column: 'id' } }),
      column('day', 'date'),
    ]),
    table('hf_comments', [], 'holdfast'),
    table('hf_history', [], 'holdfast'),
    table('hf_read_marks', [], 'holdfast'),
    table('hf_notices', [], 'holdfast'),
  ],
}

function open(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  database.exec(`
    create table people (id, name, user_id); insert into people values ('p1', 'Ann', 'u1'), ('p2', 'Ben', 'u2');
    create table visits (id, title, visitor, day);
    insert into visits values ('v1', 'Mine, due', 'p1', '2026-05-02'), ('v2', 'Of Ben', 'p2', '2026-05-02'), ('v3', 'Mine, later', 'p1', '2026-05-09');
    create table hf_comments (id, table_name, record_id, created_at, author_id, body, mentions, parent_id, deleted_at);
    insert into hf_comments values
      ('c1', 'visits', 'v2', '2026-05-01T10:00:00.000000Z', 'u2', '@Ann look', '["u1"]', null, null),
      ('c2', 'visits', 'v1', '2026-05-01T09:00:00.000000Z', 'u2', 'about work of Ann', null, null, null),
      ('c3', 'visits', 'v2', '2026-05-01T08:00:00.000000Z', 'u2', 'about work of Ben', '[]', null, null),
      ('c4', 'visits', 'v1', '2026-05-01T07:00:00.000000Z', 'u1', 'by Ann herself', '["u1"]', null, null),
      ('c5', 'visits', 'v2', '2026-04-30T07:00:00.000000Z', 'u1', 'a question of Ann', null, null, null),
      ('c6', 'visits', 'v2', '2026-04-30T08:00:00.000000Z', 'u2', 'the answer', null, 'c5', null),
      ('c7', 'visits', 'v1', '2026-05-01T06:00:00.000000Z', 'u2', 'taken back', '["u1"]', null, '2026-05-01'),
      ('c8', 'visits', 'v1', '2026-03-01T06:00:00.000000Z', 'u2', 'long ago', '["u1"]', null, null);
    create table hf_history (id, table_name, record_id, at, actor_id, changes);
    insert into hf_history values
      ('1', 'visits', 'v3', '2026-04-29T10:00:00.000000Z', 'u2', '{"visitor": {"from": "p2", "to": "p1"}}'),
      ('2', 'visits', 'v3', '2026-04-28T10:00:00.000000Z', 'u2', '{"visitor": {"from": "p1", "to": "p2"}}'),
      ('3', 'visits', 'v1', '2026-04-28T10:00:00.000000Z', 'u1', '{"visitor": {"from": "p2", "to": "p1"}}');
    create table hf_notices (id, user_id, table_name, record_id, created_at, body, more);
    insert into hf_notices values
      ('n1', 'u1', 'visits', 'v2', '2026-05-01T05:00:00.000000Z', 'Mine is late', 3),
      ('n2', 'u1', 'visits', 'v2', '2026-03-01T05:00:00.000000Z', 'Long ago', 0);
    create table hf_read_marks (id, table_name, record_id, read_at);
    insert into hf_read_marks values ('m1', 'visits', 'v2', '2026-04-30T12:00:00.000000Z'), ('m2', null, null, '2026-04-30T07:00:00.000000Z')`)
  return database
}

function itemsOf(userId: string): readonly InboxItem[] {
  using database = open()
  const { sql, parameters } = inboxSql(schema, workTablesOf(schema), userId, '2026-04-02', '2026-05-02')
  return database.prepare(sql).all(...parameters) as unknown as readonly InboxItem[]
}

test('what is new: mentions, answers, comments on my work, what was assigned to me, what is due, and notices; not what I did', () => {
  expect(itemsOf('u1').map(({ kind, id }) => `${kind} ${id}`)).toEqual([
    'due v1',
    'mention c1',
    'comment c2',
    'notice n1',
    'comment c6',
    'assigned 1',
  ])
})

test('an item is unread while it is newer than the mark of its record and that of everything', () => {
  expect(itemsOf('u1').flatMap((item) => (isUnread(item) ? [item.id] : []))).toEqual(['v1', 'c1', 'c2', 'n1'])
})
