import { expect, test } from 'vitest'
import type { ChipLooks } from './sync-chip.ts'
import { withFiles } from './files-chip.ts'

const UP_TO_DATE: ChipLooks = { kind: 'up_to_date', glyph: 'check', tone: 'quiet', text: 'Up to date', detail: '' }

test('while rows are up to date, the chip tells how many files are not', () => {
  expect(withFiles(UP_TO_DATE, { count: 2, percent: undefined }).text).toBe('2 files waiting')
  expect(withFiles(UP_TO_DATE, { count: 1, percent: 40 }).text).toBe('Sending 1 file · 40 %')
  expect(withFiles(UP_TO_DATE, { count: 0, percent: undefined })).toBe(UP_TO_DATE)
})

test('what rows have to say comes first', () => {
  const offline: ChipLooks = { ...UP_TO_DATE, kind: 'offline', text: 'Offline' }
  expect(withFiles(offline, { count: 2, percent: 10 })).toBe(offline)
})
