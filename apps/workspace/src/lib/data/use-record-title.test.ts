import { DatabaseSync } from 'node:sqlite'
import type { ColumnDescriptor, TableDescriptor } from '@holdfast/protocol'
import { expect, test } from 'vitest'
import { testColumn, testTable } from '../fields/test-fields.test-support.ts'
import { toTableInfo } from './tables.ts'
import { titleSql } from './use-record-title.ts'

const link = (name: string, table: string): ColumnDescriptor => ({
  ...testColumn(name, 'uuid'),
  references: { table, column: 'id' },
})
const table = (name: string, columns: readonly ColumnDescriptor[]): TableDescriptor => testTable(name, columns)
const INFOS = [
  table('visits', [testColumn('title', 'text')]),
  table('questions', [testColumn('title', 'text')]),
  table('people', [testColumn('name', 'text')]),
  table('answers', [
    link('created_by', 'people'),
    link('visit_id', 'visits'),
    link('question_id', 'questions'),
    testColumn('value', 'boolean'),
  ]),
].map(toTableInfo)

test.each([
  ['both links', "'v1', 'q1'", 'Valve closes fully? · Weekly round'],
  ['one that is not on the device', "'v1', 'gone'", 'Weekly round'],
  ['none', 'null, null', ''],
])('a record without a title is named by %s', (_, links, expected) => {
  using database = new DatabaseSync(':memory:')
  database.exec(`
    create table visits (id, title); create table questions (id, title); create table people (id, name);
    create table answers (id, created_by, visit_id, question_id, value);
    insert into visits values ('v1', 'Weekly round'); insert into questions values ('q1', 'Valve closes fully?');
    insert into people values ('ana', 'Ana');
    insert into answers (id, created_by, visit_id, question_id) values ('a', 'ana', ${links})`)
  const find = (name: string): (typeof INFOS)[number] | undefined => INFOS.find((info) => info.name === name)
  const answers = find('answers')
  if (!answers) throw new Error('it is one of them')
  expect(database.prepare(titleSql(answers, find)).get('a')).toEqual({ title: null, links: expected })
})
