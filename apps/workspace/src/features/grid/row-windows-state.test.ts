import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isCurrent,
  transition,
  UNREAD,
  type RowWindowsEffect,
  type RowWindowsEvent,
  type RowWindowsState,
} from './row-windows-state.ts'

const VIEW_CHANGED = { kind: 'view changed' } as const
const TABLES_CHANGED = { kind: 'tables changed' } as const
const TOGGLED = { kind: 'groups toggled' } as const
const SCROLLED = { kind: 'scrolled' } as const
const REFRESH_ENDED = { kind: 'refresh ended' } as const
const FILL_ENDED = { kind: 'fill ended' } as const
const ROWS_CHANGED = { kind: 'rows changed' } as const
const CLOSED = { kind: 'closed' } as const
const GROUPS_READ = { kind: 'groups read', records: 9, places: 12, levels: 1 } as const
const rowsRead = (count: number, hasChanged = true): RowWindowsEvent => ({ kind: 'rows read', count, hasChanged })
const firstRowsRead = (rows: number, isAll: boolean): RowWindowsEvent => ({ kind: 'first rows read', rows, isAll })

function run(...events: readonly RowWindowsEvent[]): {
  readonly state: RowWindowsState
  readonly effects: readonly (readonly RowWindowsEffect[])[]
} {
  let state = UNREAD
  const effects = events.map((event) => {
    const next = transition(state, event)
    state = next.state
    return next.effects
  })
  return { state, effects }
}

describe('a refresh', () => {
  test('begins once, and one that is under way learns that it is out of date', () => {
    const { state, effects } = run(VIEW_CHANGED, TABLES_CHANGED, TOGGLED)
    expect(effects).toEqual([['watch tables', 'start refresh'], [], []])
    expect([1, 2, 3].map((generation) => isCurrent(state, generation))).toEqual([false, false, true])
  })

  test('is followed by a fill', () => {
    const { state, effects } = run(VIEW_CHANGED, rowsRead(300), REFRESH_ENDED)
    expect(effects.at(-1)).toEqual(['start fill'])
    expect(state).toMatchObject({ isRefreshing: false, isFilling: true })
  })

  test('holds back a fill, which no second one joins', () => {
    const { effects } = run(VIEW_CHANGED, SCROLLED, REFRESH_ENDED, SCROLLED, FILL_ENDED, SCROLLED)
    expect(effects.slice(1)).toEqual([[], ['start fill'], [], [], ['start fill']])
  })

  test('begins while a fill is under way, and no second fill after it', () => {
    const { effects } = run(VIEW_CHANGED, REFRESH_ENDED, TABLES_CHANGED, REFRESH_ENDED)
    expect(effects.slice(2)).toEqual([['start refresh'], []])
  })
})

describe('what is shown', () => {
  test('is not new when a refresh has found nothing new', () => {
    const { state } = run(VIEW_CHANGED, rowsRead(3))
    expect(transition(state, rowsRead(3, false)).state.view).toBe(state.view)
    expect(transition(state, rowsRead(4, false)).state.view).toMatchObject({ count: 4, rows: 4 })
  })

  test('is an error until rows have been read, even if they are the same', () => {
    const { state } = run(VIEW_CHANGED, rowsRead(3), { kind: 'failed', error: new Error('no such column') })
    expect(state.view.error).toEqual(new Error('no such column'))
    expect(transition(state, rowsRead(3, false)).state.view.error).toBeUndefined()
  })

  test('has the length of the last view until the next one is counted', () => {
    const { state } = run(VIEW_CHANGED, rowsRead(1_000), VIEW_CHANGED, firstRowsRead(100, false))
    expect(state.view).toMatchObject({ count: undefined, rows: 1_000 })
  })

  test('has no length after a view without rows', () => {
    expect(run(VIEW_CHANGED, rowsRead(0), VIEW_CHANGED).state.view).toMatchObject({ count: undefined, rows: undefined })
  })

  test('is counted with the first rows when these are all', () => {
    expect(run(VIEW_CHANGED, firstRowsRead(7, true)).state).toMatchObject({
      content: 'read',
      view: { count: 7, rows: 7 },
    })
  })
})

describe('groups', () => {
  test('are laid out again without reading them when only toggled', () => {
    expect(run(VIEW_CHANGED, GROUPS_READ, TOGGLED).state.content).toBe('toggled')
  })

  test.each([
    ['after their tables have changed', [VIEW_CHANGED, GROUPS_READ, TABLES_CHANGED, TOGGLED], 'outdated'],
    ['before their tables change', [VIEW_CHANGED, GROUPS_READ, TOGGLED, TABLES_CHANGED], 'outdated'],
    ['before the new view has been read', [VIEW_CHANGED, GROUPS_READ, VIEW_CHANGED, TOGGLED], 'unread'],
    ['in a view without groups', [VIEW_CHANGED, rowsRead(3), TOGGLED], 'read'],
  ] as const)('are read again when toggled %s', (_title, events, content) => {
    expect(run(...events).state.content).toBe(content)
  })
})

describe('events in any order', () => {
  const events = fc.oneof(
    fc.constantFrom<RowWindowsEvent>(VIEW_CHANGED, TABLES_CHANGED, TOGGLED, SCROLLED, ROWS_CHANGED, GROUPS_READ),
    fc.constantFrom<RowWindowsEvent>(rowsRead(3), rowsRead(3, false), rowsRead(0), firstRowsRead(100, false)),
    fc.constantFrom<RowWindowsEvent>(REFRESH_ENDED, FILL_ENDED, { kind: 'failed', error: new Error('broken') }),
  )

  test('show a version for each change, and never an older one', () => {
    fc.assert(
      fc.property(fc.array(events), (history) => {
        let state = UNREAD
        for (const event of history) {
          const next = transition(state, event).state
          const isSame = next.view === state.view
          expect(next.view.version - state.view.version).toBe(isSame ? 0 : 1)
          state = next
        }
      }),
    )
  })

  test('start nothing once the view is closed, and nothing read before is current', () => {
    fc.assert(
      fc.property(fc.array(events), fc.array(events), (before, after) => {
        const { state: open } = run(...before)
        const closed = transition(open, CLOSED)
        expect(closed.effects).toEqual(['release everything'])
        expect(isCurrent(closed.state, open.generation)).toBe(false)
        for (const event of [...after, CLOSED])
          expect(transition(closed.state, event)).toEqual({ state: closed.state, effects: [] })
      }),
    )
  })
})
