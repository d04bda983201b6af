// @vitest-environment happy-dom
import { act, type JSX } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { ToastRegion } from '../../components/toast.tsx'
import { testField } from '../../lib/fields/test-fields.test-support.ts'
import { renderedForEach } from '../../lib/rendered.test-support.ts'
import { useTypedText } from './use-typed-text.ts'

const rendered = renderedForEach()
afterEach(() => vi.restoreAllMocks())

function Field({ onCommit }: { readonly onCommit: (value: unknown) => Promise<undefined> }): JSX.Element {
  const text = useTypedText({ field: testField('title'), value: '', onCommit, onForget: () => undefined }, '')
  return <input value={text.shown} onChange={(event) => text.type(event.target.value)} />
}

test('a text whose field goes, and that the device has no place for, is offered to be taken along', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const copied: string[] = []
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => void copied.push(text))
  const onCommit = (): Promise<undefined> => Promise.reject(new Error('no such column: title'))
  const show = (isThere: boolean): Promise<void> =>
    act(async () =>
      rendered.root.render(
        <>
          {isThere ? <Field onCommit={onCommit} /> : null}
          <ToastRegion />
        </>,
      ),
    )
  await show(true)
  const input = rendered.place.querySelector('input')
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, 'ten minutes of work')
    input?.dispatchEvent(new Event('input', { bubbles: true }))
  })
  await show(false)
  expect(rendered.place.textContent).toContain('What you wrote in Title could not be saved')
  const button = [...rendered.place.querySelectorAll('button')].find(({ textContent }) => textContent === 'Copy')
  await act(async () => button?.click())
  expect(copied).toEqual(['ten minutes of work'])
})
