import { testColumn, testTable } from '../fields/test-fields.test-support.ts'
import { type Checklist, checklistOf, type ChecklistRow } from './checklist.ts'

/** A fire safety project, with names different from the sample's. */
export const testLink = (name: string, table: string) =>
  testColumn(name, 'uuid', { references: { table, column: 'id' } })
export const CHECKLIST_SCHEMA = {
  version: '1',
  tables: [
    testTable('rooms', [testColumn('name', 'text')]),
    testTable('lists', [testColumn('title', 'text')]),
    testTable('lines', [
      testLink('list', 'lists'),
      testColumn('question', 'text'),
      testColumn('type', 'text'),
      testColumn('position', 'integer'),
      testColumn('min', 'double precision'),
      testColumn('max', 'double precision'),
      testColumn('choices', 'text[]'),
      testColumn('finding_when', 'text'),
    ]),
    testTable('rounds', [testLink('room', 'rooms'), testLink('list', 'lists'), testColumn('state', 'text')]),
    testTable('replies', [
      testLink('round', 'rounds'),
      testLink('line', 'lines'),
      testColumn('flag', 'boolean'),
      testColumn('value_num', 'double precision'),
    ]),
    testTable('defects', [
      testLink('reply', 'replies'),
      testLink('room', 'rooms'),
      testColumn('title', 'text'),
      testColumn('severity', 'level', { choices: ['low', 'high'] }),
    ]),
  ],
}
export const CHECKLIST_ROW: ChecklistRow = {
  schema_name: 'public',
  table_name: 'rounds',
  item_table: 'lines',
  answer_table: 'replies',
  finding_table: 'defects',
  place_fields: '["room","gone"]',
  names: '{"prompt":"question","kind":"type","reading":"number","value_bool":"flag"}',
  begin_values: '{"state":"begun"}',
  finish_values: '{"state":"done","no_column":1}',
}

export function testChecklist(): Checklist {
  const checklist = checklistOf(CHECKLIST_ROW, CHECKLIST_SCHEMA)
  if (!checklist) throw new Error('the tables hang together')
  return checklist
}
