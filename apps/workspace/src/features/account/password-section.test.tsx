// @vitest-environment happy-dom
import type { HoldfastClient } from '@holdfast/client'
import { HoldfastProvider } from '@holdfast/react'
import { createClient, type User } from '@supabase/supabase-js'
import { act } from 'react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { Backend } from '../../lib/data/backend.ts'
import { BackendProvider } from '../../lib/data/backend-context.tsx'
import { renderedForEach } from '../../lib/rendered.test-support.ts'
import { AccountProvider } from './account-context.tsx'
import { PasswordSection } from './password-section.tsx'
import { StepUpProvider } from './step-up.tsx'

const rendered = renderedForEach()
const USER = { id: 'noor', email: 'noor@example.org' } as User
const SESSION = {
  access_token: `e30.${btoa(JSON.stringify({ sub: USER.id, exp: 4_000_000_000 }))}.e30`,
  refresh_token: 'a token',
  token_type: 'bearer',
  expires_in: 3600,
  expires_at: 4_000_000_000,
  user: USER,
}

/** The server's answers to the next password changes, in order; afterwards it accepts. */
let refusals: { readonly status: number; readonly body: object }[] = []
/** The requests in order: the changes, and `code` for each request for a code. */
let sent: unknown[] = []

const supabase = createClient('http://localhost', 'anon', {
  auth: {
    autoRefreshToken: false,
    storageKey: 'session',
    storage: {
      getItem: () => JSON.stringify(SESSION),
      setItem: () => undefined,
      removeItem: () => undefined,
    },
  },
  global: { fetch: async (input, init) => answerTo(new URL(String(input)).pathname, init) },
})

function answerTo(path: string, init: RequestInit | undefined): Response {
  if (path === '/auth/v1/reauthenticate') {
    sent.push('code')
    return Response.json({})
  }
  if (init?.method !== 'PUT') return Response.json(USER)
  sent.push(JSON.parse(String(init.body)))
  const refused = refusals.shift()
  return refused ? Response.json(refused.body, { status: refused.status }) : Response.json(USER)
}

const refusedAs = (code: string, status = 400): { readonly status: number; readonly body: object } => ({
  status,
  body: { code: status, error_code: code, msg: code },
})

const session = { kind: 'active', user: USER }
const client = {
  session: { get: () => session, subscribe: () => () => undefined },
  supabase,
} as unknown as HoldfastClient
const backend = {
  client,
  config: {
    anonKey: 'anon',
    account: { password: { lengthMin: 6, requirements: '' }, codeDigits: { email: 6, phone: 6, phoneFactor: 6 } },
  },
} as unknown as Backend

beforeEach(async () => {
  refusals = []
  sent = []
  await act(async () =>
    rendered.root.render(
      <HoldfastProvider client={client}>
        <BackendProvider backend={backend}>
          <AccountProvider>
            <StepUpProvider>
              <PasswordSection user={USER} />
            </StepUpProvider>
          </AccountProvider>
        </BackendProvider>
      </HoldfastProvider>,
    ),
  )
})

function field(label: string): HTMLInputElement {
  const named = [...rendered.place.querySelectorAll('label')].find(({ textContent }) => textContent === label)
  const input = named?.control ?? document.getElementById(named?.htmlFor ?? '')
  if (!(input instanceof HTMLInputElement)) throw new Error(`no field ${label}`)
  return input
}

function type(label: string, text: string): void {
  const input = field(label)
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text)
    input.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

/** Waits for the effect of a server answer. */
async function expectSoon(outcome: () => void): Promise<void> {
  await vi.waitFor(
    async () => {
      await act(() => new Promise<void>((resolve) => setTimeout(resolve, 1)))
      outcome()
    },
    { timeout: 10_000, interval: 5 },
  )
}

/** Submits the form and waits for the effect. */
async function submit(outcome: () => void): Promise<void> {
  act(
    () =>
      void rendered.place
        .querySelector('form')
        ?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })),
  )
  await expectSoon(outcome)
}

const problemOf = (input: HTMLInputElement): string =>
  (input.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent ?? '')
    .join(' ')

describe('a new password', () => {
  test('that does not meet the rules is not sent, and gets the focus', async () => {
    type('New password', 'short')
    await submit(() => expect(document.activeElement).toBe(field('New password')))
    expect(problemOf(field('New password'))).toContain('This password does not meet all the points yet')
    expect(sent).toEqual([])
  })

  test.each([
    ['the one of now', refusedAs('same_password', 422), 'This is your password already'],
    [
      'known from a leak',
      { status: 422, body: { ...refusedAs('weak_password', 422).body, weak_password: { reasons: ['pwned'] } } },
      'known from a data leak',
    ],
  ])('that is %s stays in its field, with the reason', async (_, refusal, reason) => {
    refusals = [refusal]
    type('New password', 'first password 1')
    await submit(() => expect(sent).toHaveLength(1))
    await expectSoon(() => expect(problemOf(field('New password'))).toContain(reason))
    expect(field('New password').value).toBe('first password 1')
  })

  test('is sent again with the code of a mail, when the sign-in is a while ago', async () => {
    refusals = [refusedAs('reauthentication_needed'), refusedAs('reauthentication_not_valid')]
    type('New password', 'a second password 2')
    await submit(() => expect(sent).toMatchObject([{ password: 'a second password 2' }, 'code']))
    await expectSoon(() => expect(rendered.place.textContent).toContain('we sent a code to noor@example.org'))

    await submit(() => expect(problemOf(field('Code'))).toContain('Enter the code that we sent'))
    expect(sent).toHaveLength(2)
    type('Code', '111111')
    await submit(() => expect(sent.at(-1)).toMatchObject({ password: 'a second password 2', nonce: '111111' }))
    await expectSoon(() => expect(field('Code').getAttribute('aria-invalid')).toBe('true'))

    type('Code', '123456')
    await submit(() => expect(sent.at(-1)).toMatchObject({ password: 'a second password 2', nonce: '123456' }))
    await expectSoon(() => expect(field('New password').value).toBe(''))
    expect(rendered.place.textContent).not.toContain('we sent a code')
  })

  test('is sent again with the current one, when the server wants that', async () => {
    refusals = [refusedAs('current_password_required'), refusedAs('current_password_invalid')]
    type('New password', 'a second password 2')
    await submit(() => expect(problemOf(field('Current password'))).toContain('Enter the password that you have now'))
    type('Current password', 'not that')
    await submit(() => expect(problemOf(field('Current password'))).toContain('This is not your current password'))
    type('Current password', 'first password 1')
    await submit(() =>
      expect(sent.at(-1)).toMatchObject({ password: 'a second password 2', current_password: 'first password 1' }),
    )
    await expectSoon(() => expect(field('New password').value).toBe(''))
  })
})
