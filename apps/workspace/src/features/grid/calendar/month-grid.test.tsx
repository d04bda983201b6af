// @vitest-environment happy-dom
import { act } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { renderedForEach } from '../../../lib/rendered.test-support.ts'
import { TEST_FIELDS, testField } from '../../../lib/fields/test-fields.test-support.ts'
import { daysOf } from './calendar-days.ts'
import type { Entry } from './calendar-sql.ts'
import { focusEntry } from './entry-focus.ts'
import { DayList } from './day-list.tsx'
import { MonthGrid } from './month-grid.tsx'
import type { Calendar, Taken } from './use-calendar.ts'

const DAYS = daysOf('month', '2026-11-20', 1)
const taken: Taken[] = []
const opened: string[] = []
const more: string[] = []
const rendered = renderedForEach()

beforeEach(() => {
  for (const list of [taken, opened, more]) list.length = 0
})

function entry(id: string, day: string, total: number): Entry {
  return { id, title: `Task ${id}`, state: 'doing', due_on: day, '#day': day, '#total': total }
}

function calendarOf(): Calendar {
  return {
    handlers: {},
    canMove: true,
    active: undefined,
    isDragging: false,
    over: undefined,
    moving: undefined,
    openRecord: undefined,
    activate: (one) => taken.push(one),
    open: (id) => opened.push(id),
    askDay: () => undefined,
    move: () => undefined,
    isRefused: () => false,
  }
}

function show(entries: readonly Entry[], isCompact = false): void {
  act(() =>
    rendered.root.render(
      <MonthGrid
        {...{ calendar: calendarOf(), isCompact }}
        days={DAYS}
        byDay={Map.groupBy(entries, (one) => one['#day'])}
        today="2026-11-20"
        month="2026-11"
        shownMax={3}
        label="November 2026"
        fields={TEST_FIELDS}
        dates={{ start: testField('due_on'), end: undefined }}
        marks={new Map()}
        onMore={(day) => more.push(day)}
      />,
    ),
  )
}

const cell = (day: string): HTMLElement | null => rendered.place.querySelector(`[data-cell="${day}"]`)
const buttons = (element: ParentNode | null): readonly HTMLButtonElement[] => [
  ...(element?.querySelectorAll('button') ?? []),
]

test('a month is a table of weeks in which today is marked', () => {
  show([])
  expect(rendered.place.querySelectorAll('tbody tr')).toHaveLength(6)
  expect(rendered.place.querySelector('[aria-current="date"]')?.getAttribute('data-cell')).toBe('2026-11-20')
  expect(rendered.place.querySelector('caption')?.textContent).toBe('November 2026')
})

test('what fits is shown whole; where a day has more, one line opens all of them', () => {
  const [five, three] = ['2026-11-03', '2026-11-04']
  show([...['1', '2', '3'].map((id) => entry(id, five, 5)), ...['6', '7', '8'].map((id) => entry(id, three, 3))])
  expect(buttons(cell(five)).map(({ textContent }) => textContent)).toEqual([
    'Task 1, Doing',
    'Task 2, Doing',
    '+3 more',
  ])
  expect(buttons(cell(three))).toHaveLength(3)
  act(() => buttons(cell(five))[2]?.click())
  expect(more).toEqual([five])
  act(() => buttons(cell(three))[0]?.click())
  expect(opened).toEqual(['6'])
})

test('where words have no room a day says how many it has', () => {
  show(
    ['1', '2', '3'].map((id) => entry(id, '2026-11-03', 5)),
    true,
  )
  expect(buttons(cell('2026-11-03')).map(({ textContent }) => textContent)).toEqual(['5'])
})

test('one record is reached by Tab, the others by arrow keys', () => {
  show([
    entry('1', '2026-11-03', 2),
    entry('2', '2026-11-03', 2),
    entry('3', '2026-11-12', 1),
    entry('4', '2026-11-24', 1),
  ])
  const entries = buttons(rendered.place)
  expect(entries.map(({ tabIndex }) => tabIndex)).toEqual([0, -1, -1, -1])
  const go = (days: -1 | 0 | 1, step: -1 | 0 | 1): string | undefined => {
    act(() => focusEntry(rendered.place, { days, entries: step }))
    return document.activeElement?.textContent ?? undefined
  }
  act(() => entries[0]?.focus())
  expect(go(0, 1)).toBe('Task 2, Doing')
  expect(go(1, 0)).toBe('Task 3, Doing')
  expect(go(1, 0)).toBe('Task 4, Doing')
  expect(go(1, 0)).toBe('Task 4, Doing')
  expect(go(-1, 0)).toBe('Task 3, Doing')
  expect(taken.map(({ row }) => row.id)).toEqual(['1', '2', '3', '4', '3'])
})

test.each([
  ['today', ['2026-11-02', '2026-11-20', '2026-11-25'], '2026-11-20', ['2026-11-20']],
  ['the next day with records', ['2026-11-02', '2026-11-25'], '2026-11-20', ['2026-11-25']],
  ['its beginning if all are past', ['2026-11-02'], '2026-11-20', []],
  ['its beginning if it is another month', ['2026-11-02', '2026-11-25'], '2026-12-24', []],
])('a list begins at %s', (_, filled, today, scrolled) => {
  const to: (string | undefined)[] = []
  const scroll = vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function scrollTo(this: Element) {
    to.push((this as HTMLElement).dataset['cell'])
  })
  const list = (entries: readonly Entry[]): void =>
    act(() =>
      rendered.root.render(
        <DayList
          calendar={calendarOf()}
          days={daysOf('list', '2026-11-20', 1)}
          byDay={Map.groupBy(entries, (one) => one['#day'])}
          today={today}
          period="November 2026"
          fields={TEST_FIELDS}
          dates={{ start: testField('due_on'), end: undefined }}
          marks={new Map()}
          onMore={() => undefined}
        />,
      ),
    )
  list([])
  list(filled.map((day) => entry(day, day, 1)))
  list([...filled, '2026-11-21'].map((day) => entry(day, day, 1)))
  scroll.mockRestore()
  // Not again when records change.
  expect(to).toEqual(scrolled)
})
