import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RETRY_DELAY_MS_MAX, retryDelayMs } from './backoff.ts'
import { DOUBTFUL_ATTEMPTS_MAX, type UploadFailure } from './classify-failure.ts'
import { type FailureOutcome, noteFailure, type Trouble } from './trouble.ts'

const failure = (status: number | undefined, more: Partial<UploadFailure> = {}): UploadFailure => ({
  status,
  code: status === undefined ? undefined : 'PSYNC_S2002',
  message: `fault ${status}`,
  fromServer: status !== undefined,
  retryAfterMs: undefined,
  ...more,
})
const clock = { now: () => 10_000, random: () => 0.5 }
const note = (before: Trouble | undefined, given: UploadFailure, position = 7): FailureOutcome =>
  noteFailure(before, position, given, clock)
const fail = (times: number, given: UploadFailure): FailureOutcome | undefined => {
  let last: FailureOutcome | undefined
  for (let time = 0; time < times; time++) last = note(last?.kind === 'postponed' ? last.trouble : undefined, given)
  return last
}

describe('a failed upload', () => {
  test('is tried again later and later, and never goes to the person while the server is out of reach', () => {
    expect(fail(1, failure(503))).toMatchObject({
      kind: 'postponed',
      reason: 'retry',
      trouble: { notBeforeMs: 11_000 },
    })
    expect(fail(3, failure(503))).toMatchObject({ trouble: { attempts: 3, doubts: 0, notBeforeMs: 14_000 } })
    expect(fail(100, failure(undefined))?.kind).toBe('postponed')
  })

  test('goes to the person once the server has refused the request itself too often', () => {
    expect(fail(DOUBTFUL_ATTEMPTS_MAX - 1, failure(404))?.kind).toBe('postponed')
    expect(fail(DOUBTFUL_ATTEMPTS_MAX, failure(404))).toEqual({
      kind: 'rejected',
      verdict: { op_id: 7, status: 'unexpected', httpStatus: 404, code: 'PSYNC_S2002', message: 'fault 404' },
    })
  })

  test('goes to the person at once when it is too large', () => {
    expect(fail(1, failure(413))?.kind).toBe('rejected')
  })

  test('waits for a sign-in where the token is refused', () => {
    expect(note(undefined, failure(401))).toMatchObject({ kind: 'postponed', reason: 'sign_in' })
  })

  test('counts only failures of the same transaction', () => {
    const before: Trouble = { position: 6, attempts: 9, doubts: 4, notBeforeMs: 0, message: '' }
    expect(note(before, failure(404))).toMatchObject({ trouble: { position: 7, attempts: 1, doubts: 1 } })
  })
})

test('a delay never falls below what the server asks for, nor above its bound, and is spread by a fifth', () => {
  const inputs = fc.record({
    attempt: fc.integer({ min: 1, max: 10_000 }),
    retryAfterMs: fc.option(fc.nat(600_000), { nil: undefined }),
    random: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  fc.assert(
    fc.property(inputs, ({ attempt, retryAfterMs, random }) => {
      const delay = retryDelayMs(attempt, retryAfterMs, () => random)
      expect(delay).toBeGreaterThanOrEqual(retryAfterMs ?? 800)
      expect(delay).toBeLessThanOrEqual(Math.max(RETRY_DELAY_MS_MAX * 1.2, retryAfterMs ?? 0))
      expect(retryDelayMs(attempt + 1, undefined, () => random)).toBeGreaterThanOrEqual(
        retryDelayMs(attempt, undefined, () => random),
      )
    }),
  )
})
