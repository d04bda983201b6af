// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ConsoleSession } from '@holdfast/protocol'
import { queryClient } from '../lib/query-client.ts'
import { App } from './app.tsx'
import { router } from './router.tsx'

const SIGNED_OUT: ConsoleSession = { projectName: 'Northline', hasOperators: true, state: 'none' }
const SIGNED_IN: ConsoleSession = {
  ...SIGNED_OUT,
  state: 'complete',
  operator: { id: '1', email: 'olga@ops.example', name: 'Olga', role: 'owner', hasSecondFactor: false },
}

let session: ConsoleSession
let root: Root
let place: HTMLElement
const uncaught: unknown[] = []
const asked: string[] = []

/** The server: one account, and nothing without a session. */
async function answer(path: string, method: string): Promise<Response> {
  asked.push(path)
  if (path === '/console/v1/session') {
    if (method === 'DELETE') session = SIGNED_OUT
    return Response.json(session)
  }
  if (session.state !== 'complete')
    return Response.json({ code: 'no_session', message: 'The session has ended.' }, { status: 401 })
  return Response.json({ sessions: [], factors: [] })
}

beforeEach(async () => {
  // Screens load and fetch by themselves: the tests wait for what is shown.
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false)
  vi.stubGlobal('fetch', (path: string, init?: RequestInit) => answer(path, init?.method ?? 'GET'))
  session = SIGNED_IN
  uncaught.length = 0
  place = document.createElement('div')
  document.body.append(place)
  const note = (error: unknown): void => void uncaught.push(error)
  root = createRoot(place, { onCaughtError: note, onUncaughtError: note, onRecoverableError: note })
  root.render(
    <QueryClientProvider client={queryClient}>
      <App />
    </QueryClientProvider>,
  )
  void router.navigate({ to: '/account' })
  await expect.poll(() => text()).toContain('olga@ops.example, owner')
  asked.length = 0
})
afterEach(() => {
  root.unmount()
  place.remove()
  queryClient.clear()
  vi.unstubAllGlobals()
})

function text(): string {
  return place.textContent
}

function press(name: string): void {
  ;[...place.querySelectorAll('button')].find(({ textContent }) => textContent === name)?.click()
}

test('signing out leads to the sign-in screen, without an error of the screen that was open', async () => {
  press('Sign out')
  await expect.poll(() => text()).toContain('Sign in')
  expect(text()).not.toContain('olga@ops.example')
  await expect.poll(() => location.pathname).toBe('/console/')
  // The overview, where the next session begins, does not open before it.
  expect(asked.filter((path) => /overview|requests/.test(path))).toEqual([])
  expect(uncaught).toEqual([])
})

test('a session that ends under a screen leads to the sign-in screen, and what was read is forgotten', async () => {
  await expect.poll(() => queryClient.getQueryData(['own-sessions'])).toBeDefined()
  session = SIGNED_OUT
  await queryClient.refetchQueries({ queryKey: ['own-sessions'] })
  await expect.poll(() => text()).toContain('Sign in')
  await expect.poll(() => queryClient.getQueryData(['own-sessions'])).toBeUndefined()
  expect(uncaught).toEqual([])
})
