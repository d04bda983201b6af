import { expect, test } from 'vitest'
import { CHECKLIST_SCHEMA, testChecklist } from '../../lib/checklists/test-checklist.test-support.ts'
import { startableFor, startChanges } from './start-checklists.ts'
import type { GridRow } from './window-cache.ts'

const checklist = testChecklist()
const rows: readonly GridRow[] = [
  { id: 'a', name: 'Cellar', list: null },
  { id: 'b', name: 'Roof', list: 'other' },
]
const startable = (table: string) => startableFor(table, [checklist], CHECKLIST_SCHEMA)

test('records that are filled in themselves get the checklist, unless they have one', () => {
  const [own] = startable('rounds')
  expect(own).toMatchObject({ place: undefined })
  expect(own && startChanges({ ...own, template: 't', name: 'Fire walk' }, rows, 'name')).toMatchObject({
    changes: [{ kind: 'update', table: 'rounds', id: 'a', values: { list: 't' }, before: { list: null } }],
    refusals: [expect.any(String)],
  })
})

test('records that checklists are filled in for get a new one each, named after the checklist and the record', () => {
  const [place] = startable('rooms')
  expect(place).toMatchObject({ place: 'room' })
  const start = place && { ...place, title: 'state', template: 't', name: 'Fire walk' }
  expect(start && startChanges(start, rows, 'name').changes).toMatchObject([
    { kind: 'insert', table: 'rounds', values: { list: 't', room: 'a', state: 'Fire walk · Cellar' } },
    { kind: 'insert', table: 'rounds', values: { list: 't', room: 'b', state: 'Fire walk · Roof' } },
  ])
})

test('other tables are offered none', () => {
  expect(startable('defects')).toEqual([])
})
