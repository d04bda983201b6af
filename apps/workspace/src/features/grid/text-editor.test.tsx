// @vitest-environment happy-dom
import { act } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renderedForEach } from '../../lib/rendered.test-support.ts'
import type { FieldValue } from '../../lib/fields/field.ts'
import { testField } from '../../lib/fields/test-fields.test-support.ts'
import { TextEditor } from './text-editor.tsx'
import { createCellTyping } from './typed-cell.ts'

const stored: FieldValue[] = []
const rendered = renderedForEach()

beforeEach(() => {
  stored.length = 0
})

afterEach(() => vi.restoreAllMocks())

/** Appends text to the only text control and blurs it. */
function typeAndLeave(more: string): void {
  const control = rendered.place.querySelector<HTMLInputElement | HTMLTextAreaElement>('input, textarea')
  if (!control) throw new Error('there is no text control')
  act(() => {
    control.focus()
    const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value') ?? {}
    set?.call(control, control.value + more)
    control.dispatchEvent(new Event('input', { bubbles: true }))
  })
  act(() => control.blur())
}

const title = testField('title')
const ADDRESS = '12 Mill Lane\nLeeds'

function show(value: FieldValue, typed?: string): void {
  act(() =>
    rendered.root.render(
      <TextEditor
        field={title}
        {...{ value, typed, refused: undefined, problem: undefined, isNearEnd: false }}
        typing={createCellTyping()}
        handle={{ current: null }}
        onCommit={(value) => stored.push(value)}
        onCancel={() => undefined}
      />,
    ),
  )
}

test('a text of one line that came with several keeps them when it is edited in the grid', () => {
  show(ADDRESS)
  typeAndLeave(', UK')
  expect(stored).toEqual([`${ADDRESS}, UK`])
})

test('keys that follow the one that opened the editor come after it', () => {
  // As a browser that puts the caret at the start.
  vi.spyOn(HTMLInputElement.prototype, 'focus').mockImplementation(function atStart(this: HTMLInputElement) {
    this.setSelectionRange(0, 0)
  })
  show('Valve', '1')
  expect(rendered.place.querySelector('input')?.selectionStart).toBe(1)
})
