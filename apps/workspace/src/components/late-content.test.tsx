// @vitest-environment happy-dom
import { act } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderedForEach } from '../lib/rendered.test-support.ts'
import { lateContent, lateDetail, lateLayer, lazyAfterPaint } from './late-content.tsx'

const rendered = renderedForEach()
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A component whose first load fails, as in a dead zone. */
function failingOnce(): { readonly Part: (props: object) => React.JSX.Element | null; readonly loads: () => number } {
  let loads = 0
  const Part = lazyAfterPaint<object>(async () => {
    loads += 1
    if (loads === 1) throw new TypeError('Failed to fetch dynamically imported module')
    return () => <p>Export</p>
  })
  return { Part, loads: () => loads }
}

const pass = (ms: number): Promise<void> => act(() => vi.advanceTimersByTimeAsync(ms).then(() => undefined))

test('a part that could not be loaded is there when the network is back', async () => {
  const { Part, loads } = failingOnce()
  act(() => rendered.root.render(<Part />))
  await pass(2_000)
  expect([loads(), rendered.place.textContent]).toEqual([1, ''])
  act(() => void dispatchEvent(new Event('online')))
  await pass(2_000)
  expect(rendered.place.textContent).toBe('Export')
})

test('a part that could not be loaded is there when it is used again', async () => {
  const { Part } = failingOnce()
  act(() => rendered.root.render(<Part />))
  await pass(2_000)
  act(() => rendered.root.render(null))
  act(() => rendered.root.render(<Part />))
  await pass(2_000)
  expect(rendered.place.textContent).toBe('Export')
})

test('a part that stays in use is asked for again although the browser noticed no dead zone, and then no more', async () => {
  const { Part, loads } = failingOnce()
  act(() => rendered.root.render(<Part />))
  await pass(60_000)
  expect([loads(), rendered.place.textContent]).toEqual([2, 'Export'])
})

test.each([
  { kind: 'content', make: lateContent<object>, meanwhile: 'Loading', failure: 'could not be loaded' },
  { kind: 'a layer', make: lateLayer<object>, meanwhile: '', failure: 'could not be loaded' },
  { kind: 'a detail', make: lateDetail<object>, meanwhile: '', failure: '' },
])('$kind that could not be loaded appears when the network is back', async ({ make, meanwhile, failure }) => {
  const answers = [Promise.withResolvers<() => React.JSX.Element>(), Promise.withResolvers<() => React.JSX.Element>()]
  const loads = answers.values()
  const { Content } = make(() => loads.next().value?.promise ?? Promise.reject(new Error('asked too often')))
  act(() => rendered.root.render(<Content />))
  expect(document.body.textContent).toContain(meanwhile)
  answers[0]?.reject(new TypeError('Failed to fetch dynamically imported module'))
  await pass(0)
  expect(document.body.textContent).toContain(failure)
  expect(document.body.textContent.includes('could not be loaded')).toBe(failure !== '')
  act(() => void dispatchEvent(new Event('online')))
  answers[1]?.resolve(() => <p>Export</p>)
  await pass(0)
  expect(rendered.place.textContent).toBe('Export')
  expect(document.body.textContent).toBe('Export')
})
