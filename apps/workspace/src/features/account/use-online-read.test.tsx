// @vitest-environment happy-dom
import type { HoldfastClient } from '@holdfast/client'
import { HoldfastProvider } from '@holdfast/react'
import { act, type JSX } from 'react'
import { expect, test } from 'vitest'
import type { Backend } from '../../lib/data/backend.ts'
import { BackendProvider } from '../../lib/data/backend-context.tsx'
import { renderedForEach } from '../../lib/rendered.test-support.ts'
import { AccountProvider } from './account-context.tsx'
import { ReadState } from './read-state.tsx'
import { useOnlineRead } from './use-online-read.ts'

const rendered = renderedForEach()
const session = { kind: 'active' }
const auth = {
  getUser: async () => ({ data: { user: null }, error: null }),
  onAuthStateChange: () => ({ data: { subscription: { unsubscribe: () => undefined } } }),
}
const client = {
  session: { get: () => session, subscribe: () => () => undefined },
  supabase: { auth },
} as unknown as HoldfastClient
const backend = { client, config: { anonKey: 'anon' } } as unknown as Backend

let answer: () => Promise<string>
const read = (): Promise<string> => answer()

function Screen(): JSX.Element {
  const { state, reload } = useOnlineRead(read)
  return (
    <>
      <ReadState state={state} onRetry={reload}>
        {(value) => <input aria-label={value} />}
      </ReadState>
      <button type="button" onClick={() => void reload()}>
        Look again
      </button>
    </>
  )
}

const press = (name: string): Promise<void> =>
  act(async () =>
    [...rendered.place.querySelectorAll('button')].find(({ textContent }) => textContent === name)?.click(),
  )

test('what was read stays on the screen with what is typed in it when it cannot be read again, and that is told', async () => {
  answer = async () => 'two sign-ins'
  await act(async () =>
    rendered.root.render(
      <HoldfastProvider client={client}>
        <BackendProvider backend={backend}>
          <AccountProvider>
            <Screen />
          </AccountProvider>
        </BackendProvider>
      </HoldfastProvider>,
    ),
  )
  const field = rendered.place.querySelector('input')
  expect(field?.getAttribute('aria-label')).toBe('two sign-ins')

  answer = () => Promise.reject(new TypeError('Failed to fetch'))
  await press('Look again')
  expect(rendered.place.querySelector('input')).toBe(field)
  expect(rendered.place.textContent).toContain('Try again')

  answer = async () => 'one sign-in'
  await press('Try again')
  expect(rendered.place.querySelector('input')?.getAttribute('aria-label')).toBe('one sign-in')
  expect(rendered.place.textContent).not.toContain('Try again')
})
