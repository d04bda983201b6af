// @vitest-environment happy-dom
import { act, type JSX, useState } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { LocalValueOf } from '../../lib/fields/field-value.ts'
import { testColumn } from '../../lib/fields/test-fields.test-support.ts'
import { NumberInput } from './number-input.tsx'

let root: Root
let place: HTMLElement

function Field({ type }: { readonly type: string }): JSX.Element {
  const [now, setNow] = useState<LocalValueOf>(1.5)
  return (
    <>
      <NumberInput column={testColumn('amount', type)} value={now} isNamed={false} onChange={setNow} />
      <output>{JSON.stringify(now)}</output>
    </>
  )
}

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  place = document.createElement('div')
  document.body.append(place)
  root = createRoot(place)
})
afterEach(() => {
  act(() => root.unmount())
  place.remove()
  document.documentElement.lang = ''
})

function field(): HTMLInputElement {
  const input = place.querySelector('input')
  if (!input) throw new Error('there is a field')
  return input
}

const stored = (): unknown => JSON.parse(place.querySelector('output')?.textContent ?? '')

/** Empties the field, and types a key after the other at its end. */
function type(text: string): void {
  const put = (next: string): void =>
    act(() => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field(), next)
      field().dispatchEvent(new Event('input', { bubbles: true }))
    })
  put('')
  for (const key of text) put(field().value + key)
}

test.each([
  ['4.05', 'double precision', 4.05],
  ['-0.5', 'double precision', -0.5],
  ['12.50', 'numeric(6,2)', '12.50'],
  ['12', 'integer', 12],
  ['twelve', 'integer', 'twelve'],
])('%s typed into %s is that', (text, columnType, value) => {
  act(() => root.render(<Field type={columnType} />))
  expect(field().value).toBe('1.5')
  type(text)
  expect([field().value, stored()]).toEqual([text, value])
})

test('a number is typed and shown as the language of the page writes it', () => {
  document.documentElement.lang = 'de'
  act(() => root.render(<Field type="double precision" />))
  expect(field().value).toBe('1,5')
  type('4,5')
  expect([field().value, stored()]).toEqual(['4,5', 4.5])
})
