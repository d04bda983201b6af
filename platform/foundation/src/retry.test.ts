import { describe, expect, test } from 'vitest'
import { outwait } from './retry.ts'

const passes = async (): Promise<boolean> => true

describe('outwait', () => {
  test('gives up after its patience', async () => {
    let attempts = 0
    const failing = outwait(() => Promise.reject(new Error(`attempt ${++attempts}`)), {
      timeoutMs: 3,
      pauseMs: 1,
      passes,
    })
    await expect(failing).rejects.toThrow('attempt 4')
  })

  test('does not count time for which the process was held up', async () => {
    let attempts = 0
    const attempt = async (): Promise<number> => {
      for (const until = performance.now() + 20; performance.now() < until;); // nothing else runs
      if (++attempts < 3) throw new Error('not yet')
      return attempts
    }
    expect(await outwait(attempt, { timeoutMs: 10, pauseMs: 1, passes })).toBe(3)
  })
})
