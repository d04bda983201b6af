import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { STARTED, transition, type WorkerEffect, type WorkerEvent, type WorkerState } from './worker-state.ts'

const SERVES = { kind: 'serves' } as const
const BOOT_FAILED = { kind: 'boot failed', message: 'it threw', isThrown: true } as const
const UNLOAD = { kind: 'unload requested', reason: 'early_drop' } as const
const KILL_FOR_MEMORY = { kind: 'kill requested', reason: 'memory' } as const
const KILL_FOR_CPU = { kind: 'kill requested', reason: 'cpu' } as const
const EXITED = { kind: 'exited', reason: 'crash' } as const

const ANNOUNCE_END = { kind: 'announce end', reason: 'early_drop' } as const
const REJECT_BOOT = { kind: 'reject boot', message: 'it threw', isThrown: true } as const

interface Run {
  readonly state: WorkerState
  /** One entry per event. */
  readonly effects: readonly (readonly WorkerEffect[])[]
}

function run(...events: readonly WorkerEvent[]): Run {
  let state = STARTED
  const effects = events.map((event) => {
    const next = transition(state, event)
    state = next.state
    return next.effects
  })
  return { state, effects }
}

describe('the boot of a process', () => {
  test.each<[string, readonly WorkerEvent[], WorkerState['boot'], readonly WorkerEffect[]]>([
    ['serves once', [SERVES, SERVES], 'serving', [{ kind: 'resolve boot' }]],
    ['fails once', [BOOT_FAILED, BOOT_FAILED], 'failed', [REJECT_BOOT]],
    ['that has failed does not serve later', [BOOT_FAILED, SERVES], 'failed', [REJECT_BOOT]],
    ['that is too late after it serves has not failed', [SERVES, BOOT_FAILED], 'serving', [{ kind: 'resolve boot' }]],
  ])('%s', (_title, events, boot, effects) => {
    const { state, effects: performed } = run(...events)
    expect(state.boot).toBe(boot)
    expect(performed.flat()).toEqual(effects)
  })

  test('fails when the process exits before it serves', () => {
    expect(run(KILL_FOR_MEMORY, EXITED).effects[1]).toEqual([
      { kind: 'release everything', reason: 'memory' },
      { kind: 'reject boot', message: 'its process ended (memory)', isThrown: true },
    ])
  })
})

describe('the end of a process', () => {
  test('nobody asked for has the reason of its exit', () => {
    expect(run(SERVES, EXITED).effects[1]).toEqual([{ kind: 'release everything', reason: 'crash' }])
  })

  test('has the reason of the first kill', () => {
    const { state, effects } = run(SERVES, KILL_FOR_MEMORY, KILL_FOR_CPU, EXITED)
    expect(effects.slice(1, 3)).toEqual([[{ kind: 'kill' }], []])
    expect(state.end).toEqual({ kind: 'ended', reason: 'memory' })
  })

  test('is announced once, and then it is killed', () => {
    const { state, effects } = run(SERVES, UNLOAD, UNLOAD, { kind: 'kill requested', reason: 'early_drop' }, UNLOAD)
    expect(effects.slice(1)).toEqual([[ANNOUNCE_END], [], [{ kind: 'kill' }], []])
    expect(state.end).toEqual({ kind: 'killed', reason: 'early_drop' })
  })

  test('that a limit brings about during the unload has the reason of the limit', () => {
    expect(run(SERVES, UNLOAD, KILL_FOR_CPU, EXITED).state.end).toEqual({ kind: 'ended', reason: 'cpu' })
  })

  test('by itself during the unload has the reason of its exit', () => {
    expect(run(SERVES, UNLOAD, EXITED).state.end).toEqual({ kind: 'ended', reason: 'crash' })
  })

  test('can come before the process serves', () => {
    const { state, effects } = run(UNLOAD, SERVES, EXITED)
    expect(effects[1]).toEqual([{ kind: 'resolve boot' }])
    expect(state).toMatchObject({ boot: 'serving', end: { kind: 'ended' } })
  })

  const events = fc.constantFrom<WorkerEvent>(
    SERVES,
    BOOT_FAILED,
    UNLOAD,
    KILL_FOR_MEMORY,
    KILL_FOR_CPU,
    EXITED,
    { kind: 'busy' },
    { kind: 'idle' },
  )

  test('releases everything once and settles the boot once, whatever comes before and after it', () => {
    fc.assert(
      fc.property(fc.array(events), fc.array(events), (before, after) => {
        const { state, effects } = run(...before, EXITED, ...after)
        const kinds = effects.flat().map(({ kind }) => kind)
        expect(kinds.filter((kind) => kind === 'release everything')).toHaveLength(1)
        expect(kinds.filter((kind) => kind.endsWith('boot'))).toHaveLength(1)
        expect(kinds.filter((kind) => kind === 'kill').length).toBeLessThanOrEqual(1)
        expect(state).toEqual(run(...before, EXITED).state)
      }),
    )
  })
})

test('a process is busy until it says that it is idle', () => {
  expect(run({ kind: 'busy' }).state.isBusy).toBe(true)
  expect(run({ kind: 'busy' }, { kind: 'idle' }).state.isBusy).toBe(false)
})
