// @vitest-environment happy-dom
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import type { JSX } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ConsoleSession } from '@holdfast/protocol'
import { request } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { leaveSession, useOperator } from '../lib/session.ts'
import { SessionGate } from './session-gate.tsx'

const SIGNED_OUT: ConsoleSession = { projectName: 'Northline', hasOperators: true, state: 'none' }
const SIGNED_IN: ConsoleSession = {
  ...SIGNED_OUT,
  state: 'complete',
  operator: { id: '1', email: 'olga@ops.example', name: 'Olga', role: 'owner', hasSecondFactor: false },
}
const READ = ['read']

let session: ConsoleSession
let root: Root
let place: HTMLElement
const thrown: unknown[] = []

/** A screen that has read something. */
function Screen(): JSX.Element {
  const { email } = useOperator()
  const { data } = useQuery({ queryKey: READ, queryFn: () => request<{ secret: string }>('GET /users') })
  return <p>{`${email} reads ${data?.secret ?? 'nothing'}`}</p>
}

beforeEach(async () => {
  // Screens load and fetch by themselves: the tests wait for what is shown.
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false)
  vi.stubGlobal('fetch', async (path: string) => {
    if (path === '/console/v1/session') return Response.json(session)
    if (session.state === 'complete') return Response.json({ secret: 'addresses' })
    return Response.json({ code: 'no_session', message: 'The session has ended.' }, { status: 401 })
  })
  session = SIGNED_IN
  thrown.length = 0
  place = document.createElement('div')
  document.body.append(place)
  const note = (error: unknown): void => void thrown.push(error)
  root = createRoot(place, { onCaughtError: note, onUncaughtError: note, onRecoverableError: note })
  root.render(
    <QueryClientProvider client={queryClient}>
      <SessionGate>
        <Screen />
      </SessionGate>
    </QueryClientProvider>,
  )
  await expect.poll(() => place.textContent).toBe('olga@ops.example reads addresses')
})
afterEach(() => {
  root.unmount()
  place.remove()
  queryClient.clear()
  vi.unstubAllGlobals()
})

test('after signing out the screens are gone, without an error of the one that was open', async () => {
  session = SIGNED_OUT
  await leaveSession()
  expect(place.textContent).not.toContain('olga@ops.example')
  await expect.poll(() => place.textContent).toContain('Sign in')
  await expect.poll(() => queryClient.getQueryData(READ)).toBeUndefined()
  expect(thrown).toEqual([])
})

test('a session that ends under a screen leads to the sign-in screen, and what was read is forgotten', async () => {
  session = SIGNED_OUT
  await queryClient.refetchQueries({ queryKey: READ })
  await expect.poll(() => place.textContent).toContain('Sign in')
  await expect.poll(() => queryClient.getQueryData(READ)).toBeUndefined()
  expect(thrown).toEqual([])
})
