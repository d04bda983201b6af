// @vitest-environment happy-dom
import { act, type JSX } from 'react'
import { expect, test } from 'vitest'
import { renderedForEach } from '../lib/rendered.test-support.ts'
import { useDocumentTitle, useDocumentTitleEnd } from './page.tsx'

const rendered = renderedForEach()

function Screen({ title }: { readonly title: string }): JSX.Element {
  useDocumentTitle(title)
  return <p>{title}</p>
}
function Shell({ name, title }: { readonly name: string; readonly title: string }): JSX.Element {
  useDocumentTitleEnd(name)
  return <Screen title={title} />
}

test('the tab title names the screen and the workspace, follows a renaming, and names the app after sign-out', () => {
  const titles = [
    <Screen key="entry" title="Sign in" />,
    <Shell key="shell" name="Water" title="Pumps" />,
    <Shell key="shell" name="Waterworks" title="Pumps" />,
    <Shell key="shell" name="Waterworks" title="Inbox" />,
    <Screen key="entry" title="Sign in" />,
  ].map((element) => {
    act(() => rendered.root.render(element))
    return document.title
  })
  expect(titles).toEqual([
    'Sign in · Holdfast',
    'Pumps · Water',
    'Pumps · Waterworks',
    'Inbox · Waterworks',
    'Sign in · Holdfast',
  ])
})
