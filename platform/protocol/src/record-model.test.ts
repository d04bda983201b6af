import { describe, expect, test } from 'vitest'
import { finishedStatesOf, type ModelColumn, peopleTableOf, titleColumnOf, workColumnsOf } from './record-model.ts'

const column = (name: string, type = 'text', references?: string): ModelColumn => ({
  name,
  type,
  ...(references !== undefined && { references: { table: references } }),
})

describe('titleColumnOf', () => {
  test.each([
    ['a usual name before other text', [column('detail'), column('title')], 'title'],
    ['title before number', [column('number'), column('title')], 'title'],
    ['the first text that is no link', [column('site', 'text', 'sites'), column('full_name')], 'full_name'],
    ['text of a bounded length', [column('id'), column('plate', 'character varying(12)')], 'plate'],
    ['nothing among numbers', [column('id', 'uuid'), column('amount', 'numeric')], undefined],
  ])('takes %s', (_, columns, expected) => {
    expect(titleColumnOf(columns)).toBe(expected)
  })
})

test('the table of people is the first by name that ties a name to an account', () => {
  const tables = [
    { name: 'staff', columns: [column('user_id', 'uuid'), column('full_name')] },
    { name: 'crews', columns: [column('user_id', 'uuid')] },
    { name: 'people', columns: [column('user_id', 'uuid'), column('name')] },
  ]
  expect(peopleTableOf(tables)?.name).toBe('people')
  expect(peopleTableOf(tables.slice(0, 2))?.name).toBe('staff')
  expect(peopleTableOf([])).toBeUndefined()
})

describe('workColumnsOf', () => {
  const assignee = column('assignee_id', 'uuid', 'people')
  const due = column('due_on', 'date')

  test.each([
    ['a link to a person and a day', [assignee, due], { assignee: 'assignee_id', due: 'due_on', state: undefined }],
    [
      'the first of several, with the state',
      [due, column('status'), assignee, column('checked_by', 'uuid', 'people'), column('checked_on', 'date')],
      { assignee: 'assignee_id', due: 'due_on', state: 'status' },
    ],
    [
      'a date that is named as due before others',
      [assignee, column('begun_on', 'date'), due],
      { assignee: 'assignee_id', due: 'due_on', state: undefined },
    ],
    [
      'what the owner says',
      [
        assignee,
        { ...column('checker', 'uuid', 'people'), use: 'assignee' },
        due,
        { ...column('ends_at', 'timestamp with time zone'), use: 'due' },
        column('state'),
        { ...column('phase'), use: 'state' },
      ],
      { assignee: 'checker', due: 'ends_at', state: 'phase' },
    ],
    [
      'nothing that the owner excludes',
      [assignee, { ...due, use: 'none' }, column('begun_on', 'date'), { ...column('state'), use: 'none' }],
      { assignee: 'assignee_id', due: 'begun_on', state: undefined },
    ],
    [
      'no setting that its type does not suit',
      [assignee, due, { ...column('note'), use: 'due' }],
      { assignee: 'assignee_id', due: 'due_on', state: undefined },
    ],
    ['no one who only created it', [column('created_by', 'uuid', 'people'), due], undefined],
    ['no moment', [assignee, column('at', 'timestamp with time zone')], undefined],
  ] as const)('finds %s', (_, columns, expected) => {
    expect(workColumnsOf({ name: 'actions', columns }, 'people')).toEqual(expected)
  })

  test('finds no work in the table of people', () => {
    expect(workColumnsOf({ name: 'people', columns: [assignee, due] }, 'people')).toBeUndefined()
  })
})

test('the states of finished work are those that the owner closed', () => {
  expect(finishedStatesOf(column('state'))).toContain('done')
  expect(finishedStatesOf({ ...column('state'), closed: ['Shipped'] })).toEqual(['shipped'])
})
