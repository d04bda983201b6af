// @vitest-environment happy-dom
import { act } from 'react'
import { expect, test } from 'vitest'
import { renderedForEach } from '../lib/rendered.test-support.ts'
import { FormDialog } from './form-dialog.tsx'

const rendered = renderedForEach()

test('a form that is sent again while it is being stored is stored once, and later again', async () => {
  const ends: (() => void)[] = []
  act(() =>
    rendered.root.render(
      <FormDialog
        title="New team"
        submitLabel="Create"
        isPending={false}
        onClose={() => undefined}
        onSubmit={() => new Promise((resolve) => void ends.push(resolve))}
      >
        <input aria-label="Name" />
      </FormDialog>,
    ),
  )
  const send = (): void => {
    act(() => void document.querySelector('form')?.dispatchEvent(new Event('submit', { bubbles: true })))
  }
  send()
  send()
  expect(ends).toHaveLength(1)
  await act(async () => ends[0]?.())
  send()
  expect(ends).toHaveLength(2)
})
