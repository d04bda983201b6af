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

test('a form into which something was typed asks before it closes, except with its cancel button', async () => {
  const closed: string[] = []
  const render = (key: string): void =>
    act(() =>
      rendered.root.render(
        <FormDialog
          key={key}
          title="New team"
          submitLabel="Create"
          isPending={false}
          onClose={() => closed.push(key)}
          onSubmit={() => undefined}
        >
          <input aria-label="Name" />
        </FormDialog>,
      ),
    )
  const press = async (label: string): Promise<void> => {
    const buttons = [...document.querySelectorAll('button')]
    const button = buttons.findLast((one) => one.textContent === label || one.getAttribute('aria-label') === label)
    await act(async () => button?.click())
  }
  const type = (): Promise<void> =>
    act(async () => void document.querySelector('input')?.dispatchEvent(new Event('input', { bubbles: true })))
  const isAsking = (): boolean => document.body.textContent.includes('Discard changes?')

  render('untouched')
  await press('Close')
  expect([closed, isAsking()]).toEqual([['untouched'], false])

  render('typed')
  await type()
  await press('Close')
  expect([closed, isAsking()]).toEqual([['untouched'], true])
  await press('Keep editing')
  expect([closed, isAsking()]).toEqual([['untouched'], false])
  await press('Close')
  await press('Discard changes')
  expect(closed).toEqual(['untouched', 'typed'])

  render('cancelled')
  await type()
  await press('Cancel')
  expect(closed).toEqual(['untouched', 'typed', 'cancelled'])
})
