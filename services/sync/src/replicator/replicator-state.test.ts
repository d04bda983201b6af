import { describe, expect, test } from 'vitest'
import { STARTING, transition, type ReplicatorEvent, type ReplicatorState } from './replicator-state.ts'

const STARTED = { kind: 'started' } as const
const FOLLOWING = { kind: 'following' } as const
const FAILED = { kind: 'failed', reason: 'the connection was lost' } as const
const REFUSED = { kind: 'refused', reason: 'wal_level is replica' } as const
const ENDED = { kind: 'ended' } as const
const STOPPED = { kind: 'stopped' } as const
const served = (nowMs: number): ReplicatorEvent => ({ kind: 'served', nowMs })

function run(...events: readonly ReplicatorEvent[]): ReplicatorState {
  return events.reduce(transition, STARTING)
}

test('an attempt that failed is a problem until another one serves', () => {
  const repaired = run(FOLLOWING, served(1), FAILED, ENDED, STARTED, FOLLOWING)
  expect(repaired).toMatchObject({ phase: 'following', failure: FAILED.reason, servedSinceMs: undefined })
  expect(transition(repaired, served(2))).toMatchObject({ failure: undefined, servedSinceMs: 2 })
})

test('a replicator serves since the first plan of its attempt', () => {
  expect(run(FOLLOWING, served(1), served(2)).servedSinceMs).toBe(1)
})

test('a failed attempt has served until it is over, so that its repair knows for how long', () => {
  expect(run(FOLLOWING, served(1), FAILED).servedSinceMs).toBe(1)
  expect(run(FOLLOWING, served(1), FAILED, ENDED).servedSinceMs).toBeUndefined()
})

test('a standby has no failure, and a replicator that is refused says why', () => {
  expect(run(FAILED, ENDED, { kind: 'stood by' })).toMatchObject({ phase: 'standing by', failure: undefined })
  expect(run(REFUSED)).toMatchObject({ phase: 'refused', failure: REFUSED.reason })
})

test('missed changes stay missed when the attempt ends, until they have been read', () => {
  const missing = run(FOLLOWING, { kind: 'changes missed' }, FAILED, ENDED, STARTED)
  expect(missing.isMissing).toBe(true)
  expect(transition(missing, { kind: 'missed changes read' }).isMissing).toBe(false)
})

describe('late events', () => {
  test.each([
    ['after a failure', [FOLLOWING, FAILED, ENDED]],
    ['after a refusal', [FOLLOWING, REFUSED, ENDED]],
    ['on a standby', [{ kind: 'stood by' }]],
    ['before the stream is followed', [STARTED]],
  ] as const)('a plan that is served %s changes nothing', (_title, events) => {
    const state = run(...events)
    expect(transition(state, served(9))).toBe(state)
  })

  test.each<ReplicatorEvent>([STARTED, FOLLOWING, served(9), FAILED, REFUSED, ENDED, STOPPED, { kind: 'stood by' }])(
    '$kind changes nothing once stopped',
    (event) => {
      const state = run(FOLLOWING, served(1), STOPPED)
      expect(transition(state, event)).toBe(state)
    },
  )
})
