// @vitest-environment happy-dom
import { act, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testColumn, testTable } from '../fields/test-fields.test-support.ts'
import { useWorkspace } from '../records/use-workspace.ts'
import { openTestDevice, TEST_USER, type TestDevice } from '../test-device.test-support.tsx'
import { chooseWorkspace } from './chosen-workspace.ts'
import { useTables, useWorkspaceOfTable } from './use-tables.tsx'

const text = (name: string): ReturnType<typeof testColumn> => testColumn(name, 'text')
const own = (name: string, columns: readonly string[]): ReturnType<typeof testTable> => ({
  ...testTable(`hf_${name}`, columns.map(text)),
  schema: 'holdfast',
  table: name,
})
const schema = {
  version: '1',
  tables: [
    testTable('pumps', [text('name')]),
    testTable('valves', [text('name')]),
    testTable('shared', [text('name')]),
    own('workspaces', ['name', 'time_zone', 'language', 'created_at']),
    own('members', ['workspace_id', 'user_id', 'role', 'status']),
    own('tables', ['schema_name', 'table_name', 'workspace_id', 'label']),
  ],
}
let device: TestDevice

beforeEach(async () => {
  device = await openTestDevice(schema)
  for (const [id, name, day, table] of [
    ['w1', 'Works', '2026-01-01', 'pumps'],
    ['w2', 'Home', '2026-02-01', 'valves'],
  ] as const) {
    await device.local.database.execute(
      'insert into hf_workspaces (id, name, time_zone, created_at) values (?, ?, ?, ?)',
      [id, name, 'UTC', day],
    )
    await device.local.database.execute(
      'insert into hf_members (id, workspace_id, user_id, role, status) values (?, ?, ?, ?, ?)',
      [`m${id}`, id, TEST_USER.id, id === 'w1' ? 'owner' : 'viewer', 'active'],
    )
    await device.local.database.execute(
      'insert into hf_tables (id, schema_name, table_name, workspace_id) values (?, ?, ?, ?)',
      [`t${id}`, 'public', table, id],
    )
  }
})
afterEach(() => device[Symbol.asyncDispose]())

test('the app shows the chosen workspace, its tables and those of the project, with the rights there', async () => {
  const { result } = device.renderHook(() => ({
    workspace: useWorkspace(),
    tables: useTables().map(({ name }) => name),
    elsewhere: useWorkspaceOfTable('valves'),
  }))
  const shown = (): unknown => [
    result.current?.workspace?.name,
    result.current?.workspace?.role,
    result.current?.tables.toSorted(),
  ]
  await waitFor(() => expect(shown()).toEqual(['Works', 'owner', ['pumps', 'shared']]))
  expect(result.current?.elsewhere).toEqual({ id: 'w2', name: 'Home' })
  act(() => chooseWorkspace(TEST_USER.id, 'w2'))
  await waitFor(() => expect(shown()).toEqual(['Home', 'viewer', ['shared', 'valves']]))
  // Left since, or not on this device yet.
  act(() => chooseWorkspace(TEST_USER.id, 'w9'))
  await waitFor(() => expect(shown()).toEqual(['Works', 'owner', ['pumps', 'shared']]))
  act(() => chooseWorkspace('another account', 'w2'))
  expect(shown()).toEqual(['Works', 'owner', ['pumps', 'shared']])
})
