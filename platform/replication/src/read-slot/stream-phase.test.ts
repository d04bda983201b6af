import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { STARTING, transition, type StreamEffect, type StreamEvent, type StreamPhase } from './stream-phase.ts'

const CAUSE = new Error('Postgres closed the connection')
const REFUSAL = new Error('replication slot "s" is active for PID 1')
const STARTED = { kind: 'started' } as const
const LOST = { kind: 'lost', cause: CAUSE } as const
const SERVER_ERROR = { kind: 'server error', error: REFUSAL } as const
const BYTES = { kind: 'bytes arrived' } as const
const INTERVAL = { kind: 'interval elapsed' } as const
const PAUSED = { kind: 'paused' } as const
const RESUMED = { kind: 'resumed' } as const
const CLOSED = { kind: 'closed' } as const

const STOP_TIMERS = { kind: 'stop timers' } as const

interface Run {
  readonly phase: StreamPhase
  /** One entry per event. */
  readonly effects: readonly (readonly StreamEffect[])[]
}

function run(...events: readonly StreamEvent[]): Run {
  let phase = STARTING
  const effects = events.map((event) => {
    const next = transition(phase, event)
    phase = next.phase
    return next.effects
  })
  return { phase, effects }
}

const repeat = (count: number): readonly StreamEvent[] => Array.from({ length: count }, () => INTERVAL)

describe('a stream that starts', () => {
  test('resolves its start once', () => {
    expect(run(STARTED, STARTED).effects).toEqual([[{ kind: 'resolve start' }], []])
  })

  test.each([
    ['the error of Postgres', [SERVER_ERROR, LOST], REFUSAL],
    ['the loss of the connection', [LOST, SERVER_ERROR], CAUSE],
  ] as const)('fails with %s, once', (_title, events, cause) => {
    expect(run(...events).effects).toEqual([[STOP_TIMERS, { kind: 'reject start', cause }], []])
  })

  test('sends no status, and is not given up, before Postgres answers', () => {
    expect(run(...repeat(50)).effects.flat()).toEqual([])
  })

  test('sends nothing when it is closed', () => {
    expect(run(CLOSED, STARTED, LOST).effects).toEqual([[STOP_TIMERS], [], []])
  })
})

describe('a stream that reads', () => {
  test('ends with what Postgres said last, rather than with the loss that follows', () => {
    expect(run(STARTED, SERVER_ERROR, LOST).effects.slice(1)).toEqual([
      [],
      [STOP_TIMERS, { kind: 'end with error', cause: REFUSAL }],
    ])
  })

  test('asks for an answer at each interval, and ends after twelve without a byte', () => {
    const { phase, effects } = run(STARTED, ...repeat(12), INTERVAL, INTERVAL)
    expect(effects.slice(1, 13)).toEqual(Array.from({ length: 12 }, () => [{ kind: 'send status', wantsReply: true }]))
    expect(effects.slice(13)).toMatchObject([[STOP_TIMERS, { kind: 'end with error' }], []])
    expect(phase).toEqual({ kind: 'closed' })
  })

  test('counts silence from the last byte', () => {
    expect(run(STARTED, ...repeat(12), BYTES, ...repeat(12)).phase.kind).toBe('reading')
  })

  test('counts no silence while the socket is paused, and goes on where it was', () => {
    expect(run(STARTED, PAUSED, ...repeat(50)).phase.kind).toBe('reading')
    expect(run(STARTED, ...repeat(6), PAUSED, ...repeat(50), RESUMED, ...repeat(6)).phase.kind).toBe('reading')
    expect(run(STARTED, ...repeat(6), PAUSED, ...repeat(50), RESUMED, ...repeat(7)).phase.kind).toBe('closed')
  })

  test('sends a last status when it is closed', () => {
    expect(run(STARTED, CLOSED).effects[1]).toEqual([{ kind: 'send status', wantsReply: false }, STOP_TIMERS])
  })

  test('keeps its phase when another chunk arrives, so that bytes allocate no phase', () => {
    const { phase } = run(STARTED)
    expect(transition(phase, BYTES).phase).toBe(phase)
  })
})

test('a closed stream does nothing more, and its timers were stopped once', () => {
  const events = fc.constantFrom<StreamEvent>(STARTED, LOST, SERVER_ERROR, BYTES, INTERVAL, PAUSED, RESUMED, CLOSED)
  fc.assert(
    fc.property(fc.array(events), fc.array(events), (before, after) => {
      const { phase, effects } = run(...before, CLOSED, ...after)
      expect(phase).toEqual({ kind: 'closed' })
      expect(effects.flat().filter(({ kind }) => kind === 'stop timers')).toHaveLength(1)
      expect(effects.slice(before.length + 1).flat()).toEqual([])
    }),
  )
})
