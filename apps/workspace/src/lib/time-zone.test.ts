import { afterEach, describe, expect, test, vi } from 'vitest'
import { latenessOf } from './fields/late.ts'
import {
  addDaysTo,
  dayOf,
  formatMomentText,
  momentOf,
  parseMoment,
  startOfDay,
  toStoredMoment,
} from './fields/dates.ts'
import { testField } from './fields/test-fields.test-support.ts'
import { momentAtWall, useWorkspaceZone, wallTimeAt, zoneNameAt } from './time-zone.ts'

const inZone = (zone: string | undefined): void => useWorkspaceZone.setState({ zone })
afterEach(() => inZone(undefined))
const at = (text: string): Date => new Date(text)

describe('a day in the workspace', () => {
  test.each([
    // Around midnight there, whatever the device's zone; clocks move forward on 29 March and back on 25 October.
    ['Europe/Berlin', '2026-11-20T22:59:59Z', '2026-11-20'],
    ['Europe/Berlin', '2026-11-20T23:00:00Z', '2026-11-21'],
    ['Europe/Berlin', '2026-03-29T21:59:59Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-29T22:00:00Z', '2026-03-30'],
    ['America/Los_Angeles', '2026-11-20T07:59:59Z', '2026-11-19'],
    ['America/Los_Angeles', '2026-11-20T08:00:00Z', '2026-11-20'],
    ['Pacific/Kiritimati', '2026-12-31T10:00:00Z', '2027-01-01'],
    ['Asia/Kathmandu', '2026-11-20T18:15:00Z', '2026-11-21'],
  ])('in %s %s is %s', (zone, moment, day) => {
    inZone(zone)
    expect(dayOf(at(moment))).toBe(day)
  })

  test.each([
    ['Europe/Berlin', '2026-03-29', 23],
    ['Europe/Berlin', '2026-10-25', 25],
    ['America/New_York', '2026-03-08', 23],
    ['Australia/Lord_Howe', '2026-04-05', 24.5],
    // Midnight itself is skipped there.
    ['Africa/Cairo', '2026-04-24', 23],
    ['America/Santiago', '2026-09-06', 23],
    ['UTC', '2026-03-29', 24],
  ])('in %s %s has %d hours', (zone, day, hours) => {
    inZone(zone)
    const next = dayOf(addDaysTo(new Date(startOfDay(day).getTime() + 12 * 3_600_000), 1))
    expect((startOfDay(next).getTime() - startOfDay(day).getTime()) / 3_600_000).toBe(hours)
    expect(dayOf(startOfDay(day))).toBe(day)
    expect(dayOf(new Date(startOfDay(day).getTime() - 1))).not.toBe(day)
  })

  test('makes a time without a zone late by the clocks there', () => {
    const due = { ...testField('seen_at'), name: 'due_at', use: 'due' as const }
    const now = Date.parse('2026-11-20T23:30:00Z')
    const isLate = (due_at: string): boolean =>
      latenessOf([due], { today: dayOf(new Date(now)), now })({ due_at }) !== undefined
    inZone('Europe/Berlin')
    expect([isLate('2026-11-21T00:29:00'), isLate('2026-11-21T00:31:00')]).toEqual([true, false])
    inZone('America/New_York')
    expect([isLate('2026-11-20T18:29:00'), isLate('2026-11-20T18:31:00')]).toEqual([true, false])
  })
})

describe('a time in the workspace', () => {
  test('is typed, shown and stored by its clocks, and says which they are where this device has others', () => {
    inZone('Asia/Kathmandu')
    const typed = parseMoment('20 Nov 2026 14:00', 'en-GB', '2026-11-20')
    expect(typed && toStoredMoment(typed, true)).toBe('2026-11-20T08:15:00.000000Z')
    expect(typed && toStoredMoment(typed, false)).toBe('2026-11-20T14:00:00.000000')
    expect(formatMomentText('2026-11-20T08:15:00.000000Z', 'en-GB')).toBe('20 Nov 2026, 14:00 GMT+5:45')
    expect(formatMomentText('2026-11-20T14:00:00', 'en-GB')).toBe('20 Nov 2026, 14:00')
    expect(momentOf('2026-11-20T14:00:00')).toEqual(typed)
  })

  test('has no name where the clock of this device shows the same', () => {
    expect(zoneNameAt(at('2026-11-20T12:00:00Z'), 'en-GB')).toBeUndefined()
    inZone(Intl.DateTimeFormat().resolvedOptions().timeZone)
    expect(zoneNameAt(at('2026-11-20T12:00:00Z'), 'en-GB')).toBeUndefined()
  })

  test('stays on its clocks when a day is added over their change', () => {
    inZone('Europe/Berlin')
    expect(addDaysTo(at('2026-03-28T08:30:00Z'), 1)).toEqual(at('2026-03-29T07:30:00Z'))
    expect(addDaysTo(at('2026-10-24T07:30:00Z'), 1)).toEqual(at('2026-10-25T08:30:00Z'))
  })

  test('that is left out is as much later, and of two that are the same it is the first', () => {
    const wall = { hour: 2, minute: 30 }
    expect(momentAtWall({ year: 2026, month: 3, day: 29, ...wall }, 'Europe/Berlin')).toEqual(
      at('2026-03-29T01:30:00Z'),
    )
    expect(momentAtWall({ year: 2026, month: 10, day: 25, ...wall }, 'Europe/Berlin')).toEqual(
      at('2026-10-25T00:30:00Z'),
    )
  })

  test('is the same again after it was read off the clocks, in every zone', () => {
    for (const zone of ['America/St_Johns', 'Asia/Tokyo', 'Europe/Dublin', 'Pacific/Apia', 'Antarctica/Troll']) {
      for (let hours = 0; hours < 366 * 24; hours += 7) {
        const moment = at(new Date(Date.UTC(2026, 0, 1, hours)).toISOString())
        const again = momentAtWall(wallTimeAt(moment, zone), zone)
        // When clocks move back, an hour or two repeat.
        expect([0, 3_600_000, 7_200_000]).toContain(moment.getTime() - again.getTime())
      }
    }
  })
})

test('a start has the zone that was kept, before anything has been read', async () => {
  vi.stubGlobal('localStorage', { getItem: (key: string) => (key === 'hf-time-zone' ? '"Asia/Kathmandu"' : null) })
  try {
    vi.resetModules()
    const started = await import('./time-zone.ts')
    expect(started.useWorkspaceZone.getState().zone).toBe('Asia/Kathmandu')
  } finally {
    vi.unstubAllGlobals()
    // Test files share a process and must not inherit this zone.
    vi.resetModules()
  }
})
