import type { SyncState } from '@holdfast/client'
import { describe, expect, test } from 'vitest'
import { chipLooks, type ChipLooks, withFiles } from './sync-chip.ts'

const STATES: readonly SyncState[] = [
  { kind: 'up_to_date', lastSyncedAt: undefined },
  { kind: 'incomplete', tables: 2 },
  { kind: 'sending', waiting: 3 },
  { kind: 'receiving', fraction: 0.41 },
  { kind: 'waiting', waiting: 3 },
  { kind: 'offline', waiting: 3 },
  { kind: 'checking', waiting: 0 },
  { kind: 'no_answer', since: new Date(2026, 0, 1, 14, 2), waiting: 3 },
  { kind: 'attention', attention: 1 },
  { kind: 'reconnecting' },
  { kind: 'sign_in_needed' },
  { kind: 'second_factor_needed' },
  { kind: 'blocked', code: 'PSYNC_S2104' },
]

const LIVE = { waiting: 0, isPaused: false, isConnected: true }

describe('chipLooks', () => {
  test('gives every state its own shape', () => {
    const shapes = STATES.map((state) => chipLooks(state, LIVE).glyph)
    expect(new Set(shapes).size).toBe(STATES.length)
  })

  test.each(STATES)('says $kind in words', (state) => {
    const { text, detail } = chipLooks(state, { ...LIVE, waiting: 3 })
    expect(text).not.toBe('')
    expect(detail).toMatch(/\.$/)
  })

  test.each(STATES.filter(({ kind }) => kind !== 'up_to_date'))(
    'does not call a waiting change saved while $kind',
    (state) => {
      const { text, detail } = chipLooks(state, { ...LIVE, waiting: 3 })
      expect(`${text} ${detail}`).not.toMatch(/saved|up to date/i)
    },
  )

  test('says that sync is paused and what waits', () => {
    expect(
      chipLooks({ kind: 'offline', waiting: 2 }, { waiting: 2, isPaused: true, isConnected: false }),
    ).toMatchObject({
      kind: 'paused',
      text: 'Sync paused · 2 waiting',
    })
  })

  test('shows what needs a decision even while paused', () => {
    expect(chipLooks({ kind: 'attention', attention: 2 }, { ...LIVE, isPaused: true }).kind).toBe('attention')
  })

  test('says since when the server has not answered, and how much is not sent', () => {
    const since = new Date(new Date().setHours(14, 2))
    const state: SyncState = { kind: 'no_answer', since, waiting: 1 }
    const { text, detail } = chipLooks(state, { ...LIVE, waiting: 1 })
    expect(text).toMatch(/^No answer since (14|2|02):02/)
    expect(detail).toMatch(/1 change on this device is not sent yet\.$/)
  })

  test('does not say up to date before there is a connection', () => {
    expect(chipLooks({ kind: 'up_to_date', lastSyncedAt: undefined }, { ...LIVE, isConnected: false }).text).toBe(
      'Connecting',
    )
  })
})

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
