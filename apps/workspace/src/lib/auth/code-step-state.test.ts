import { describe, expect, test } from 'vitest'
import type { AuthFailure } from './classify-auth-error.ts'
import { type CodeStepEvent, type CodeStepState, NEW_CODE_STEP, nextCodeStep } from './code-step-state.ts'

const badCode: AuthFailure = { kind: 'code', code: 'HF-AUTH-OTP', message: 'no' }
const unreachable: AuthFailure = { kind: 'form', code: 'HF-NET-UNREACHABLE', message: 'no' }
const tooMany: AuthFailure = { kind: 'rate', code: 'HF-AUTH-RATE', waitS: 60 }
const play = (...events: readonly CodeStepEvent[]): CodeStepState => events.reduce(nextCodeStep, NEW_CODE_STEP)
const entered: readonly CodeStepEvent[] = [
  { kind: 'typed', code: '123456' },
  { kind: 'entered', isComplete: true },
  { kind: 'verifying' },
]

describe('the form for a code', () => {
  test('keeps the code while it is verified, and asks for it again when it was wrong', () => {
    expect(play(...entered)).toMatchObject({ phase: 'verifying', code: '123456' })
    expect(play(...entered, { kind: 'failed', failure: badCode, atMs: 0 })).toMatchObject({
      phase: 'editing',
      code: '',
      failure: badCode,
    })
  })

  test('keeps a code that the server has not judged, so that it can be sent again', () => {
    for (const failure of [unreachable, tooMany]) {
      expect(play(...entered, { kind: 'failed', failure, atMs: 0 })).toMatchObject({ phase: 'editing', code: '123456' })
    }
  })

  test('says that digits are missing until the next one is typed', () => {
    const short = play({ kind: 'typed', code: '12' }, { kind: 'entered', isComplete: false })
    expect(short.isIncomplete).toBe(true)
    expect(nextCodeStep(short, { kind: 'typed', code: '123' }).isIncomplete).toBe(false)
  })

  test('forgets with the next digit that the last code was wrong, but not that the server is out of reach', () => {
    const afterTyping = (failure: AuthFailure): AuthFailure | undefined =>
      play(...entered, { kind: 'failed', failure, atMs: 0 }, { kind: 'typed', code: '1' }).failure
    expect(afterTyping(badCode)).toBeUndefined()
    expect(afterTyping(unreachable)).toBe(unreachable)
  })

  test('waits with codes after too many of them, and with sending after too many messages', () => {
    expect(play(...entered, { kind: 'failed', failure: tooMany, atMs: 1_000 })).toMatchObject({
      retryAtMs: 61_000,
      resendAtMs: undefined,
    })
    expect(
      play({ kind: 'typed', code: '12' }, { kind: 'resending' }, { kind: 'failed', failure: tooMany, atMs: 1_000 }),
    ).toMatchObject({
      code: '12',
      retryAtMs: undefined,
      resendAtMs: 61_000,
    })
  })

  test('says that a code was sent until something else is done', () => {
    const resent = play({ kind: 'resending' }, { kind: 'resent' })
    expect(resent).toMatchObject({ isResent: true, phase: 'editing' })
    expect(nextCodeStep(resent, { kind: 'verifying' }).isResent).toBe(false)
    expect(nextCodeStep(resent, { kind: 'typed', code: '1' }).isResent).toBe(true)
  })
})
