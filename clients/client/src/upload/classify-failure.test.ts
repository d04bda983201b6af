import { describe, expect, test } from 'vitest'
import { classifyFailure } from './classify-failure.ts'
import { readOutcome } from './post-upload.ts'

// The device's reaction to unjudged uploads, with real server responses.

describe('an upload that was not judged', () => {
  test.each([
    ['too many of this person', 429, 'HF_UPLOAD_TOO_MANY'],
    ['too many of all', 503, 'HF_UPLOAD_BUSY'],
    ['it took too long', 503, 'HF_UPLOAD_TIMEOUT'],
    ['the database is away', 503, 'PSYNC_S2001'],
  ])('because %s is sent again when the server says, and never given up', (_title, status, code) => {
    const outcome = readOutcome(status, '3', JSON.stringify({ error: { code, status, description: 'Not now' } }))
    if (outcome.kind !== 'failed') throw new Error('it was not judged')
    expect(outcome.failure).toMatchObject({ code, fromServer: true, retryAfterMs: 3_000 })
    expect(classifyFailure(outcome.failure)).toBe('retry')
  })

  test.each([
    ['a token that has ended', 401, 'PSYNC_S2103', 'sign_in'],
    ['a body that is too large', 413, 'FST_ERR_CTP_BODY_TOO_LARGE', 'never'],
    ['a body that is none', 400, 'PSYNC_S2001', 'doubt'],
  ] as const)('for %s is not simply repeated', (_title, status, code, kind) => {
    const outcome = readOutcome(status, null, JSON.stringify({ error: { code, status, description: 'No' } }))
    if (outcome.kind !== 'failed') throw new Error('it was not judged')
    expect(classifyFailure(outcome.failure)).toBe(kind)
  })
})
