import { expect, test } from 'vitest'
import type { ListedLogEntry, LogPage } from '@holdfast/protocol'
import { prepend } from './use-logs.ts'

function entries(from: number, to: number): readonly ListedLogEntry[] {
  return Array.from({ length: from - to + 1 }, (_, index) => ({
    id: String(from - index),
    at: '',
    level: 'info' as const,
    service: 'rest' as const,
    message: '',
    email: null,
  }))
}

function page(given: Partial<LogPage>): LogPage {
  return { entries: [], hasGap: false, dropped: 0, ...given }
}

test('newer entries come first, and the next look begins after them', () => {
  const before = { pages: [page({ entries: entries(2, 1), newest: '2', next: '1' })], pageParams: [undefined] }
  const [first] = prepend(before, page({ entries: entries(4, 3), newest: '4', dropped: 7 })).pages
  expect(first?.entries.map(({ id }) => id)).toEqual(['4', '3', '2', '1'])
  expect(first).toMatchObject({ newest: '4', next: '1', dropped: 7 })
})

test('a list that is watched for long stays bounded, and older entries can be loaded again', () => {
  const before = { pages: [page({ entries: entries(500, 1), newest: '500' })], pageParams: [undefined] }
  const [first] = prepend(before, page({ entries: entries(510, 501), newest: '510' })).pages
  expect(first?.entries.length).toBe(500)
  expect(first?.next).toBe('11')
})

test('pages that were loaded below stay where they are', () => {
  const older = page({ entries: entries(10, 1) })
  const before = { pages: [page({ entries: entries(510, 11), next: '11' }), older], pageParams: [undefined, '11'] }
  const after = prepend(before, page({ entries: entries(511, 511) }))
  expect(after.pages[0]?.entries.length).toBe(501)
  expect(after.pages[1]).toBe(older)
})
