import { expect, test } from 'vitest'
import { fieldsOf } from '../fields/field.ts'
import { TEST_SCHEMA, TEST_TASKS, testColumn, testTable } from '../fields/test-fields.test-support.ts'
import { searchedTables } from './searched-tables.ts'

const ORDERS = testTable('orders', [
  testColumn('number', 'integer'),
  testColumn('note', 'text'),
  testColumn('team_id', 'uuid', { references: { table: 'hf_teams', column: 'id' } }),
])
const TEAMS = { ...testTable('hf_teams', [testColumn('name', 'text'), testColumn('area', 'text')]), schema: 'holdfast' }
const COMMENTS = { ...testTable('hf_comments', [testColumn('body', 'text')]), schema: 'holdfast' }
const SCHEMA = { ...TEST_SCHEMA, tables: [TEST_TASKS, ORDERS, TEAMS, COMMENTS] }

test('texts, titles and numbers are searched, and what people say about a record', () => {
  expect(searchedTables(SCHEMA)).toEqual([
    { table: 'orders', columns: ['note', 'number'] },
    { table: 'tasks', columns: ['contact_email', 'detail', 'title', 'website'] },
    { table: 'hf_teams', columns: ['name'] },
    { table: 'hf_comments', columns: ['body'] },
  ])
})

test('a search is never without the index because of a link: all that links are called is in it', () => {
  const names = new Set(searchedTables(SCHEMA).map(({ table }) => table))
  const targets = fieldsOf(ORDERS, SCHEMA).flatMap(({ link }) => (link ? [link.table] : []))
  expect(targets).toEqual(['hf_teams'])
  for (const target of targets) expect(names).toContain(target)
})
