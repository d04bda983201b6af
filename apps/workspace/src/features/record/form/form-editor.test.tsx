// @vitest-environment happy-dom
import type { HoldfastClient } from '@holdfast/client'
import { HoldfastProvider } from '@holdfast/react'
import { act, type JSX, useState } from 'react'
import { expect, test } from 'vitest'
import { toTableInfo } from '../../../lib/data/tables.ts'
import { TEST_FIELDS, TEST_SCHEMA, TEST_TASKS, testField } from '../../../lib/fields/test-fields.test-support.ts'
import { renderedForEach } from '../../../lib/rendered.test-support.ts'
import type { SavedView } from '../../../lib/views/use-views.ts'
import { askedFields } from './asked-fields.ts'
import { FormEditor } from './form-editor.tsx'

const rendered = renderedForEach()
const still = <T,>(value: T): { get(): T; subscribe(): () => void } => ({
  get: () => value,
  subscribe: () => () => undefined,
})
const client = { device: still({ kind: 'open', local: { schema: still(TEST_SCHEMA) } }) } as unknown as HoldfastClient
const SAVED = 'title..As saved'

function Editor(): JSX.Element {
  const [form, setForm] = useState(SAVED)
  return (
    <>
      <FormEditor
        table={toTableInfo(TEST_TASKS)}
        fields={TEST_FIELDS}
        saved={{ id: 'v1' } as SavedView}
        view={{
          settings: { form },
          isChanged: form !== SAVED,
          set: (_setting, value) => setForm(value ?? ''),
          reset: () => setForm(SAVED),
          openRecord: () => undefined,
        }}
        asked={askedFields(TEST_FIELDS, form)}
        onDone={() => undefined}
      />
      <button type="button" id="discard" onClick={() => setForm(SAVED)} />
      <output>{form}</output>
    </>
  )
}

function question(): HTMLInputElement {
  const input = rendered.place.querySelector<HTMLInputElement>(`input[placeholder="${testField('title').label}"]`)
  if (!input) throw new Error('the form asks for the title')
  return input
}

function type(text: string): void {
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(question(), text)
    question().dispatchEvent(new Event('input', { bubbles: true }))
  })
  act(() => void question().dispatchEvent(new FocusEvent('focusout', { bubbles: true })))
}

test('a question whose change is discarded stands in the editor as it is saved', () => {
  act(() =>
    rendered.root.render(
      <HoldfastProvider client={client}>
        <Editor />
      </HoldfastProvider>,
    ),
  )
  type('My own')
  expect(rendered.place.querySelector('output')?.textContent).toBe('title..My own')
  expect(question().value).toBe('My own')
  act(() => rendered.place.querySelector<HTMLElement>('#discard')?.click())
  expect(rendered.place.querySelector('output')?.textContent).toBe(SAVED)
  expect(question().value).toBe('As saved')
})
