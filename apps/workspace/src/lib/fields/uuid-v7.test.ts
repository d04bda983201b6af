import { expect, onTestFinished, test, vi } from 'vitest'
import { uuidV7, uuidV7At, uuidV7Time } from './uuid-v7.ts'

test('ids are of version 7, sort by time and tell their time', () => {
  const at = Date.parse('2026-11-20T12:00:00.123Z')
  const ids = [0, 1, 2, 65_536].map((later) => uuidV7At(at + later, 0x800 - (later % 8)))
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(ids.toSorted()).toEqual(ids)
  expect(uuidV7Time(ids[0] ?? '')?.getTime()).toBe(at)
  expect(uuidV7Time('8a6e0804-2bd0-4672-b79d-d97027f9071a')).toBeUndefined()
})

// Regression: the records of an imported file were in a random order.
test('ids sort in the order in which they were made, in one millisecond and when the clock goes back a little', () => {
  const now = vi.spyOn(Date, 'now')
  onTestFinished(() => now.mockRestore())
  const start = Date.parse('2026-11-20T12:00:00Z')
  const ids = [0, 5, 3, -9_000, 6].flatMap((later) => {
    now.mockReturnValue(start + later)
    return Array.from({ length: 5_000 }, () => uuidV7())
  })
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
  expect(uuidV7Time(ids.at(-1) ?? '')?.getTime()).toBeLessThan(start + 50)
})

test('a clock that was set right is followed', () => {
  const now = vi.spyOn(Date, 'now')
  onTestFinished(() => now.mockRestore())
  now.mockReturnValue(Date.parse('2030-01-01T00:00:00Z'))
  uuidV7()
  const right = Date.parse('2026-11-20T12:00:00Z')
  now.mockReturnValue(right)
  expect(uuidV7Time(uuidV7())?.getTime()).toBe(right)
})
