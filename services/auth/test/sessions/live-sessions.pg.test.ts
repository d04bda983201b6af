import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { importJWK, type JWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { sql, type Pool } from '@holdfast/postgres'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD, type SessionBody } from '../open-auth-world.ts'
import type { TokenClaims } from '../../src/tokens/claims.ts'
import { type LiveSessions, openLiveSessions } from '../../src/sessions/live-sessions.ts'

/** How soon an ending has to be known everywhere, in milliseconds. */
const SOON = { timeout: 60_000, interval: 20 }

let world: AuthWorld
let app: AuthApp
let asked = 0
let sessions: LiveSessions
/** Another process of the same database. */
let elsewhere: LiveSessions

function open(url = world.db.url, pool: Pool = world.db.pool, { auth }: AuthApp = app): Promise<LiveSessions> {
  return openLiveSessions({
    url,
    pool,
    isRevoked: (claims) => auth.isRevoked(claims),
    clock: { now: () => Date.now() },
    logger: silentLogger,
  })
}

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp()
  const counting: Pool = {
    ...world.db.pool,
    query: (query) => {
      asked += 1
      return world.db.pool.query(query)
    },
  }
  sessions = await open(world.db.url, counting)
  elsewhere = await open()
})

afterAll(async () => {
  await sessions?.[Symbol.asyncDispose]()
  await elsewhere?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

async function signUp(): Promise<{ readonly body: SessionBody; readonly claims: TokenClaims; readonly email: string }> {
  const email = `${crypto.randomUUID()}@example.org`
  const body = await app.signUp(email)
  return { body, claims: await app.auth.verifyToken(body.access_token), email }
}

const run = (query: Parameters<Pool['execute']>[0]) => world.db.pool.execute(query)

const endings: readonly (readonly [
  title: string,
  code: string,
  end: (userId: string, sessionId: string) => Promise<unknown>,
])[] = [
  ['the session is deleted', 'session_not_found', (_, id) => run(sql`delete from auth.sessions where id = ${id}`)],
  ['all sessions are cut off', 'session_not_found', () => run(sql`truncate auth.sessions cascade`)],
  [
    'the session is given an end',
    'session_expired',
    (_, id) => run(sql`update auth.sessions set not_after = now() - interval '1 s' where id = ${id}`),
  ],
  ['the account is deleted', 'session_not_found', (id) => run(sql`delete from auth.users where id = ${id}`)],
  [
    'the account is deleted softly',
    'session_not_found',
    (id) => run(sql`update auth.users set deleted_at = now() where id = ${id}`),
  ],
  [
    'the account is banned',
    'user_banned',
    (id) => run(sql`update auth.users set banned_until = now() + interval '1 h' where id = ${id}`),
  ],
]

describe.each(endings)('when %s', (_title, code, end) => {
  test('its tokens are refused and its streams end, in every process', async () => {
    const { claims } = await signUp()
    const other = await signUp()
    const ended = vi.fn()
    const stays = vi.fn()
    using _here = sessions.watch(claims, ended)
    using _there = elsewhere.watch(claims, ended)
    using _other = elsewhere.watch(other.claims, stays)
    for (const one of [sessions, elsewhere]) await one.require(claims)
    await end(claims.sub ?? '', claims.session_id ?? '')
    await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(2), SOON)
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ code, status: 403 }))
    for (const one of [sessions, elsewhere]) await expect(one.require(claims)).rejects.toMatchObject({ code })
    if (!_title.startsWith('all')) {
      await elsewhere.require(other.claims)
      expect(stays).not.toHaveBeenCalled()
    }
  })
})

test('when a signing key is revoked what its tokens opened ends, in every process', async () => {
  await using server = await world.openApp()
  await using theirs = await open(world.db.url, world.db.pool, server)
  const { body } = await signUp()
  const [key] = await world.db.pool.query<{ kid: string; private_jwk: JWK }>(
    sql`select kid, private_jwk from auth.signing_keys where status = 'current'`,
  )
  const { kid = '', private_jwk: stolen = {} } = key ?? {}
  const forged = await new SignJWT({ role: 'service_role' })
    .setProtectedHeader({ alg: 'ES256', kid })
    .sign(await importJWK(stolen, 'ES256'))
  const ended = vi.fn()
  const stays = vi.fn()
  using watches = new DisposableStack()
  for (const [one, { auth }] of [[sessions, app] as const, [theirs, server] as const]) {
    for (const token of [body.access_token, forged]) watches.use(one.watch(await auth.verifyToken(token), ended))
    watches.use(one.watch(await auth.verifyToken(auth.apiKeys.serviceRole), stays))
  }
  const manage = (method: 'POST' | 'DELETE', path: string, payload?: object) =>
    app.call({
      method,
      url: `/admin/signing-keys${path}`,
      token: app.auth.apiKeys.serviceRole,
      ...(payload && { payload }),
    })
  await manage('POST', '', {})
  await manage('POST', '/rotate', { at_once: true })
  watches.use(sessions.watch(await app.auth.verifyToken((await signUp()).body.access_token), stays))
  expect((await manage('DELETE', `/${kid}`)).status).toBe(200)
  await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(4), SOON)
  expect(ended).toHaveBeenCalledWith(expect.objectContaining({ code: 'bad_jwt', status: 401 }))
  expect(stays).not.toHaveBeenCalled()
})

test('a person who changes the password stays in that session and leaves all others', async () => {
  const { body, claims, email } = await signUp()
  const second = await app.signIn(email, PASSWORD)
  const secondClaims = await app.auth.verifyToken(second.body.access_token ?? '')
  for (const one of [claims, secondClaims]) await sessions.require(one)
  const ended = vi.fn()
  using _watch = sessions.watch(secondClaims, ended)
  await app.call({ method: 'PUT', url: '/user', token: body.access_token, payload: { password: `${PASSWORD} 2` } })
  await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce(), SOON)
  await expect(sessions.require(secondClaims)).rejects.toMatchObject({ code: 'session_not_found' })
  await sessions.require(claims)
})

test('a ban that is lifted lets the person go on', async () => {
  const { claims } = await signUp()
  await run(sql`update auth.users set banned_until = now() + interval '1 h' where id = ${claims.sub ?? null}`)
  await expect(sessions.require(claims)).rejects.toMatchObject({ code: 'user_banned' })
  await run(sql`update auth.users set banned_until = null where id = ${claims.sub ?? null}`)
  await vi.waitFor(() => sessions.require(claims), SOON)
})

test('requests of a session ask Postgres once, and those that come together ask together', async () => {
  const people = await Promise.all(Array.from({ length: 20 }, signUp))
  asked = 0
  await Promise.all(people.flatMap(({ claims }) => [sessions.require(claims), sessions.require(claims)]))
  expect(asked).toBeLessThanOrEqual(2)
  asked = 0
  for (const { claims } of people) await sessions.require(claims)
  expect(asked).toBe(0)
})

test('a session of another user is none', async () => {
  const [one, other] = [await signUp(), await signUp()]
  await expect(sessions.require({ ...one.claims, sub: other.claims.sub ?? '' })).rejects.toMatchObject({
    code: 'session_not_found',
  })
})

test.each([
  ['an API key', { role: 'service_role' }],
  ['a token of another issuer', { sub: 'somebody', role: 'authenticated' }],
  ['a token with the session of another issuer', { sub: 'somebody', session_id: 'session_01H' }],
])('%s names no session that could have ended', async (_title, claims) => {
  await sessions.require(claims)
})

test('an operator who looks at what a person has is let in, also when the person is not', async () => {
  const { claims } = await signUp()
  await run(sql`update auth.users set banned_until = now() + interval '1 h' where id = ${claims.sub ?? null}`)
  const looking = await app.auth.impersonate(claims.sub ?? '', 60)
  await sessions.require(looking?.claims ?? {})
  await expect(sessions.require(claims)).rejects.toMatchObject({ code: 'user_banned' })
})

test('many endings at once are all heard', async () => {
  const people = await Promise.all(Array.from({ length: 30 }, signUp))
  const ended = vi.fn()
  using watches = new DisposableStack()
  for (const { claims } of people) watches.use(elsewhere.watch(claims, ended))
  // Together with 450 sessions without a watcher, so that one announcement does not hold them.
  await run(sql`
    insert into auth.sessions (id, user_id, created_at)
    select gen_random_uuid(), ${people[0]?.claims.sub ?? null}::uuid, now() from generate_series(1, 450)
  `)
  await run(sql`delete from auth.sessions`)
  await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(30), SOON)
})

test('over a line that is dead without a word, an ending is known all the same', async () => {
  await using line = await openSilentLine(world.db.url)
  await using deaf = await open(line.url)
  const { claims } = await signUp()
  const ended = vi.fn()
  using _watch = deaf.watch(claims, ended)
  await deaf.require(claims)
  line.swallow()
  await run(sql`delete from auth.sessions where id = ${claims.session_id ?? null}`)
  await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce(), { timeout: 60_000, interval: 50 })
  await expect(deaf.require(claims)).rejects.toMatchObject({ code: 'session_not_found' })
})

/** A line to Postgres that can keep its connections open and pass nothing any more. */
async function openSilentLine(target: string): Promise<AsyncDisposable & { url: string; swallow(): void }> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let isSilent = false
  const server = createServer((near) => {
    const far = connect({ host: hostname, port: Number(port) })
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => void (isSilent || to.write(chunk)))
      from.on('error', () => undefined)
      from.on('close', () => void (isSilent || to.destroy()))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(target)
  url.port = String((server.address() as AddressInfo).port)
  url.hostname = '127.0.0.1'
  return {
    url: url.href,
    swallow: () => (isSilent = true),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
