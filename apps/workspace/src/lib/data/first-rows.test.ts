import type { SyncState } from '@holdfast/client'
import { describe, expect, test } from 'vitest'
import { firstRows } from './first-rows.ts'
import { chipLooks } from './sync-chip.ts'

const looksOf = (state: SyncState, isConnected = false, isPaused = false): ReturnType<typeof chipLooks> =>
  chipLooks(state, { waiting: 0, isPaused, isConnected })

describe('firstRows', () => {
  test('says that rows are received only while there is a connection', () => {
    expect(firstRows(looksOf({ kind: 'receiving', fraction: 0.4 }, true), 40)).toEqual({
      kind: 'coming',
      text: 'Receiving 40 %',
    })
    expect(firstRows(looksOf({ kind: 'receiving', fraction: undefined }), undefined)).toEqual({
      kind: 'coming',
      text: 'Connecting',
    })
  })

  const HOLDING: readonly SyncState[] = [
    { kind: 'offline', waiting: 0 },
    { kind: 'no_answer', since: new Date(0), waiting: 0 },
    { kind: 'sign_in_needed' },
    { kind: 'second_factor_needed' },
    { kind: 'blocked', code: 'PSYNC_S2104' },
  ]

  test.each(HOLDING)('promises nothing that comes by itself while $kind', (state) => {
    const { kind, text } = firstRows(looksOf(state), undefined)
    expect(kind).toBe('held')
    expect(text).not.toMatch(/receiving|connecting/i)
    expect(text).toMatch(/\.$/)
  })

  test('says that a paused device waits for the person', () => {
    expect(firstRows(looksOf({ kind: 'receiving', fraction: undefined }, false, true), undefined)).toEqual({
      kind: 'held',
      text: 'You paused sync on this device. They come when you resume it.',
    })
  })
})
