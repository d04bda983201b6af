// @vitest-environment happy-dom
import { act, type JSX, useEffect } from 'react'
import { expect, test } from 'vitest'
import { renderedForEach } from '../../lib/rendered.test-support.ts'
import { type Decisions, useDecision } from './use-decision.ts'

const rendered = renderedForEach()
const used: Decisions[] = []
const done: string[] = []

function Card(): JSX.Element {
  const decisions = useDecision(() => void done.push('closed'))
  useEffect(() => void used.push(decisions))
  return <p>{decisions.error instanceof Error ? decisions.error.message : null}</p>
}

const decide = (act: () => Promise<boolean>): Promise<void> | undefined =>
  used.at(-1)?.decide([act], () => 'Sent again')

test('a change that could not be stored leaves its form open, with what was typed, and says why', async () => {
  act(() => rendered.root.render(<Card />))
  await act(() => decide(() => Promise.reject(new Error('There is no room.'))))
  expect([done, rendered.place.textContent, used.at(-1)?.isBusy]).toEqual([[], 'There is no room.', false])
  await act(() => decide(async () => true))
  expect([done, rendered.place.textContent]).toEqual([['closed'], ''])
})
