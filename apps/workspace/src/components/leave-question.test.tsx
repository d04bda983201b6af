// @vitest-environment happy-dom
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router'
import { act, type JSX } from 'react'
import { expect, test } from 'vitest'
import { renderedForEach } from '../lib/rendered.test-support.ts'
import { LeaveQuestion } from './leave-question.tsx'

const rendered = renderedForEach()
const screen = { isChanged: true }

function Editor(): JSX.Element {
  return (
    <>
      <p>Editor</p>
      <LeaveQuestion isChanged={screen.isChanged} />
    </>
  )
}

async function open(): Promise<ReturnType<typeof createRouter>> {
  const root = createRootRoute({ component: Outlet })
  const routeTree = root.addChildren([
    createRoute({ getParentRoute: () => root, path: '/list', component: () => <p>List</p> }),
    createRoute({ getParentRoute: () => root, path: '/editor', component: Editor }),
  ])
  const router = createRouter({ routeTree, history: createMemoryHistory({ initialEntries: ['/list', '/editor'] }) })
  await act(async () => rendered.root.render(<RouterProvider router={router as never} />))
  return router as never
}
const press = (label: string): Promise<void> =>
  act(async () => [...document.querySelectorAll('button')].find((one) => one.textContent === label)?.click())
const text = (): string => document.body.textContent

test('leaving asks while there are unsaved changes: keep editing stays, discard leaves', async () => {
  const router = await open()
  const leave = (): Promise<void> =>
    act(async () => {
      // It does not settle before the question is answered.
      void router.navigate({ to: '/list' })
    })
  await leave()
  expect(text()).toContain('Discard changes?')
  await press('Keep editing')
  expect([router.state.location.pathname, text().includes('Discard changes?')]).toEqual(['/editor', false])
  await leave()
  await press('Discard changes')
  expect([router.state.location.pathname, text()]).toEqual(['/list', 'List'])
})

test('a screen without changes, and the navigation that follows from saving, are not held up', async () => {
  const router = await open()
  await act(async () => router.navigate({ to: '/list', ignoreBlocker: true }))
  expect(router.state.location.pathname).toBe('/list')
  screen.isChanged = false
  await act(async () => router.navigate({ to: '/editor' }))
  await act(async () => router.history.back())
  expect([router.state.location.pathname, text()]).toEqual(['/list', 'List'])
})
