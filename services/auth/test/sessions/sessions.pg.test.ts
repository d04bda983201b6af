import { createHash, createHmac, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'

const HOUR_MS = 3_600_000

let world: AuthWorld
let app: AuthApp

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp()
})

beforeEach(() => {
  world.nowMs = Date.now()
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

describe('limits of sessions', () => {
  test('a session ends when its time is over, however often it is refreshed', async () => {
    const boxed = await world.openApp({ sessionsTimebox: 7200 })
    let { refresh_token: token } = await boxed.signUp()
    world.nowMs += 1.5 * HOUR_MS
    token = (await boxed.refresh(token)).body.refresh_token ?? ''
    world.nowMs += HOUR_MS
    expect(await boxed.refresh(token)).toMatchObject({
      status: 400,
      body: { code: 'session_expired', message: 'Invalid Refresh Token: Session Expired' },
    })
    expect((await app.refresh(token)).status).toBe(200)
  })

  test('a session ends when it was not used for too long', async () => {
    const watched = await world.openApp({ sessionsInactivityTimeout: 7200 })
    let { refresh_token: token } = await watched.signUp()
    for (let hour = 0; hour < 4; hour++) {
      world.nowMs += HOUR_MS
      token = (await watched.refresh(token)).body.refresh_token ?? ''
    }
    world.nowMs += 3 * HOUR_MS
    expect(await watched.refresh(token)).toMatchObject({
      status: 400,
      body: { code: 'session_expired', message: 'Invalid Refresh Token: Session Expired (Inactivity)' },
    })
  })

  test('with one session for each person, signing in elsewhere ends the first', async () => {
    const single = await world.openApp({ sessionsSinglePerUser: true })
    const email = 'single@example.org'
    const first = await single.signUp(email)
    world.nowMs += 1000
    const second = await single.signIn(email, PASSWORD)
    world.nowMs += 1000
    expect((await single.refresh(first.refresh_token)).body).toMatchObject({
      code: 'session_expired',
      message: 'Invalid Refresh Token: Session Expired (Revoked by Newer Login)',
    })
    expect((await single.refresh(second.body.refresh_token)).status).toBe(200)
  })

  test('without rotation a refresh token lasts', async () => {
    const lasting = await world.openApp({ enableRefreshTokenRotation: false })
    const { refresh_token: token } = await lasting.signUp()
    for (let hour = 0; hour < 3; hour++) {
      world.nowMs += HOUR_MS
      expect((await lasting.refresh(token)).body.refresh_token).toBe(token)
    }
  })

  test('a device that was away for a week is still signed in', async () => {
    const { refresh_token: token } = await app.signUp()
    world.nowMs += 7 * 24 * HOUR_MS
    expect((await app.refresh(token)).status).toBe(200)
  })
})

describe("one's own sessions", () => {
  const list = async (token: string): Promise<{ id: string; current: boolean; user_agent: string }[]> =>
    (await app.call({ url: '/user/sessions', token })).body as never

  test('are listed with where they are used, the latest first', async () => {
    const email = 'devices@example.org'
    const here = await app.signUp(email)
    world.nowMs += 1000
    await app.call({
      method: 'POST',
      url: '/token?grant_type=password',
      payload: { email, password: PASSWORD },
      headers: { 'user-agent': 'Phone' },
    })
    const sessions = await list(here.access_token)
    expect(sessions).toMatchObject([
      { current: false, user_agent: 'Phone', aal: 'aal1', amr: [{ method: 'password' }], ip: '127.0.0.1' },
      { current: true },
    ])
  })

  test('are ended one by one', async () => {
    const email = 'ended@example.org'
    const here = await app.signUp(email)
    const there = await app.signIn(email, PASSWORD)
    const other = (await list(here.access_token)).find((session) => !session.current)
    const end = (id: string | undefined, token = here.access_token) =>
      app.call({ method: 'DELETE', url: `/user/sessions/${id}`, token })
    expect((await end(other?.id)).status).toBe(204)
    expect((await app.refresh(there.body.refresh_token)).status).toBe(400)
    expect((await app.refresh(here.refresh_token)).status).toBe(200)
    expect(await end(other?.id)).toMatchObject({ status: 404, body: { code: 'session_not_found' } })
    expect((await end('not-an-id')).status).toBe(400)
  })

  test('are no other user’s to end', async () => {
    const mine = await app.signUp()
    const theirs = await app.signUp()
    const [session] = await list(theirs.access_token)
    expect(
      await app.call({ method: 'DELETE', url: `/user/sessions/${session?.id}`, token: mine.access_token }),
    ).toMatchObject({ status: 404 })
    expect((await app.refresh(theirs.refresh_token)).status).toBe(200)
  })
})

describe('a refresh token that GoTrue has signed', () => {
  /** As GoTrue writes them: version, session, counter, signature, checksum. */
  function sign(sessionId: string, counter: number, key: Buffer): string {
    const signed = Buffer.concat([
      Buffer.from([0]),
      Buffer.from(sessionId.replaceAll('-', ''), 'hex'),
      Buffer.from(counter < 128 ? [counter] : [(counter & 0x7f) | 0x80, counter >> 7]),
    ])
    const body = Buffer.concat([signed, createHmac('sha256', key).update(signed).digest().subarray(0, 16)])
    return Buffer.concat([body, createHash('sha256').update(body).digest().subarray(0, 4)]).toString('base64url')
  }

  async function dumpedSession(counter: number): Promise<{ sessionId: string; key: Buffer }> {
    const { access_token: token, refresh_token: own } = await app.signUp()
    const { session_id: sessionId } = await app.auth.verifyToken(token)
    const key = randomBytes(32)
    await world.db.pool.execute(sql`delete from auth.refresh_tokens where token = ${own}`)
    await world.db.pool.execute(sql`
      update auth.sessions
         set refresh_token_hmac_key = ${key.toString('base64url')}, refresh_token_counter = ${counter}
       where id = ${sessionId ?? null}
    `)
    return { sessionId: sessionId ?? '', key }
  }

  test('goes on as one of ours, and lives twice within the reuse interval', async () => {
    const { sessionId, key } = await dumpedSession(300)
    const token = sign(sessionId, 300, key)
    const [first, second] = await Promise.all([app.refresh(token), app.refresh(token)])
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body.refresh_token).toBe(first.body.refresh_token)
    world.nowMs += 5000
    const next = await app.refresh(first.body.refresh_token)
    expect(next.status).toBe(200)
    world.nowMs += HOUR_MS
    expect((await app.refresh(token)).body).toMatchObject({ code: 'refresh_token_already_used' })
    expect((await app.refresh(next.body.refresh_token)).status).toBe(400)
  })

  test('is refused with another key, from an earlier time, and from the future', async () => {
    const { sessionId, key } = await dumpedSession(7)
    expect((await app.refresh(sign(sessionId, 7, randomBytes(32)))).body).toMatchObject({
      code: 'refresh_token_not_found',
    })
    expect((await app.refresh(sign(sessionId, 8, key))).body).toMatchObject({ code: 'validation_failed' })
    expect((await app.refresh(sign(sessionId, 3, key))).body).toMatchObject({ code: 'refresh_token_already_used' })
    expect((await app.refresh(sign(sessionId, 6, key))).status).toBe(200)
  })
})
