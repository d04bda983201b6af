// @vitest-environment happy-dom
import { createClient } from '@supabase/supabase-js'
import { act } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Backend } from '../../lib/data/backend.ts'
import { BackendProvider } from '../../lib/data/backend-context.tsx'
import { renderedForEach } from '../../lib/rendered.test-support.ts'
import { PasswordForm } from './password-form.tsx'

const rendered = renderedForEach()

/** The server's answer to the next attempt. */
let answer: Response
let attempts = 0
const supabase = createClient('http://localhost', 'anon', {
  auth: { persistSession: false, autoRefreshToken: false },
  global: {
    fetch: async () => {
      attempts++
      return answer
    },
  },
})
const backend = { client: { supabase }, config: { project: { name: 'Northline' } } } as unknown as Backend

const WRONG = { code: 400, error_code: 'invalid_credentials', msg: 'Invalid login credentials' }
const TOO_MANY = { code: 429, error_code: 'over_request_rate_limit', msg: 'Request rate limit reached' }
const SESSION = {
  access_token: 'e30.e30.e30',
  refresh_token: 'a token',
  token_type: 'bearer',
  expires_in: 3600,
  user: { id: 'noor' },
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  attempts = 0
})
afterEach(() => vi.useRealTimers())

const button = (): HTMLButtonElement | null => rendered.place.querySelector('button[type=submit]')
const text = (): string => rendered.place.textContent ?? ''
const submit = (): Promise<void> =>
  act(async () => {
    rendered.place.querySelector('form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))
    await vi.waitFor(() => expect(button()?.getAttribute('data-pending')).toBeNull())
  })
const pass = (seconds: number): Promise<void> => act(async () => void vi.advanceTimersByTime(seconds * 1_000))

/** @returns a function that counts successful sign-ins */
function renderForm(email: string, password: string): () => number {
  const onSignedIn = vi.fn(async () => undefined)
  act(() =>
    rendered.root.render(
      <BackendProvider backend={backend}>
        <PasswordForm
          text={email}
          onTextChange={() => undefined}
          password={password}
          hasPhone={false}
          redirect={undefined}
          onSignedIn={onSignedIn}
        />
      </BackendProvider>,
    ),
  )
  return () => onSignedIn.mock.calls.length
}

test('after too many attempts the form counts the seconds, sends nothing meanwhile, and then signs in', async () => {
  const signIns = renderForm('noor@example.org', 'the right one')
  answer = Response.json(TOO_MANY, { status: 429 })
  await submit()
  expect(text()).toContain('Too many attempts. Try again in 60 s.')
  expect(button()?.disabled).toBe(true)

  await pass(1)
  expect(text()).toContain('Too many attempts. Try again in 59 s.')
  await submit()
  expect(attempts).toBe(1)
  await pass(58)
  expect(text()).toContain('Too many attempts. Try again in 1 s.')
  expect(button()?.disabled).toBe(true)

  await pass(1)
  expect(text()).not.toContain('Too many attempts')
  expect(button()?.disabled).toBe(false)
  expect(signIns()).toBe(0)
  answer = Response.json(SESSION)
  await submit()
  expect([attempts, signIns()]).toEqual([2, 1])
})

test('a wrong password is said at its field, which gets the focus', async () => {
  const signIns = renderForm('noor@example.org', 'not the password')
  answer = Response.json(WRONG, { status: 400 })
  await submit()
  const field = rendered.place.querySelector<HTMLInputElement>('input[name=password]')
  const described = field?.getAttribute('aria-describedby')?.split(' ') ?? []
  expect(described.map((id) => document.getElementById(id)?.textContent)).toContain('E-mail or password is not right')
  expect(document.activeElement).toBe(field)
  expect(signIns()).toBe(0)
})

test.each([
  ['', '', 'username'],
  ['noor@example.org', '', 'password'],
])(
  'a form with the address %j and the password %j sends nothing and asks for the %s',
  async (email, password, name) => {
    renderForm(email, password)
    await submit()
    expect(attempts).toBe(0)
    expect(document.activeElement?.getAttribute('name')).toBe(name)
    expect(document.activeElement?.getAttribute('aria-invalid')).toBe('true')
  },
)
