// @vitest-environment happy-dom
import type { HoldfastClient } from '@holdfast/client'
import { HoldfastProvider } from '@holdfast/react'
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import type { Backend } from '../../lib/data/backend.ts'
import { BackendProvider } from '../../lib/data/backend-context.tsx'
import { renderedForEach } from '../../lib/rendered.test-support.ts'
import { AccountProvider } from './account-context.tsx'
import { DailyMailSwitch } from './daily-mail-switch.tsx'

const rendered = renderedForEach()
const session = { kind: 'active' }
const auth = {
  getSession: async () => ({ data: { session: null }, error: null }),
  getUser: async () => ({ data: { user: null }, error: null }),
  onAuthStateChange: () => ({ data: { subscription: { unsubscribe: () => undefined } } }),
}
const client = {
  session: { get: () => session, subscribe: () => () => undefined },
  supabase: { auth },
} as unknown as HoldfastClient
const backend = { client, config: { anonKey: 'anon' } } as unknown as Backend

afterEach(() => vi.unstubAllGlobals())

const field = (): HTMLInputElement | null => rendered.place.querySelector('input[role="switch"]')

test('a setting that the server did not tell is not shown as off without a word, and can be asked for again', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  await act(async () =>
    rendered.root.render(
      <HoldfastProvider client={client}>
        <BackendProvider backend={backend}>
          <AccountProvider>
            <DailyMailSwitch />
          </AccountProvider>
        </BackendProvider>
      </HoldfastProvider>,
    ),
  )
  expect(rendered.place.querySelector('[role="status"]')?.textContent).toContain('could not be read from the server')
  expect(field()?.disabled).toBe(true)

  vi.stubGlobal('fetch', async () => Response.json({ is_on: true, is_member: true }))
  await act(async () => rendered.place.querySelector('button')?.click())
  expect([field()?.checked, field()?.disabled]).toEqual([true, false])
  expect(rendered.place.querySelector('[role="status"]')?.textContent).toBe('')
})
