// @vitest-environment happy-dom
import { act, type JSX, useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { renderedForEach } from '../../lib/rendered.test-support.ts'
import type { LocalValueOf } from '../../lib/fields/field-value.ts'
import { testColumn } from '../../lib/fields/test-fields.test-support.ts'
import { NumberInput } from './number-input.tsx'

const rendered = renderedForEach()

function Field({ type }: { readonly type: string }): JSX.Element {
  const [now, setNow] = useState<LocalValueOf>(1.5)
  return (
    <>
      <NumberInput column={testColumn('amount', type)} value={now} isNamed={false} onChange={setNow} />
      <output>{JSON.stringify(now)}</output>
    </>
  )
}

afterEach(() => {
  document.documentElement.lang = ''
})

function field(): HTMLInputElement {
  const input = rendered.place.querySelector('input')
  if (!input) throw new Error('there is a field')
  return input
}

const stored = (): unknown => JSON.parse(rendered.place.querySelector('output')?.textContent ?? '')

/** Clears the field and types the text key by key. */
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
  act(() => rendered.root.render(<Field type={columnType} />))
  expect(field().value).toBe('1.5')
  type(text)
  expect([field().value, stored()]).toEqual([text, value])
})

test('a key changes the sign of a number', () => {
  act(() => rendered.root.render(<Field type="double precision" />))
  const key = rendered.place.querySelector<HTMLElement>('[aria-label="Change the sign of Amount"]')
  act(() => key?.click())
  expect([field().value, stored()]).toEqual(['-1.5', -1.5])
  act(() => key?.click())
  expect([field().value, stored()]).toEqual(['1.5', 1.5])
})

test('a number is typed and shown as the language of the page writes it', () => {
  document.documentElement.lang = 'de'
  act(() => rendered.root.render(<Field type="double precision" />))
  expect(field().value).toBe('1,5')
  type('4,5')
  expect([field().value, stored()]).toEqual(['4,5', 4.5])
})
