// @vitest-environment happy-dom
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, type JSX } from 'react'
import { describe, expect, test } from 'vitest'
import { renderedForEach } from '../../../lib/rendered.test-support.ts'
import type { ChartData, Group } from '../data/tile-data.ts'
import { ColumnsChart } from './columns-chart.tsx'
import { DataTable, figuresOf } from './data-table.tsx'
import { RowsChart } from './rows-chart.tsx'
import { exactScale, scaleOf, segmentsOf } from './scale.ts'

const LONG = 'Reseal the expansion joint of the northern settling tank before the frost'
const group = (label: string, kind: Group['kind'] = 'value'): Group => ({
  id: label,
  key: kind === 'value' ? label : null,
  kind,
  label,
  tick: label,
  colour: 'blue',
})
const ONE: Group = { ...group(''), id: '' }
const dataOf = (values: Readonly<Record<string, number | null>>, more: Partial<ChartData> = {}): ChartData => ({
  groups: Object.keys(values).map((label) => group(label)),
  parts: [ONE],
  cells: Object.values(values).map((value) => [{ value, records: 1 }]),
  isTime: false,
  hidden: 0,
  ...more,
})
const props = (data: ChartData) => ({
  data,
  format: (value: number | null) => (value === null ? '–' : String(value)),
  formatTick: String,
  linkOf: (one: Group, part?: Group) => ({
    kind: 'all' as const,
    nodes: [one, ...(part ? [part] : [])].map(({ label }) => ({
      kind: 'condition' as const,
      field: 'f',
      operator: 'is' as const,
      values: [label],
    })),
  }),
  workspace: 'w',
  table: 'jobs',
})

const rendered = renderedForEach()
async function show(element: JSX.Element): Promise<HTMLElement> {
  const root = createRootRoute()
  const here = createRoute({ getParentRoute: () => root, path: '/', component: () => element })
  const table = createRoute({ getParentRoute: () => root, path: '/w/$ws/t/$table' })
  const router = createRouter({
    routeTree: root.addChildren([here, table]),
    history: createMemoryHistory({ initialEntries: ['/'] }),
  })
  await act(async () => {
    await router.load()
    rendered.root.render(<RouterProvider router={router as never} />)
  })
  return rendered.place
}
const marks = (place: HTMLElement): readonly HTMLElement[] => [...place.querySelectorAll<HTMLElement>('[data-mark]')]
const barOf = (mark: HTMLElement): CSSStyleDeclaration | undefined =>
  mark.querySelector<HTMLElement>('span[style*="width"]')?.style

describe('bars of categories', () => {
  test('lead to their records, and say their names and values', async () => {
    const place = await show(<RowsChart {...props(dataOf({ Open: 3, [LONG]: 0 }))} />)
    expect(marks(place).map((mark) => [mark.getAttribute('aria-label'), mark.getAttribute('href')])).toEqual([
      ['Open: 3', '/w/w/t/jobs?f=all%28f.is.Open%29'],
      [`${LONG}: 0`, expect.stringContaining('/w/w/t/jobs?f=') as string],
    ])
    // A long name is cut off on the screen, and is there in full.
    expect(place.querySelector(`[title="${LONG}"]`)?.textContent).toBe(LONG)
  })

  test('of negative values lie on the other side of zero', async () => {
    const place = await show(<RowsChart {...props(dataOf({ Gain: 30, Loss: -10, None: null }))} />)
    const [gain, loss] = marks(place).map(barOf)
    expect([gain?.left, gain?.width]).toEqual(['25%', '75%'])
    expect([loss?.left, loss?.width]).toEqual(['0%', '25%'])
  })

  test('stay comparable beside a large rest, which has no bar', async () => {
    const data = {
      ...dataOf({ A: 4, B: 2, Other: 900 }),
      groups: [group('A'), group('B'), group('Other', 'rest')],
      hidden: 7,
    }
    const place = await show(<RowsChart {...props(data)} />)
    const [a, b, rest] = marks(place)
    expect([a && barOf(a)?.width, b && barOf(b)?.width]).toEqual(['100%', '50%'])
    expect([rest?.getAttribute('aria-label'), rest?.textContent]).toEqual(['Other: 900', '7 more groups'])
  })

  test('arrow keys move between marks, of which one is a tab stop', async () => {
    const place = await show(<RowsChart {...props(dataOf({ A: 1, B: 2, C: 3 }))} />)
    const [first, second, third] = marks(place)
    expect(marks(place).map((mark) => mark.tabIndex)).toEqual([0, -1, -1])
    first?.focus()
    const press = (key: string): void =>
      act(() => void document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))
    press('ArrowDown')
    expect(document.activeElement).toBe(second)
    press('End')
    expect(document.activeElement).toBe(third)
  })
})

test('stacked bars have a mark for each part with a value', async () => {
  const data: ChartData = {
    ...dataOf({ North: 1, South: 2 }),
    parts: [group('high'), group('low')],
    cells: [
      [
        { value: 3, records: 3 },
        { value: 1, records: 1 },
      ],
      [
        { value: 0, records: 0 },
        { value: 2, records: 2 },
      ],
    ],
  }
  const place = await show(<RowsChart {...props(data)} />)
  expect(marks(place).map((mark) => mark.getAttribute('aria-label'))).toEqual([
    'North, high: 3',
    'North, low: 1',
    'South, low: 2',
  ])
  expect([...place.querySelectorAll('li')].map(({ textContent }) => textContent)).toEqual(['high', 'low'])
})

test('a line breaks where there is no value', async () => {
  const place = await show(<ColumnsChart {...props(dataOf({ Jan: 1, Feb: null, Mar: 4 }, { isTime: true }))} isLine />)
  expect(place.querySelector('path')?.getAttribute('d')?.match(/M/g)).toHaveLength(2)
  expect(marks(place).map((mark) => mark.getAttribute('aria-label'))).toEqual(['Jan: 1', 'Feb: –', 'Mar: 4'])
})

test('the table behind a chart has all figures', async () => {
  const figures = figuresOf(dataOf({ Open: 3, Done: null }), 'State', 'Jobs', (value) => String(value ?? '–'))
  const place = await show(<DataTable caption="Jobs by State" rows={figures} isHidden={false} />)
  expect(place.querySelector('caption')?.textContent).toBe('Jobs by State')
  expect(
    [...place.querySelectorAll('tr')].map((row) => [...row.children].map(({ textContent }) => textContent)),
  ).toEqual([
    ['State', 'Jobs'],
    ['Open', '3'],
    ['Done', '–'],
  ])
})

describe('scales', () => {
  test.each([
    [[], { from: 0, to: 1, ticks: [0] }],
    [[0, null], { from: 0, to: 1, ticks: [0] }],
    [[3], { from: 0, to: 3, ticks: [0, 1, 2, 3] }],
    [[70], { from: 0, to: 80, ticks: [0, 20, 40, 60, 80] }],
    [[-4, 11], { from: -5, to: 15, ticks: [-5, 0, 5, 10, 15] }],
    [[0.3], { from: 0, to: 0.3, ticks: [0, 0.1, 0.2, 0.3] }],
  ] as const)('of %j have round ends and include zero', (values, scale) => {
    expect(scaleOf(values)).toEqual(scale)
  })

  test('stack positive parts and negative ones on their own sides of zero', () => {
    expect(segmentsOf(exactScale([-10, 30]), [20, -10, 10, null])).toEqual([
      { start: 25, length: 50 },
      { start: 0, length: 25 },
      { start: 75, length: 25 },
      { start: 100, length: 0 },
    ])
  })
})
