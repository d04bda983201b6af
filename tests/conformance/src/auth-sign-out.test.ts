import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { type AuthWorld, openAuthWorld, PASSWORD } from './auth-world.ts'

let world: AuthWorld

beforeAll(async () => {
  world = await openAuthWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

/** Signs a user in on three devices. */
async function threeDevices() {
  const here = await world.signUp()
  const others = [world.openClient(), world.openClient()]
  for (const { auth } of others) await auth.signInWithPassword({ email: here.email, password: PASSWORD })
  const alive = async () => {
    const answers = await Promise.all([here, ...others].map(({ auth }) => auth.refreshSession()))
    return answers.map(({ error }) => error === null)
  }
  return { here, alive }
}

const SCOPES = [
  ['global', [false, false, false]],
  ['local', [false, true, true]],
  ['others', [true, false, false]],
] as const

describe('auth.signOut', () => {
  test.each(SCOPES)('with scope %s ends the matching sessions', async (scope, expected) => {
    const { here, alive } = await threeDevices()
    expect(await here.auth.signOut({ scope })).toEqual({ error: null })
    expect(await alive()).toEqual(expected)
    expect(here.stored.has('session')).toBe(scope === 'others')
    expect(here.eventNames().includes('SIGNED_OUT')).toBe(scope !== 'others')
  })

  test('ends every session by default', async () => {
    const { here, alive } = await threeDevices()
    expect(await here.auth.signOut()).toEqual({ error: null })
    expect(await alive()).toEqual([false, false, false])
  })

  test('invalidates an unexpired access token where the server looks up sessions', async () => {
    const { auth, session } = await world.signUp()
    await auth.signOut()
    const { data, error } = await world.openClient().auth.getUser(session.access_token)
    expect(error).toMatchObject({ name: 'AuthSessionMissingError' })
    expect(data).toEqual({ user: null })
  })

  test('succeeds if the session had already ended', async () => {
    const { auth, stored, user } = await world.signUp()
    await world.admin.execute(sql`delete from auth.sessions where user_id = ${user.id}`)
    expect(await auth.signOut()).toEqual({ error: null })
    expect(stored.has('session')).toBe(false)
  })

  test('succeeds if the user was deleted', async () => {
    const { auth, stored, user } = await world.signUp()
    await world.admin.execute(sql`delete from auth.users where id = ${user.id}`)
    expect(await auth.signOut()).toEqual({ error: null })
    expect(stored.has('session')).toBe(false)
  })

  test('succeeds if no user is signed in', async () => {
    const { auth, requests } = world.openClient()
    expect(await auth.signOut()).toEqual({ error: null })
    expect(requests).toEqual([])
  })

  describe('refused', () => {
    test('refuses an unknown scope', async () => {
      const { session } = await world.signUp()
      const response = await fetch(`${world.url}/auth/v1/logout?scope=everyone`, {
        method: 'POST',
        headers: { apikey: world.anonKey, authorization: `Bearer ${session.access_token}` },
      })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error_code: 'validation_failed' })
    })
  })
})
