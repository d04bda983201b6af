import { describe, expect, test } from 'vitest'
import { createCompletionPace } from './completion-pace.ts'

describe('tables that are filled one after another', () => {
  test('come into use at longer and longer intervals while others are being read', () => {
    let at = 0
    const pace = createCompletionPace(() => at)
    const usedAt: number[] = []
    for (; at < 8_000; at += 50) {
      if (pace.waitMs() > 0) continue
      pace.used(false)
      usedAt.push(at)
    }
    expect(usedAt).toEqual([0, 250, 750, 1_750, 3_750, 5_750, 7_750])
  })

  test('do not wait for those of an earlier change', () => {
    let at = 0
    const pace = createCompletionPace(() => at)
    for (const isAll of [false, false, false, true]) {
      at += 1_000
      pace.used(isAll)
    }
    expect(pace.waitMs()).toBe(0)
    pace.used(false)
    expect(pace.waitMs()).toBe(250)
  })
})
