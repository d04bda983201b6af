import { expect, test } from 'vitest'
import { createView, updateView } from './view-commands.ts'
import type { SavedView, ViewScope } from './use-views.ts'
import { parseSettings } from './view-settings.ts'

const settings = parseSettings(null)
const view = (id: string, scope: ViewScope, workspace: string | null, isDefault = true): SavedView => ({
  id,
  table: 'pits',
  name: id,
  type: 'grid',
  scope,
  isDefault,
  settings,
  row: {
    id,
    table_name: 'pits',
    name: id,
    type: 'grid',
    scope,
    owner_id: 'me',
    config: null,
    is_default: isDefault ? 1 : 0,
    position: 0,
    workspace_id: workspace,
  },
})
const draft = (scope: ViewScope) => ({ name: 'New', type: 'grid', scope, isDefault: true }) as const
const views = [view('water', 'shared', 'water'), view('gas', 'shared', 'gas'), view('project', 'locked', null)]

test.each([
  ['water', 'water'],
  [null, 'project'],
])('a view of %s opens first in place of that one alone', (workspace, before) => {
  const { command } = createView({
    table: 'pits',
    draft: draft('shared'),
    settings,
    userId: 'me',
    position: 0,
    views,
    workspace,
  })
  expect(command.changes.map(({ kind, id }) => (kind === 'update' ? id : kind))).toEqual([before, 'insert'])
  expect(command.changes.at(-1)?.values).toMatchObject({ workspace_id: workspace })
})

test('a view comes into the workspace when it is shared, and stays there', () => {
  const [, shared] = updateView(view('mine', 'personal', null, false), draft('shared'), views, 'water').changes
  expect(shared?.values).toMatchObject({ scope: 'shared', workspace_id: 'water' })
  const locked = updateView(view('mine', 'shared', 'gas', false), draft('locked'), views, 'water').changes
  expect(locked.map(({ id, values }) => [id, 'workspace_id' in values])).toEqual([
    ['gas', false],
    ['mine', false],
  ])
})
