import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BLOCKED_MS } from '../../limits.ts'
import {
  initialState,
  isWaitingForMore,
  transition,
  type ServedPlanEffect,
  type ServedPlanEvent,
  type ServedPlanState,
} from './served-plan-state.ts'

const BEGIN_HOLD = { kind: 'begin hold', areNew: false, isLarge: false } as const
const PAUSED = { kind: 'paused' } as const
const RESUMED = { kind: 'resumed' } as const
const RECORDED = { kind: 'recorded' } as const
const COMPLETED = { kind: 'completed' } as const
const MEASURED = { kind: 'measured', areNew: false, isLarge: false } as const
const EXPIRED = { kind: 'hold expired' } as const
const CLOSED = { kind: 'closed' } as const

function settled(...definitions: readonly number[]): ServedPlanEvent {
  return { kind: 'settled', unfilled: new Map(definitions.map((number) => [number, null])) }
}

function filled(...definitions: readonly number[]): ServedPlanEvent {
  return { kind: 'filled', definitions }
}

function blocked(forMs: number, isLocked: boolean, ...definitions: readonly number[]): ServedPlanEvent {
  return { kind: 'blocked', definitions, forMs, isLocked }
}

interface Run {
  readonly state: ServedPlanState
  /** One entry per event. */
  readonly effects: readonly (readonly ServedPlanEffect[])[]
}

function run(holdsUntilFilled: boolean, ...events: readonly ServedPlanEvent[]): Run {
  let state = initialState(holdsUntilFilled)
  const effects = events.map((event) => {
    const next = transition(state, event)
    state = next.state
    return next.effects
  })
  return { state, effects }
}

describe('a plan that is complete', () => {
  test('is served at once', () => {
    expect(run(false, RESUMED).effects).toEqual([['serve']])
  })

  test('ends the first fill before it is served', () => {
    const { state, effects } = run(true, RESUMED)
    expect(effects).toEqual([['record first fill', 'serve']])
    expect(state.holdsUntilFilled).toBe(false)
  })
})

describe('a plan with unfilled definitions', () => {
  test('holds checkpoints until the timer expires, and then leaves the definitions behind', () => {
    const { state, effects } = run(false, settled(1, 2), RESUMED, MEASURED, EXPIRED)
    expect(effects).toEqual([[], ['measure tables'], [BEGIN_HOLD], ['log unfilled', 'serve']])
    expect(state.late).toEqual(new Set([1, 2]))
  })

  test('is served once all are filled, and the hold is no longer recorded', () => {
    const { effects } = run(false, settled(1), RESUMED, MEASURED, filled(1), RECORDED, COMPLETED)
    expect(effects.slice(3)).toEqual([[], [], ['serve', 'record no hold']])
  })

  test('holds checkpoints without a limit while tables are read for the first time', () => {
    const { state, effects } = run(true, settled(1), RESUMED, EXPIRED)
    expect(effects).toEqual([[], [], []])
    expect(state.publishing).toBe('held')
  })

  test('is not waited for when its tables were deferred', () => {
    expect(run(false, settled(1), { kind: 'deferred', definitions: [1] }, RESUMED).effects[2]).toEqual(['serve'])
  })

  test('records missed changes once', () => {
    const missed = { kind: 'changes missed' } as const
    expect(run(false, missed, missed).effects).toEqual([['record refill'], []])
  })
})

describe('a blocked table', () => {
  test.each([
    ['locked, briefly', false, blocked(0, true, 1), 'served'],
    ['locked, briefly, at the first fill', true, blocked(0, true, 1), 'held'],
    ['locked for long, at the first fill', true, blocked(BLOCKED_MS, true, 1), 'served'],
    ['written to, briefly', false, blocked(0, false, 1), 'held'],
    ['written to for long', false, blocked(BLOCKED_MS, false, 1), 'served'],
  ])('%s', (_title, isFirst, event, publishing) => {
    expect(run(isFirst, settled(1), RESUMED, event).state.publishing).toBe(publishing)
  })

  test('does not release checkpoints that wait for another table', () => {
    const { state, effects } = run(false, settled(1, 2), RESUMED, MEASURED, blocked(0, true, 1))
    expect(effects.at(-1)).toEqual([])
    expect(state.publishing).toBe('held with timeout')
  })

  test('wakes the reader for the filled tables that waited for it', () => {
    const { state, effects } = run(false, settled(1, 2), RESUMED, MEASURED, filled(2), blocked(0, true, 1))
    expect(isWaitingForMore(state)).toBe(false)
    expect(effects.at(-1)).toEqual(['wake reader'])
  })

  test('that is reported twice is left behind once', () => {
    const { effects } = run(false, settled(1), RESUMED, blocked(0, true, 1), blocked(0, true, 1))
    expect(effects.slice(2)).toEqual([['log unfilled', 'serve'], []])
  })
})

describe('events out of order', () => {
  test('tables that are measured after a pause begin no hold', () => {
    const { state, effects } = run(false, settled(1), RESUMED, PAUSED, MEASURED)
    expect(effects.at(-1)).toEqual([])
    expect(state.publishing).toBe('paused')
  })

  test('tables that are measured twice begin one hold', () => {
    expect(run(false, settled(1), RESUMED, MEASURED, MEASURED).effects.slice(2)).toEqual([[BEGIN_HOLD], []])
  })

  test.each([
    ['a timer that expires', EXPIRED],
    ['a blocked table', blocked(BLOCKED_MS, true, 1)],
    ['the last filled table', COMPLETED],
    ['room for more classes', { kind: 'activated' }],
  ] as const)('%s during a pause serves nothing', (_title, event) => {
    const { state, effects } = run(false, settled(1), RESUMED, MEASURED, PAUSED, event)
    expect(effects.at(-1)).toEqual([])
    expect(state.publishing).toBe('paused')
  })

  test('a definition that is filled twice is recorded once', () => {
    expect(run(false, settled(1, 2), filled(1), filled(1), RECORDED).state).toMatchObject({
      unfilled: new Map([[2, null]]),
      filled: [],
    })
  })

  const events = fc.oneof(
    fc.constantFrom<ServedPlanEvent>(PAUSED, RESUMED, MEASURED, EXPIRED, RECORDED, COMPLETED, {
      kind: 'activated',
    }),
    fc.constantFrom<ServedPlanEvent>({ kind: 'changes missed' }, settled(1, 2), settled(2, 3), settled()),
    fc.constantFrom<ServedPlanEvent>(filled(1), filled(2, 3), { kind: 'deferred', definitions: [1] }),
    fc.constantFrom<ServedPlanEvent>(blocked(0, true, 1), blocked(BLOCKED_MS, false, 2, 3)),
  )

  test('only a pause ends serving, and nothing is served between it and its end', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(events, { maxLength: 30 }), (holdsUntilFilled, history) => {
        let state = initialState(holdsUntilFilled)
        for (const event of history) {
          const before = state
          const { effects, state: after } = transition(before, event)
          state = after
          if (effects.includes('serve')) {
            expect(before.publishing === 'paused' && event.kind !== 'resumed').toBe(false)
            expect(after.publishing).toBe('served')
          }
          if (effects.includes('serve nothing')) expect(after.publishing).toBe('paused')
          const wasServed = before.publishing === 'served' && after.publishing !== 'served'
          if (wasServed) expect(['paused', 'resumed']).toContain(event.kind)
        }
      }),
    )
  })

  test('a closed plan stops its timers once, and nothing changes it', () => {
    fc.assert(
      fc.property(fc.array(events), fc.array(events), (before, after) => {
        const closed = run(false, ...before, CLOSED)
        expect(closed.effects.at(-1)).toEqual(['stop timers'])
        let { state } = closed
        for (const event of [...after, CLOSED]) {
          const next = transition(state, event)
          expect(next).toEqual({ state: closed.state, effects: [] })
          state = next.state
        }
      }),
    )
  })
})
