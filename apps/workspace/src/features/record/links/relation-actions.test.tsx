// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { toTableInfo } from '../../../lib/data/tables.ts'
import { fieldsOf } from '../../../lib/fields/field.ts'
import { testColumn, testTable } from '../../../lib/fields/test-fields.test-support.ts'
import { openTestDevice, type TestDevice } from '../../../lib/test-device.test-support.tsx'
import type { Relation } from './relation.ts'
import { RelationActions } from './relation-actions.tsx'

const SCHEMA = {
  version: '1',
  tables: [
    testTable('sites', [testColumn('name', 'text')]),
    testTable('visits', [
      testColumn('title', 'text'),
      testColumn('site_id', 'uuid', { references: { table: 'sites', column: 'id' } }),
    ]),
    testTable('faults', [
      testColumn('title', 'text', { nullable: false }),
      testColumn('site_id', 'uuid', { references: { table: 'sites', column: 'id' } }),
    ]),
  ],
}

let device: TestDevice
beforeAll(async () => {
  await import('./link-existing.tsx') // the dialog loads late
  device = await openTestDevice(SCHEMA)
}, 40_000)
afterAll(() => device[Symbol.asyncDispose]())
afterEach(cleanup)
beforeEach(async () => {
  for (const { name } of SCHEMA.tables) await device.local.database.execute(`delete from ${name}`)
  await device.local.database.execute(`insert into sites (id, name) values ('s1', 'North'), ('s2', 'South')`)
  await device.local.database.execute(
    `insert into visits (id, title, site_id) values ('v1', 'Spring', 's2'), ('v2', 'Autumn', null), ('v3', 'Here', 's1')`,
  )
}, 30_000)

function show(name: string) {
  const descriptor = SCHEMA.tables.find((table) => table.name === name)
  const field = descriptor && fieldsOf(descriptor, SCHEMA).find((one) => one.name === 'site_id')
  if (!descriptor || !field) throw new Error(`there is no table ${name}`)
  const relation: Relation = { table: toTableInfo(descriptor), field }
  const onOpen = vi.fn<(table: string, id: string) => void>()
  device.render(<RelationActions recordId="s1" {...{ relation, onOpen }} />)
  return onOpen
}

test('an added record links to the shown one and opens', async () => {
  const onOpen = show('visits')
  fireEvent.click(await screen.findByRole('button', { name: 'Add visit' }))
  await waitFor(() => expect(onOpen).toHaveBeenCalledOnce())
  const [[, id] = ['', '']] = onOpen.mock.calls
  expect(await device.rows('select site_id from visits where id = ?', [id])).toEqual([{ site_id: 's1' }])
})

test('a record that needs more values is a draft with the link', async () => {
  const onOpen = show('faults')
  fireEvent.click(await screen.findByRole('button', { name: 'Add fault' }))
  await waitFor(() => expect(onOpen).toHaveBeenCalledOnce())
  expect(await device.rows('select id from faults')).toEqual([])
  expect(await device.rows('select field_values from hf_local_drafts')).toEqual([{ field_values: '{"site_id":"s1"}' }])
})

test('an existing record is linked; one that links elsewhere says so, and one already linked is not offered', async () => {
  show('visits')
  fireEvent.click(await screen.findByRole('button', { name: 'Link existing visit' }))
  const option = await screen.findByRole('option', { name: 'Spring' }, { timeout: 10_000 })
  expect(option.textContent).toContain('Now linked to South')
  expect(screen.queryByRole('option', { name: 'Here' })).toBeNull()
  expect(screen.getAllByRole('option').map((one) => one.textContent)).toEqual([
    'Autumn',
    expect.stringContaining('Spring') as string,
  ])
  await act(() => {
    fireEvent.click(option)
  })
  await waitFor(async () =>
    expect(await device.rows(`select site_id from visits where id = 'v1'`)).toEqual([{ site_id: 's1' }]),
  )
}, 30_000)
