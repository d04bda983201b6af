// @vitest-environment happy-dom
import { act, type JSX, useEffect } from 'react'
import { expect, test } from 'vitest'
import { renderedForEach } from '../../lib/rendered.test-support.ts'
import { type ConfirmedWork, useConfirmedWork } from './use-confirmed-work.ts'

const rendered = renderedForEach()
const used: ConfirmedWork[] = []

function Question({ work }: { readonly work: () => Promise<void> }): JSX.Element {
  const confirmed = useConfirmedWork(work)
  useEffect(() => void used.push(confirmed))
  return <p>{confirmed.isAsked ? (confirmed.error?.message ?? 'Sure?') : ''}</p>
}

test('a question that is asked again begins without the failure of the last time', async () => {
  act(() => rendered.root.render(<Question work={() => Promise.reject(new Error('There is no room.'))} />))
  act(() => used.at(-1)?.ask())
  await act(async () => used.at(-1)?.confirm())
  expect(rendered.place.textContent).toBe('There is no room.')
  act(() => used.at(-1)?.close())
  act(() => used.at(-1)?.ask())
  expect(rendered.place.textContent).toBe('Sure?')
})
