import { describe, expect, test } from 'vitest'
import type { AutomationConfig } from '@holdfast/protocol'
import { testColumn, testTable } from '../../lib/fields/test-fields.test-support.ts'
import { tablesOf } from '../../lib/data/tables.ts'
import {
  automatedTables,
  moveToTable,
  newStep,
  readTemplate,
  recipesFor,
  showTemplate,
  triggerWords,
  withTrigger,
} from './draft.ts'

const JOBS = testTable('jobs', [
  testColumn('title', 'text', { comment: 'Title.' }),
  testColumn('state', 'text', { comment: 'State.', choices: ['open', 'done', 'cancelled'] }),
  testColumn('due_on', 'date', { comment: 'Due on.' }),
  testColumn('closed_on', 'date', { comment: 'Closed on.' }),
  testColumn('assignee_id', 'uuid', { comment: 'Worker.', references: { table: 'hf_members', column: 'id' } }),
])
const NOTES = testTable('notes', [testColumn('body', 'text', { comment: 'Body.' })])
const OTHER = testTable('other', [testColumn('body', 'text', { comment: 'Body.' })])
const SCHEMA = {
  version: '1',
  tables: [JOBS, NOTES, OTHER, testTable('hf_members', [testColumn('name', 'text')])],
}
const INFOS = tablesOf(SCHEMA).map((info) => ({ ...info, madeIn: info.name === 'other' ? 'elsewhere' : 'here' }))
const TABLES = automatedTables(INFOS, SCHEMA, 'here').filter(({ name }) => name !== 'hf_members')
const [jobs, notes] = ['jobs', 'notes'].map((name) => TABLES.find((table) => table.name === name)) as [
  (typeof TABLES)[number],
  (typeof TABLES)[number],
]

test('automations work on the tables that the workspace created', () => {
  expect(TABLES.map(({ name }) => name).toSorted()).toEqual(['jobs', 'notes'])
})

test.each([
  ['{title} is due on {due_on}', '{Title} is due on {Due on}'],
  ['{today+7} {gone}', '{today+7} {gone}'],
])('the stored text %j is shown as %j, and read back', (stored, shown) => {
  expect(showTemplate(stored, jobs)).toBe(shown)
  expect(readTemplate(shown, jobs)).toBe(stored)
})

test('a label is found in any case, and a text that is being typed stays', () => {
  expect(readTemplate('{title} {DUE ON} {Due', jobs)).toBe('{title} {due_on} {Due')
})

describe('the examples', () => {
  test('are those that the fields of a table allow', () => {
    const ids = (tables: typeof TABLES): readonly string[] => recipesFor(tables).map(({ id }) => id)
    expect(ids([notes])).toEqual(['news', 'form'])
    expect(ids([jobs])).toEqual(['news', 'assigned', 'due', 'finished', 'followUp', 'weekly', 'form'])
  })

  test.each([
    [['built_on', 'due_on'], 'due_on'],
    [['built_on', 'due_at'], 'due_at'],
    [['closed_on', 'next_on'], 'next_on'],
    [['closed_on'], undefined],
  ])('of the dates %j take %s as the one that is due', (names, day) => {
    const columns = names.map((name) => testColumn(name, name.endsWith('_at') ? 'timestamp with time zone' : 'date'))
    const given = { version: '1', tables: [testTable('jobs', [testColumn('title', 'text'), ...columns])] }
    const tables = automatedTables(
      tablesOf(given).map((info) => ({ ...info, madeIn: 'here' })),
      given,
      'here',
    )
    const due = recipesFor(tables).find(({ id }) => id === 'due')
    expect((due?.config.when as { readonly field?: string } | undefined)?.field).toBe(day)
  })

  test('take the state and the day of done work', () => {
    const finished = recipesFor([jobs]).find(({ id }) => id === 'finished')
    expect(finished?.config).toEqual({
      when: { kind: 'changed', table: 'jobs', field: 'state', to: ['done'] },
      do: [{ kind: 'update', set: { closed_on: '{today}' } }],
    })
  })

  test('name fields of their table', () => {
    const due = recipesFor([jobs]).find(({ id }) => id === 'due')
    expect(due?.config).toEqual({
      when: { kind: 'due', table: 'jobs', field: 'due_on', days: 1, at: '08:00' },
      do: [{ kind: 'notify', to: ['field:assignee_id'], text: 'Due tomorrow: {title}' }],
    })
  })
})

describe('a schedule', () => {
  const weekly = recipesFor([jobs]).find(({ id }) => id === 'weekly')?.config as AutomationConfig

  test('is said in words', () => {
    expect(triggerWords(weekly, TABLES)).toBe('Every week at 08:00 · Jobs')
  })

  test('that runs once has no steps that need a record', () => {
    const config: AutomationConfig = { when: { kind: 'added', table: 'jobs' }, do: [newStep('update', jobs)] }
    expect(withTrigger(config, weekly.when, jobs)).toEqual({
      when: weekly.when,
      do: [{ kind: 'notify', to: ['admins'], text: 'Jobs: {count}' }],
    })
    expect(withTrigger(weekly, { ...weekly.when, at: '09:00' } as typeof weekly.when, jobs).do).toEqual(weekly.do)
  })

  test('stays when the table changes', () => {
    expect(moveToTable(weekly, notes).when).toEqual({ ...weekly.when, table: 'notes' })
  })
})

test('another table takes along nothing that names fields of the first', () => {
  const config = { when: { kind: 'due', table: 'jobs', field: 'due_on', days: 1, at: '08:00' }, do: [] } as const
  const moved = moveToTable({ ...config, if: [{ field: 'state', is: 'filled' }], do: [newStep('update', jobs)] }, notes)
  expect(moved).toEqual({ when: { kind: 'added', table: 'notes' }, do: [newStep('notify', notes)] })
  expect(triggerWords(moved, TABLES)).toBe('When a record is added in Notes')
})
