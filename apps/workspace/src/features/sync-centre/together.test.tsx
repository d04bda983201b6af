// @vitest-environment happy-dom
import { act, type JSX } from 'react'
import { expect, test } from 'vitest'
import { renderedForEach } from '../../lib/rendered.test-support.ts'
import { Together, useHoldCard } from './together.tsx'

const rendered = renderedForEach()

function Card({ name, isDeciding }: { readonly name: string; readonly isDeciding: boolean }): JSX.Element {
  useHoldCard(isDeciding)
  return <input aria-label={name} />
}

/** Renders rejected changes with one reason; the user may be deciding the first. */
function show(changes: readonly string[], isDeciding: boolean): HTMLInputElement | null {
  act(() =>
    rendered.root.render(
      <Together groups={[{ key: 'reason', changes }]}>
        {(isTogether) =>
          isTogether({ key: 'reason', changes }) ? (
            <Card key="reason" name="all" isDeciding={isDeciding} />
          ) : (
            changes.map((name) => <Card key={name} name={name} isDeciding={isDeciding && name === 'a'} />)
          )
        }
      </Together>,
    ),
  )
  return rendered.place.querySelector('input')
}

test('a card that is being decided stays while more is refused for the same reason, and joins the others afterwards', () => {
  const card = show(['a', 'b'], true)
  expect(show(['a', 'b', 'c'], true)).toBe(card)
  expect(rendered.place.querySelectorAll('input')).toHaveLength(3)
  expect(show(['a', 'b', 'c'], false)?.getAttribute('aria-label')).toBe('all')
})

test('a card of several stays while those of it that were decided go', () => {
  const card = show(['a', 'b', 'c'], true)
  expect(show(['c'], true)).toBe(card)
  expect(show(['c'], false)?.getAttribute('aria-label')).toBe('c')
})
