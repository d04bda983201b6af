import type { SessionState } from '@holdfast/client'
import { isRedirect } from '@tanstack/react-router'
import { afterEach, describe, expect, test } from 'vitest'
import { useWelcomeKey } from '../lib/auth/welcome-key.ts'
import { clearPendingPassword, setPendingPassword } from '../lib/pending-password.ts'
import {
  type Entering,
  leaveWhenActive,
  requirePendingPassword,
  requireWelcome,
  requireSecondFactor,
  requireSignIn,
} from './entry-guards.ts'

const ANA = { id: 'ana', email: 'ana@example.org' }
const SIGNED_OUT: SessionState = { kind: 'signed_out' }
const ACTIVE: SessionState = { kind: 'active', user: ANA }
const EXPIRED: SessionState = { kind: 'expired', user: ANA }
const SECOND_FACTOR: SessionState = { kind: 'second_factor', user: ANA }

afterEach(clearPendingPassword)

/** Returns where a guard redirects a user in this state; `undefined`: nowhere. */
async function ledTo(
  guard: (entering: Entering & { readonly location: { readonly href: string } }) => Promise<void>,
  session: SessionState,
  search: Entering['search'] = {},
): Promise<{ readonly to: unknown; readonly search?: unknown } | undefined> {
  const client = { session: { get: () => session, subscribe: () => () => undefined } }
  const context = { backend: { client } }
  try {
    await guard({ context, search, location: { href: '/oauth/consent?authorization_id=1' } })
    return undefined
  } catch (thrown) {
    if (!isRedirect(thrown)) throw thrown
    const { href, to, search: next } = thrown.options
    return { to: href ?? to, ...(next === undefined ? {} : { search: next }) }
  }
}

describe('a way in', () => {
  test.each([SIGNED_OUT, EXPIRED, SECOND_FACTOR])('is for who is not signed in: $kind', async (session) => {
    expect(await ledTo(leaveWhenActive, session)).toBeUndefined()
  })

  test('leads who is signed in to where they were going', async () => {
    expect(await ledTo(leaveWhenActive, ACTIVE)).toEqual({ to: '/w' })
    expect(await ledTo(leaveWhenActive, ACTIVE, { redirect: '/account/security' })).toEqual({ to: '/account/security' })
  })

  test('leads to no other site', async () => {
    expect(await ledTo(leaveWhenActive, ACTIVE, { redirect: 'https://evil.example/' })).toEqual({ to: '/w' })
    expect(await ledTo(leaveWhenActive, ACTIVE, { redirect: '//evil.example' })).toEqual({ to: '/w' })
  })

  test('leads who has to choose a password there first', async () => {
    setPendingPassword({ userId: 'ana', reason: 'invite' })
    expect(await ledTo(leaveWhenActive, ACTIVE, { redirect: '/account' })).toEqual({ to: '/recover/new-password' })
  })

  test('waits until the device knows who is signed in', async () => {
    let session: SessionState = { kind: 'booting' }
    const listeners = new Set<() => void>()
    const client = {
      session: {
        get: () => session,
        subscribe: (listener: () => void) => {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      },
    }
    const guarded = leaveWhenActive({ context: { backend: { client } }, search: {} })
    session = SIGNED_OUT
    for (const listener of listeners) listener()
    await expect(guarded).resolves.toBeUndefined()
    expect(listeners.size).toBe(0)
  })
})

describe('the second factor', () => {
  test('is only for who is asked for one', async () => {
    expect(await ledTo(requireSecondFactor, SECOND_FACTOR)).toBeUndefined()
    expect(await ledTo(requireSecondFactor, ACTIVE)).toEqual({ to: '/w' })
    const search = { redirect: '/account' }
    expect(await ledTo(requireSecondFactor, SIGNED_OUT, search)).toEqual({ to: '/sign-in', search })
  })
})

describe('a new password', () => {
  test('is for who was let in to choose a password, after their second factor', async () => {
    setPendingPassword({ userId: 'ana', reason: 'recovery' })
    expect(await ledTo(requirePendingPassword, ACTIVE)).toBeUndefined()
    expect(await ledTo(requirePendingPassword, SECOND_FACTOR)).toEqual({
      to: '/sign-in/second-factor',
      search: { redirect: '/recover/new-password' },
    })
  })

  test('leads everybody else away', async () => {
    expect(await ledTo(requirePendingPassword, ACTIVE)).toEqual({ to: '/w' })
    setPendingPassword({ userId: 'ben', reason: 'recovery' })
    expect(await ledTo(requirePendingPassword, ACTIVE)).toEqual({ to: '/w' })
    expect(await ledTo(requirePendingPassword, EXPIRED)).toEqual({ to: '/recover' })
  })
})

describe('consent for another app', () => {
  test('asks for a sign-in with all its factors, and comes back', async () => {
    const search = { redirect: '/oauth/consent?authorization_id=1' }
    expect(await ledTo(requireSignIn, ACTIVE)).toBeUndefined()
    expect(await ledTo(requireSignIn, SECOND_FACTOR)).toEqual({ to: '/sign-in/second-factor', search })
    expect(await ledTo(requireSignIn, EXPIRED)).toEqual({ to: '/sign-in', search })
  })
})

describe('the welcome screen', () => {
  const sample = { password: 'public', accounts: [] }
  const ledFrom = (of: typeof sample | undefined): ReturnType<typeof ledTo> =>
    ledTo(async () => requireWelcome({ context: { backend: { config: { sample: of } } } }), SIGNED_OUT)

  test('is for whoever has started a server with the sample', async () => {
    expect(await ledFrom(sample)).toBeUndefined()
  })

  test('admits an owner key on a server without the sample: it signs in to no account of others', async () => {
    useWelcomeKey.setState({ ownerKey: 'a key' })
    expect(await ledFrom(undefined)).toBeUndefined()
    useWelcomeKey.setState({ ownerKey: undefined })
  })

  test('takes no key on any other server: its link could lead into an account of somebody else', async () => {
    expect(await ledFrom(undefined)).toEqual({ to: '/' })
  })
})
