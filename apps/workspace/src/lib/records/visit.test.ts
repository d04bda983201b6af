import { DatabaseSync } from 'node:sqlite'
import type { ColumnDescriptor, TableDescriptor } from '@holdfast/protocol'
import { describe, expect, test } from 'vitest'
import { toTableInfo } from '../data/tables.ts'
import { changedCountsSql, changedRecordsSql, followedTables } from './changed-since.ts'
import { continueVisit, lastSeen, parseVisit, type Visit } from './visit.ts'

const at = (time: string): string => `2026-11-29T${time}:00.000Z`

/** The user is here at these times. */
function visited(...times: readonly string[]): Visit {
  const [visit] = times.reduce<readonly Visit[]>((before, time) => [continueVisit(before[0], new Date(at(time)))], [])
  if (!visit) throw new Error('no times')
  return visit
}

describe('the last visit', () => {
  test.each([
    ['is unknown at first', visited('08:00', '08:20'), '', undefined],
    ['is the one before an absence of half an hour', visited('08:00', '08:20', '08:50'), '', at('08:20')],
    ['does not end with a short absence', visited('08:00', '08:20', '08:49', '09:10'), '', undefined],
    ['was on another device', visited('08:00', '10:00'), at('09:00'), at('09:00')],
    ['was here, after one on another device', visited('08:00', '10:00'), at('07:00'), at('08:00')],
    ['was elsewhere, and never here', visited('10:00'), at('09:00'), at('09:00')],
    ['is not the current one on another device', visited('08:00', '10:00', '10:10'), at('10:05'), at('08:00')],
  ])('%s', (_, visit, mark, expected) => {
    expect(lastSeen(visit, mark)).toBe(expected)
  })

  test.each([undefined, '', '{"since":1}', 'null', JSON.stringify({ since: null })])('is not read from %j', (text) => {
    expect(parseVisit(text)).toBeUndefined()
  })
})

const column = (name: string): ColumnDescriptor => ({
  name,
  type: name.endsWith('_at') ? 'timestamp with time zone' : 'text',
  local: 'text',
  nullable: true,
  hasDefault: false,
  generated: false,
})
const table = (name: string, ...columns: readonly string[]): TableDescriptor => ({
  name,
  schema: 'public',
  table: name,
  columns: ['id', ...columns].map(column),
  can: { insert: true, update: true, delete: true },
  indexes: [],
})

test('changes since a time are those of others: not older ones, my own new records, nor what I changed here', () => {
  const tables = followedTables(
    [
      table('actions', 'title', 'created_at', 'updated_at'),
      table('orders', 'title', 'created_by', 'created_at', 'updated_at'),
      table('places', 'name'),
    ].map(toTableInfo),
  )
  using database = new DatabaseSync(':memory:')
  database.exec(`create table actions (id, title, created_at, updated_at);
    create table orders (id, title, created_by, created_at, updated_at);
    create table hf_local_recent (id, kind, ref, at);
    insert into actions values
      ('1', 'old', '${at('07:00')}', '${at('07:30')}'), ('2', 'changed', '${at('07:00')}', '${at('09:00')}'),
      ('3', 'added', '${at('09:30')}', '${at('09:30')}'), ('4', 'by me, here', '${at('07:00')}', '${at('09:40')}');
    insert into orders values
      ('5', 'mine', 'me', '${at('09:00')}', '${at('09:00')}'), ('6', 'mine, then changed', 'me', '${at('09:00')}', '${at('09:05')}'),
      ('7', 'of Ben', 'ben', '${at('09:00')}', '${at('09:00')}');
    insert into hf_local_recent values ('own:actions/4', 'own', 'actions/4', '${at('09:40')}'), ('record:actions/2', 'record', 'actions/2', '')`)
  const counts = changedCountsSql(tables, 'me', at('08:00'))
  expect(database.prepare(counts.sql).all(...counts.parameters)).toEqual([
    { table: 'actions', count: 2 },
    { table: 'orders', count: 2 },
  ])
  const records = changedRecordsSql(tables, 'me', at('08:00'))
  expect(database.prepare(records.sql).all(...records.parameters)).toMatchObject([
    { id: '3', isNew: 1 },
    { id: '2', isNew: 0 },
    { id: '6' },
    { id: '7' },
  ])
})
