// @vitest-environment happy-dom
import { act } from 'react'
import { expect, test } from 'vitest'
import { formatterOf } from '../../lib/fields/field-formats.ts'
import type { Field } from '../../lib/fields/field.ts'
import { testField } from '../../lib/fields/test-fields.test-support.ts'
import { renderedForEach } from '../../lib/rendered.test-support.ts'
import { FieldInput } from './field-input.tsx'

const rendered = renderedForEach()

function show(field: Field): void {
  act(() =>
    rendered.root.render(
      <FieldInput
        {...{ field, value: null, label: undefined, note: undefined, problem: undefined, isRequired: false }}
        onCommit={() => Promise.resolve(undefined)}
        onOpenLink={undefined}
      />,
    ),
  )
}

test('a text being typed stays when the format of its field arrives', () => {
  const field = testField('title')
  show(field)
  const input = rendered.place.querySelector('input')
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, '4006381333931')
    input?.dispatchEvent(new Event('input', { bubbles: true }))
  })
  show({ ...field, format: formatterOf({ kind: 'barcode' }, field.column) })
  expect(rendered.place.querySelector('input')).toBe(input)
  expect(input?.value).toBe('4006381333931')
  expect(rendered.place.textContent).not.toBe('')
})
