// @vitest-environment happy-dom
import { act, type JSX, useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Condition, FilterGroup } from '../../lib/filters/filter.ts'
import { renderFilter } from '../../lib/filters/filter-text.ts'
import { TEST_FIELDS } from '../../lib/fields/test-fields.test-support.ts'
import { renderedForEach } from '../../lib/rendered.test-support.ts'
import { FilterForm } from './filter-form.tsx'

/** Longer than the pause after which a value applies. */
const PAUSE_MS = 1_000
const rendered = renderedForEach()

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  document.documentElement.lang = ''
})

function Filter({ filter: first }: { readonly filter: FilterGroup }): JSX.Element {
  const [filter, setFilter] = useState(first)
  return (
    <>
      <FilterForm fields={TEST_FIELDS} filter={filter} onChange={setFilter} />
      <output>{renderFilter(filter)}</output>
    </>
  )
}

function show(...nodes: readonly Condition[]): void {
  act(() => rendered.root.render(<Filter filter={{ kind: 'any', nodes }} />))
}

const condition = (field: string, operator: Condition['operator'], value: string): Condition => ({
  kind: 'condition',
  field,
  operator,
  values: [value],
})
const shown = (): readonly string[] =>
  [...rendered.place.querySelectorAll<HTMLInputElement>('input[id]')].map(({ value }) => value)
const inEffect = (): string | null | undefined => rendered.place.querySelector('output')?.textContent
const pause = (): void => act(() => void vi.advanceTimersByTime(PAUSE_MS))

function press(name: string): void {
  const button = rendered.place.querySelector<HTMLElement>(`[aria-label="${name}"]`)
  const named = button ?? [...rendered.place.querySelectorAll('button')].find(({ textContent }) => textContent === name)
  if (!named) throw new Error(`there is no button ${name}`)
  act(() => named.click())
}

function fieldOfValue(): HTMLInputElement {
  const input = rendered.place.querySelector<HTMLInputElement>('input[id]')
  if (!input) throw new Error('there is a field')
  return input
}

function type(text: string): void {
  const input = fieldOfValue()
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text)
    input.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

test('the condition that stays when another is removed shows its own value', () => {
  show(condition('title', 'has', 'pump'), condition('title', 'has', 'valve'))
  expect(shown()).toEqual(['pump', 'valve'])
  press('Remove the condition')
  expect(inEffect()).toBe('any(title.has.valve)')
  expect(shown()).toEqual(['valve'])
})

test('a condition that is added before a value has taken effect stays', () => {
  show(condition('title', 'has', 'pump'))
  type('valve')
  press('Add a condition')
  pause()
  expect(inEffect()).toMatch(/^any\(title\.has\.valve,./)
})

test('a number in a filter is shown as the language of the page writes it, and stays that number', () => {
  document.documentElement.lang = 'de'
  show(condition('ratio', 'gt', '1.125'))
  pause()
  expect([shown(), inEffect()]).toEqual([['1,125'], 'any(ratio.gt.1!.125)'])
})

test('what was typed takes effect when Escape closes the filter, and when the field is left', () => {
  show(condition('title', 'has', 'pump'))
  type('valve')
  act(() => void fieldOfValue().dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })))
  expect(inEffect()).toBe('any(title.has.valve)')
  type('pipe')
  act(() => void fieldOfValue().dispatchEvent(new FocusEvent('focusout', { bubbles: true })))
  expect(inEffect()).toBe('any(title.has.pipe)')
})

test('a condition of a field that is gone says that it has no effect', () => {
  show(condition('deleted_field', 'is', 'a'))
  expect(rendered.place.textContent).toContain('“deleted_field” no longer exists')
  press('Remove the condition')
  expect(inEffect()).toBe('')
})
