// @vitest-environment happy-dom
import { act } from 'react'
import { expect, test } from 'vitest'
import { renderedForEach } from '../lib/rendered.test-support.ts'
import { Select } from './select.tsx'

const rendered = renderedForEach()
const OPTIONS = ['Open', 'Doing', 'Done'].map((label) => ({ value: label.toLowerCase(), label }))

/** Renders a select; returns its button and the selected value. */
function renderSelect(
  value: string | null,
  options = OPTIONS,
): { readonly button: HTMLButtonElement; readonly chosen: string[] } {
  const chosen: string[] = []
  act(() =>
    rendered.root.render(<Select label="State" options={options} value={value} onChange={(one) => chosen.push(one)} />),
  )
  const button = rendered.place.querySelector('button')
  if (!button) throw new Error('a select has a button')
  return { button, chosen }
}

function press(target: Element, key: string): void {
  act(() => void target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })))
  act(() => void target.dispatchEvent(new KeyboardEvent('keyup', { key, bubbles: true, cancelable: true })))
}

function offered(): (string | null)[] {
  return [...document.querySelectorAll('[role=option]')].map((option) => option.textContent)
}

test.each([['doing'], [null]])('a field with %s chosen offers all choices when it is opened', (value) => {
  const { button } = renderSelect(value)
  act(() => button.focus())
  press(button, 'ArrowDown')
  expect(offered()).toEqual(['Open', 'Doing', 'Done'])
})

test('one that is opened without the focus offers all choices, too', () => {
  const { button } = renderSelect('doing')
  // Simulates a screen reader.
  act(() => button.click())
  expect(offered()).toEqual(['Open', 'Doing', 'Done'])
})

test('a key chooses the next one in a field that is not open', () => {
  const { button, chosen } = renderSelect('open')
  act(() => button.focus())
  press(button, 'ArrowRight')
  expect(chosen).toEqual(['doing'])
})

test('a field whose choices have not been loaded cannot be pressed', () => {
  expect(renderSelect(null, []).button.disabled).toBe(true)
  expect(renderSelect(null).button.disabled).toBe(false)
})
