import { expect, test } from 'vitest'
import type { RecordState } from '../../lib/records/record-state.ts'
import { syncWords } from './sync-words.ts'

const now = new Date('2026-11-20T15:00:00')
const saved = new Date('2026-11-20T14:02:00')
const STATES: readonly RecordState[] = ['clean', 'waiting', 'sending', 'confirming', 'rejected', 'held', 'gone']

test('saved on this device and accepted by the server are never the same words', () => {
  expect(syncWords('waiting', saved, now)).toMatch(/^Saved on this device .*02.* · not sent yet$/)
  expect(syncWords('clean', saved, now)).toMatch(/^Saved on this device .*02.* · accepted by the server$/)
  for (const state of STATES) {
    const words = syncWords(state, saved, now)
    expect(words).not.toBe('')
    if (state === 'waiting' || state === 'sending') expect(words).not.toMatch(/accepted|server/i)
  }
})
