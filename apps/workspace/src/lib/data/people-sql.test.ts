import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { testColumn, testTable } from '../fields/test-fields.test-support.ts'
import { authorSql, mentionableSql } from './people-sql.ts'

const PEOPLE = testTable('people', [testColumn('name', 'text'), testColumn('user_id', 'uuid')])
const MEMBERS = {
  ...testTable(
    'hf_members',
    ['user_id', 'workspace_id', 'name', 'role', 'status'].map((name) => testColumn(name, 'text')),
  ),
  schema: 'holdfast',
}

function withDevice<Answer>(read: (device: DatabaseSync) => Answer): Answer {
  using device = new DatabaseSync(':memory:')
  device.exec(`create table people (id, name, user_id); create table hf_members (id, user_id, workspace_id, name, role, status);
    insert into people values ('1', 'Dana Okafor', 'dana'), ('2', 'No account', null);
    insert into hf_members values ('3', 'dana', 'water', 'D. Okafor', 'owner', 'active'), ('4', 'mina', 'water', 'Mina Kaya', 'editor', 'active'),
      ('5', 'gus', 'water', 'Gus', 'guest', 'active'), ('6', 'left', 'water', 'Lea', 'editor', 'deactivated'), ('7', 'gil', 'gas', 'Gil', 'editor', 'active')`)
  return read(device)
}

test.each([
  ['a project with people and members', [PEOPLE, MEMBERS], ['Dana Okafor', 'Mina Kaya']],
  ['a workspace whose tables were made in the app', [MEMBERS], ['D. Okafor', 'Mina Kaya']],
  ['a project without workspaces', [PEOPLE], ['Dana Okafor']],
])('comments of %s mention its people, once each', (_, tables, expected) => {
  const sql = mentionableSql({ version: '1', tables }) ?? ''
  const found = withDevice((device) => device.prepare(sql).all(...(sql.includes('?') ? ['water'] : [])))
  expect(found.map(({ name }) => name)).toEqual(expected)
})

test.each([
  [[PEOPLE, MEMBERS], 'dana', 'Dana Okafor'],
  [[MEMBERS], 'mina', 'Mina Kaya'],
  [[MEMBERS], 'left', 'Lea'],
  [[MEMBERS], 'nobody', null],
  [[], 'mina', null],
])('an author has the name of the project, or that of the workspace: %#', (tables, account, expected) => {
  const sql = `select ${authorSql({ version: '1', tables }, '?')} as name`
  const [row] = withDevice((device) => device.prepare(sql).all(...(sql.includes('?') ? [account] : [])))
  expect(row?.['name']).toBe(expected)
})
