import { runsOf } from '@holdfast/test-support'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'

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

describe('a refresh token', () => {
  test('is exchanged once for the next one', async () => {
    const first = await app.signUp()
    const second = await app.refresh(first.refresh_token)
    expect(second).toMatchObject({
      status: 200,
      body: { token_type: 'bearer', expires_in: 3600, user: { id: first.user.id } },
    })
    expect(second.body.refresh_token).not.toBe(first.refresh_token)
    expect((await app.refresh(second.body.refresh_token)).status).toBe(200)
  })

  test('gives two tabs that refresh at once the same next one, round after round', async () => {
    let current = (await app.signUp()).refresh_token
    for (let round = 0; round < runsOf(60); round++) {
      const answers = await Promise.all([app.refresh(current), app.refresh(current)])
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      const [one, two] = answers.map(({ body }) => body.refresh_token as string)
      expect(one).toBe(two)
      current = one ?? ''
    }
    const [{ active } = { active: 0 }] = await world.db.pool.query<{ active: number }>(sql`
      select count(*)::int4 as active from auth.refresh_tokens
       where not revoked and session_id = (select session_id from auth.refresh_tokens where token = ${current})
    `)
    expect(active).toBe(1)
  })

  test('is exchanged however many others of its address are, right or wrong ones, and has a limit of its own', async () => {
    const limited = await world.openApp({ rateLimitTokenRefresh: 2, rateLimitLoopbackExempt: false })
    const people = [await limited.signUp(), await limited.signUp(), await limited.signUp(), await limited.signUp()]
    const wrong = []
    for (let count = 0; count < 3; count++) wrong.push((await limited.refresh('wrong')).status)
    expect(wrong).toEqual([400, 400, 429])
    const answers = []
    for (const person of people) answers.push(await limited.refresh(person.refresh_token))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const again = await limited.refresh(answers[0]?.body.refresh_token)
    expect(again.status).toBe(200)
    expect(await limited.refresh(again.body.refresh_token)).toMatchObject({
      status: 429,
      body: { code: 'over_request_rate_limit' },
      headers: { 'retry-after': '150' },
    })
    expect((await limited.refresh(answers[1]?.body.refresh_token)).status).toBe(200)
  })

  test('of long ago still gives the newest one when that was made from it, because the answer may have been lost', async () => {
    const first = await app.signUp()
    const lost = await app.refresh(first.refresh_token)
    world.nowMs += 24 * 3_600_000
    expect(await app.refresh(first.refresh_token)).toMatchObject({
      status: 200,
      body: { refresh_token: lost.body.refresh_token },
    })
  })

  test('older than the newest may be used again within the reuse interval', async () => {
    const first = await app.signUp()
    const second = await app.refresh(first.refresh_token)
    const third = await app.refresh(second.body.refresh_token)
    world.nowMs += 10_000
    expect(await app.refresh(first.refresh_token)).toMatchObject({
      status: 200,
      body: { refresh_token: third.body.refresh_token },
    })
  })

  test('older than the newest ends the whole family after the interval, the newest included, at once', async () => {
    const first = await app.signUp()
    const second = await app.refresh(first.refresh_token)
    const third = await app.refresh(second.body.refresh_token)
    world.nowMs += 10_001
    for (const token of [
      first.refresh_token,
      third.body.refresh_token,
      second.body.refresh_token,
      first.refresh_token,
    ]) {
      expect(await app.refresh(token)).toMatchObject({ status: 400, body: { code: 'refresh_token_already_used' } })
    }
    const entries = await world.db.pool.query(sql`
      select payload ->> 'action' as action from auth.audit_log_entries where payload ->> 'actor_id' = ${first.user.id} order by created_at
    `)
    expect(entries).toContainEqual({ action: 'token_revoked' })
  })

  test('of one session survives the end of another', async () => {
    const first = await app.signUp('two@example.org')
    const payload = { email: 'two@example.org', password: PASSWORD }
    const other = await app.call({ method: 'POST', url: '/token?grant_type=password', payload })
    await app.call({ method: 'POST', url: '/logout?scope=local', token: other.body.access_token as string })
    expect((await app.refresh(other.body.refresh_token)).body).toMatchObject({ code: 'refresh_token_not_found' })
    expect((await app.refresh(first.refresh_token)).status).toBe(200)
  })

  test('is worth nothing after the end of its session, also when both happen at once', async () => {
    for (let round = 0; round < runsOf(20); round++) {
      const session = await app.signUp()
      const [, refreshed] = await Promise.all([
        app.call({ method: 'POST', url: '/logout', token: session.access_token }),
        app.refresh(session.refresh_token),
      ])
      const latest = (refreshed.body.refresh_token as string | undefined) ?? session.refresh_token
      expect(await app.refresh(latest)).toMatchObject({ status: 400, body: { code: 'refresh_token_not_found' } })
    }
  })

  test('is refused when its session has run out', async () => {
    const session = await app.signUp()
    await world.db.pool.execute(sql`
      update auth.sessions set not_after = ${new Date(world.nowMs + 1000).toISOString()} where user_id = ${session.user.id}
    `)
    const next = await app.refresh(session.refresh_token)
    expect(next.status).toBe(200)
    world.nowMs += 1000
    expect(await app.refresh(next.body.refresh_token)).toMatchObject({ status: 400, body: { code: 'session_expired' } })
  })
})
