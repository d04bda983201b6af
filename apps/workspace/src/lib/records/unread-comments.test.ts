import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { type UnreadRow, unreadSql } from './unread-comments.ts'

function open(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  database.exec(`
    create table hf_comments (id, table_name, record_id, created_at, author_id, mentions, deleted_at);
    insert into hf_comments values
      ('c1', 'visits', 'v1', '2026-05-01T10:00:00.000000Z', 'u2', '["u1"]', null),
      ('c2', 'visits', 'v1', '2026-05-01T11:00:00.000000Z', 'u3', '[]', null),
      ('c3', 'visits', 'v1', '2026-05-01T12:00:00.000000Z', 'u1', '[]', null),
      ('c4', 'visits', 'v2', '2026-05-01T10:00:00.000000Z', 'u2', null, null),
      ('c5', 'visits', 'v3', '2026-05-01T10:00:00.000000Z', 'u2', '["u1"]', '2026-05-02'),
      ('c6', 'visits', 'v4', '2026-03-01T10:00:00.000000Z', 'u2', '["u1"]', null),
      ('c7', 'sites', 'v1', '2026-05-01T10:00:00.000000Z', 'u2', '["u1"]', null);
    create table hf_read_marks (id, table_name, record_id, read_at);`)
  return database
}

function unread(database: DatabaseSync): readonly UnreadRow[] {
  const { sql, parameters } = unreadSql('visits', 'u1', '2026-04-10', true)
  return (database.prepare(`${sql} order by 1`).all(...(parameters as string[])) as unknown as UnreadRow[]).map(
    (row) => ({ ...row }),
  )
}

test('what others have said in the last days is unread, and nothing of oneself, taken back or of another table', () => {
  expect(unread(open())).toEqual([
    { id: 'v1', count: 2, mentions: 1 },
    { id: 'v2', count: 1, mentions: 0 },
  ])
})

test('a mark of the record ends it up to its moment, and the latest of several counts', () => {
  const database = open()
  database.exec(`insert into hf_read_marks values
    ('m1', 'visits', 'v1', '2026-05-01T10:00:00.000000Z'), ('m2', 'visits', 'v1', '2026-04-01T10:00:00.000000Z'),
    ('m3', 'sites', 'v2', '2026-05-09T10:00:00.000000Z')`)
  expect(unread(database)).toEqual([
    { id: 'v1', count: 1, mentions: 0 },
    { id: 'v2', count: 1, mentions: 0 },
  ])
})

test('a mark of everything ends it for all records', () => {
  const database = open()
  database.exec(`insert into hf_read_marks values ('m1', null, null, '2026-05-01T10:00:00.000000Z')`)
  expect(unread(database)).toEqual([{ id: 'v1', count: 1, mentions: 0 }])
})
