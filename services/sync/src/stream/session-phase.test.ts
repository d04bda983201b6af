import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  nextStep,
  RESTING,
  transition,
  type Phase,
  type PhaseEffect,
  type PhaseEvent,
  type Situation,
} from './session-phase.ts'

function run(...events: PhaseEvent[]): { readonly phase: Phase; readonly effects: readonly PhaseEffect[] } {
  let phase = RESTING
  const effects = events.map((event) => {
    const next = transition(phase, event)
    phase = next.phase
    return next.effect
  })
  return { phase, effects }
}

describe('the phase of a session', () => {
  test('the first wake starts work, and those before the pass begins start nothing more', () => {
    expect(run('woken', 'woken', 'woken').effects).toEqual(['start work', 'none', 'none'])
  })

  test('a session that nothing has woken since its pass began rests', () => {
    const { phase, effects } = run('woken', 'woken', 'pass began', 'nothing due')
    expect(phase).toEqual({ kind: 'resting' })
    expect(effects.at(-1)).toBe('none')
  })

  test('a session that was woken during its pass begins another one', () => {
    const { phase, effects } = run('woken', 'pass began', 'woken', 'nothing due')
    expect(phase.kind).toBe('working')
    expect(effects.at(-1)).toBe('begin another pass')
  })

  test('a session that failed releases what it has, once, and stays ended', () => {
    expect(run('woken', 'pass began', 'failed', 'woken', 'failed')).toEqual({
      phase: { kind: 'ended' },
      effects: ['start work', 'none', 'release everything', 'none', 'none'],
    })
  })

  test('no wake is lost: after each, a pass begins before the session rests', () => {
    // As the session runs: work is scheduled by an effect, and each pass ends with nothing due.
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 30 }), (wakes) => {
        let phase = RESTING
        let passes = 0
        let unseen = false
        let isScheduled = false
        const move = (event: PhaseEvent): PhaseEffect => {
          const next = transition(phase, event)
          phase = next.phase
          return next.effect
        }
        for (const isWake of [...wakes, false, false, false, false]) {
          if (isWake) {
            unseen = true
            if (move('woken') === 'start work') {
              expect(isScheduled).toBe(false)
              isScheduled = true
            }
          } else if (isScheduled) {
            isScheduled = false
            passes++
            unseen = false
            move('pass began')
          } else if (phase.kind === 'working') {
            if (move('nothing due') === 'begin another pass') isScheduled = true
          }
        }
        expect(phase).toEqual({ kind: 'resting' })
        expect(unseen).toBe(false)
        expect(passes > 0).toBe(wakes.includes(true))
      }),
    )
  })
})

describe('the next step', () => {
  const ready: Situation = {
    hasReadWriteCheckpoint: true,
    hasPlan: true,
    hasKeys: true,
    hasNewClasses: false,
    isOfEpoch: true,
    isBatchAnnounced: false,
  }

  test.each<[Partial<Situation>, ReturnType<typeof nextStep>]>([
    [{}, 'send checkpoint'],
    [{ isBatchAnnounced: true }, 'wait for the batch'],
    [{ isOfEpoch: false, isBatchAnnounced: true }, 'refill buckets'],
    [{ hasNewClasses: true, isOfEpoch: false }, 'refresh classes'],
    [{ hasKeys: false, hasNewClasses: true }, 'refresh keys'],
    [{ hasPlan: false, hasKeys: false }, 'wait for a plan'],
    [{ hasReadWriteCheckpoint: false, hasPlan: false, hasKeys: false }, 'read write checkpoint'],
  ])('with %j is to %s', (situation, step) => {
    expect(nextStep({ ...ready, ...situation })).toBe(step)
  })

  test('a checkpoint leaves in no situation but the one in which everything holds', () => {
    const situations = fc.record({
      hasReadWriteCheckpoint: fc.boolean(),
      hasPlan: fc.boolean(),
      hasKeys: fc.boolean(),
      hasNewClasses: fc.boolean(),
      isOfEpoch: fc.boolean(),
      isBatchAnnounced: fc.boolean(),
    })
    fc.assert(
      fc.property(situations, (situation) => {
        const holds = Object.entries(ready).every(([name, value]) => situation[name as keyof Situation] === value)
        expect(nextStep(situation) === 'send checkpoint').toBe(holds)
      }),
    )
  })
})
