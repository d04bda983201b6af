import { expect, test } from 'vitest'
import { uuidV7, uuidV7Time } from './uuid-v7.ts'

test('ids are of version 7, sort by time and tell their time', () => {
  const at = Date.parse('2026-11-20T12:00:00.123Z')
  const ids = [0, 1, 2, 65_536].map((later) => uuidV7(at + later))
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(ids.toSorted()).toEqual(ids)
  expect(uuidV7Time(ids[0] ?? '')?.getTime()).toBe(at)
  expect(uuidV7Time('8a6e0804-2bd0-4672-b79d-d97027f9071a')).toBeUndefined()
})
