import { describe, expect, test } from 'vitest'
import { fieldsOf } from '../../lib/fields/field.ts'
import { testColumn, testTable } from '../../lib/fields/test-fields.test-support.ts'
import { type AccessRules, NO_RULES, parseRules, reasonOf, scopesOf } from './access-rules.ts'

const JOBS = testTable('jobs', [
  testColumn('title', 'text', { comment: 'Title.' }),
  testColumn('state', 'text', { comment: 'State.', choices: ['open', 'done'] }),
  testColumn('is_urgent', 'boolean', { comment: 'Urgent.' }),
  testColumn('assignee_id', 'uuid', { comment: 'Worker.', references: { table: 'hf_members', column: 'id' } }),
  testColumn('team_id', 'uuid', { comment: 'Crew.', references: { table: 'hf_teams', column: 'id' } }),
])
const linked = ['hf_members', 'hf_teams'].map((name) => testTable(name, [testColumn('name', 'text')]))
const FIELDS = fieldsOf(JOBS, { version: '1', tables: [JOBS, ...linked] })

const RULES: AccessRules = {
  ...NO_RULES,
  see: [
    { role: 'viewer', scope: 'own' },
    {
      role: 'editor',
      scope: 'assigned',
      field: 'assignee_id',
      when: [
        { field: 'state', is: 'none_of', values: ['done'] },
        { field: 'is_urgent', is: 'one_of', values: ['true'] },
        { field: 'gone', is: 'filled' },
      ],
    },
  ],
}

test('a new record can be in a scope that its fields decide, and is always the own one of who adds it', () => {
  const values = (command: 'see' | 'add') => scopesOf(command, FIELDS).map(({ value }) => value)
  expect(values('see')).toEqual(['all', 'own', 'assigned assignee_id', 'team team_id'])
  expect(values('add')).toEqual(['all', 'assigned assignee_id', 'team team_id'])
})

describe('the reason that a member sees a record', () => {
  test.each([
    ['see_1', 'Members can see records they added'],
    [
      'see_2',
      'Editors and up can see records assigned to them (Worker) when State is not Done and Urgent is Yes and gone is not empty',
    ],
    ['see_3', 'see_3'],
    ['guests_read', 'shared with them'],
    ['admins_see', 'owner or admin'],
    ['written_by_hand', 'written_by_hand'],
  ])('%s', (policy, sentence) => {
    expect(reasonOf(policy, RULES, FIELDS)).toBe(sentence)
  })
})

test.each([
  ['{"see": []}', NO_RULES],
  [{ see: [{ role: 'viewer', scope: 'all' }] }, { ...NO_RULES, see: [{ role: 'viewer', scope: 'all' }] }],
  [null, undefined],
  ['null', undefined],
])('rules %j are read as %j', (given, rules) => {
  expect(parseRules(given)).toEqual(rules)
})
