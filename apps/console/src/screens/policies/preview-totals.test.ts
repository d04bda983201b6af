import { expect, test } from 'vitest'
import type { PreviewedRows } from '@holdfast/protocol'
import { totalOf } from './preview-totals.ts'

const changes = { gained: 2, lost: 1, changed: 3, gainedKeys: [], lostKeys: [] }
const rows = (bound: 'exact' | 'most' | 'least'): PreviewedRows => ({
  before: 1,
  after: 2,
  changes,
  download: { rows: 5, bytes: 100, bound },
})

test('tables of a device are added up', () => {
  expect(totalOf([rows('exact'), rows('exact'), undefined])).toEqual({
    gained: 4,
    lost: 2,
    changed: 6,
    download: { rows: 10, bytes: 200, bound: 'exact' },
    isIncomplete: false,
  })
})

test('a download is as certain as its least certain table', () => {
  expect(totalOf([rows('exact'), rows('most')]).download.bound).toBe('most')
  expect(totalOf([rows('exact'), { before: 9, after: 9 }])).toMatchObject({
    download: { rows: 5, bound: 'least' },
    isIncomplete: true,
  })
})
