import { describe, expect, test } from 'vitest'
import { ASKING, nextLeaving, type LeavingEvent, type LeavingState } from './leaving-state.ts'

const after = (...events: readonly LeavingEvent[]): LeavingState => events.reduce(nextLeaving, ASKING)

const SEND_FIRST = { kind: 'send_first' } as const
const TIMED_OUT = { kind: 'timed_out' } as const
const LEAVE = { kind: 'leave' } as const
const emptied = (attention: number): LeavingEvent => ({ kind: 'emptied', attention })
const failed = (cause: unknown): LeavingEvent => ({ kind: 'failed', cause })

describe('sending first', () => {
  test('leads out once the outbox is empty', () => {
    expect(after(SEND_FIRST).step).toBe('sending')
    expect(after(SEND_FIRST, emptied(0)).step).toBe('leaving')
  })

  test('asks again when the server has refused a change meanwhile', () => {
    expect(after(SEND_FIRST, emptied(1)).step).toBe('asking')
  })

  test('says that it took too long, and can be tried again', () => {
    expect(after(SEND_FIRST, TIMED_OUT).step).toBe('not-sent')
    expect(after(SEND_FIRST, TIMED_OUT, SEND_FIRST, emptied(0)).step).toBe('leaving')
  })
})

describe('an outbox that empties', () => {
  test.each([
    ['before the person has decided', []],
    ['after sending was given up', [SEND_FIRST, TIMED_OUT]],
  ])('signs no one out %s', (_, events) => {
    expect(after(...events, emptied(0))).toEqual(after(...events))
  })
})

test('the end of the time for sending stops no sign-out that has begun', () => {
  expect(after(SEND_FIRST, emptied(0), TIMED_OUT).step).toBe('leaving')
})

test('a sign-out that has begun is not replaced by sending', () => {
  expect(after(LEAVE, SEND_FIRST).step).toBe('leaving')
})

describe('a sign-out that fails', () => {
  test('asks again and says why', () => {
    const error = new Error('The database is locked.')
    expect(after(LEAVE, failed(error))).toEqual({ step: 'asking', error })
    expect(after(LEAVE, failed('no network')).error).toEqual(new Error('no network'))
  })

  test.each([LEAVE, SEND_FIRST])('leaves no reason behind when it is tried again: %j', (again) => {
    expect(after(LEAVE, failed(new Error('no')), again).error).toBeUndefined()
  })
})
