import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { readMail, wrongCode } from '../mailbox.ts'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD, type SessionBody } from '../open-auth-world.ts'
import { hashOneTimeToken } from '../../src/one-time-tokens/one-time-tokens.ts'
import { WRONG_CODES_MAX, WRONG_CODE_REFILL_S } from '../../src/limits.ts'

const SITE = 'https://app.example.org'
const CALLBACK = `${SITE}/welcome?from=mail`
const VERIFIER = 'a-code-verifier-of-a-client-that-is-long-enough'
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

let world: AuthWorld
let app: AuthApp

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp({ siteUrl: SITE, emailEnableConfirmations: true, enableManualLinking: true })
})

beforeEach(() => {
  world.nowMs += 10_000
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

const post = (url: string, payload: object) => app.call({ method: 'POST', url, payload })
const verify = (payload: object) => post('/verify', payload)
const open = (tokenHash: string, type: string, redirectTo = CALLBACK) =>
  app.call({ url: `/verify?${new URLSearchParams({ token: tokenHash, type, redirect_to: redirectTo }).toString()}` })
const newEmail = () => `${randomUUID()}@example.org`

async function signUp(email: string, extra: object = {}) {
  const url = `/signup?redirect_to=${encodeURIComponent(CALLBACK)}`
  expect(await post(url, { email, password: PASSWORD, ...extra })).toMatchObject({ status: 200 })
  return readMail(world, email)
}

function targetOf(answer: { readonly status: number; readonly headers: Readonly<Record<string, unknown>> }) {
  expect(answer.status).toBe(303)
  const url = new URL(String(answer.headers['location']))
  return { url, query: url.searchParams, fragment: new URLSearchParams(url.hash.slice(1)) }
}

async function readTokens(email: string) {
  return world.db.pool.query(sql`
    select users.confirmation_token, users.recovery_token, users.email_change_token_new, token.token_hash, token.token_type::text as type,
           token.relates_to
      from auth.users as users left join auth.one_time_tokens as token on token.user_id = users.id
     where users.email = ${email} or users.email_change = ${email}
  `)
}

describe('a request to verify', () => {
  test.each([
    [{ token: '123456', email: 'a@b.org' }, 400, 'validation_failed', 'Verify requires a verification type'],
    [{ type: 'email' }, 400, 'validation_failed', 'Verify requires either a token or a token hash'],
    [
      { type: 'email', token: '1', token_hash: '2' },
      400,
      'validation_failed',
      'Verify requires either a token or a token hash',
    ],
    [
      { type: 'email', token: '1' },
      400,
      'validation_failed',
      'Only an email address or phone number should be provided on verify',
    ],
    [
      { type: 'email', token_hash: 'x', email: 'a@b.org' },
      400,
      'validation_failed',
      'Only the token_hash and type should be provided',
    ],
    [{ type: 'email', token: '1', email: 'nonsense' }, 422, 'validation_failed', 'Invalid email format'],
    [
      { type: 'sms', token: '1', phone: 'nonsense' },
      400,
      'validation_failed',
      'Invalid phone number format (E.164 required)',
    ],
    [{ type: 'sms', token_hash: 'x' }, 400, 'validation_failed', 'Invalid email verification type'],
    [{ type: 'toString', token_hash: 'x' }, 400, 'validation_failed', 'Invalid email verification type'],
    [{ type: 'email', token_hash: 'x' }, 403, 'otp_expired', 'Email link is invalid or has expired'],
    [{ type: 'email', token: '123456', email: 'a@b.org' }, 403, 'otp_expired', 'Token has expired or is invalid'],
    [{ type: 'sms', token: '123456', email: 'a@b.org' }, 403, 'otp_expired', 'Token has expired or is invalid'],
    [{ type: 'signup', token: '123456', phone: '+15550001' }, 403, 'otp_expired', 'Token has expired or is invalid'],
  ])('%j is refused', async (payload, status, code, message) => {
    expect(await verify(payload)).toMatchObject({ status, body: { code, message } })
  })

  test('by a link without a token or a type is refused without a redirect', async () => {
    expect(await app.call({ url: '/verify?type=signup' })).toMatchObject({
      status: 400,
      body: { message: 'Verify requires a token or a token hash' },
    })
    expect(await app.call({ url: '/verify?token=x' })).toMatchObject({
      status: 400,
      body: { message: 'Verify requires a verification type' },
    })
  })
})

describe('the link of a sign-up', () => {
  test('ends at the app with tokens that auth-js takes, once', async () => {
    const email = newEmail()
    const { tokenHash, redirectTo, kind } = await signUp(email)
    expect({ redirectTo, kind }).toEqual({ redirectTo: CALLBACK, kind: 'confirmation' })
    expect(await readTokens(email)).toMatchObject([
      { confirmation_token: tokenHash, token_hash: tokenHash, type: 'confirmation_token', relates_to: email },
    ])

    const answer = await open(tokenHash, 'signup')
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    const { url, fragment } = targetOf(answer)
    expect(url.href.startsWith(`${CALLBACK}#`)).toBe(true)
    expect(Object.fromEntries(fragment)).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      expires_in: '3600',
      expires_at: expect.stringMatching(/^\d+$/),
      token_type: 'bearer',
      type: 'signup',
      sb: '',
    })
    const token = fragment.get('access_token') ?? ''
    expect(await app.auth.verifyToken(token)).toMatchObject({ email, amr: [{ method: 'otp' }] })
    expect(await app.call({ url: '/user', token })).toMatchObject({
      body: {
        email_confirmed_at: expect.any(String),
        user_metadata: { email_verified: true },
        identities: [{ identity_data: { email_verified: true } }],
      },
    })
    expect(await readTokens(email)).toMatchObject([{ confirmation_token: '', token_hash: null }])

    const again = targetOf(await open(tokenHash, 'signup'))
    expect(Object.fromEntries(again.fragment)).toEqual({
      error: 'access_denied',
      error_code: 'otp_expired',
      error_description: 'Email link is invalid or has expired',
      sb: '',
    })
    expect(again.query.get('error')).toBeNull()
  })

  test('is used by one of many that open it at once', async () => {
    const { tokenHash } = await signUp(newEmail())
    const answers = await Promise.all(Array.from({ length: 8 }, () => open(tokenHash, 'signup')))
    const signedIn = answers.filter((answer) => targetOf(answer).fragment.has('access_token'))
    expect(signedIn).toHaveLength(1)
  })

  test('is not used up by a look at where it leads', async () => {
    const { tokenHash } = await signUp(newEmail())
    expect(await app.call({ method: 'HEAD', url: `/verify?type=signup&token=${tokenHash}` })).toMatchObject({
      status: 404,
    })
    expect(targetOf(await open(tokenHash, 'signup')).fragment.has('access_token')).toBe(true)
  })

  test('is good for as long as is set', async () => {
    const early = await signUp(newEmail())
    world.nowMs += 3_600_000
    expect(targetOf(await open(early.tokenHash, 'signup')).fragment.has('access_token')).toBe(true)
    const late = await signUp(newEmail())
    world.nowMs += 3_600_001
    expect(targetOf(await open(late.tokenHash, 'signup')).fragment.get('error_code')).toBe('otp_expired')
  })

  test('is no link of another kind', async () => {
    const { tokenHash } = await signUp(newEmail())
    expect(targetOf(await open(tokenHash, 'recovery')).fragment.get('error_code')).toBe('otp_expired')
    expect(targetOf(await open(tokenHash, 'nonsense')).fragment.get('error_code')).toBe('validation_failed')
    expect(await verify({ type: 'email', token_hash: tokenHash })).toMatchObject({ status: 200 })
  })

  test('leads to the site when the app asked for another', async () => {
    const { tokenHash } = await signUp(newEmail())
    const { url } = targetOf(await open(tokenHash, 'signup', 'https://evil.example.com/'))
    expect(url.origin).toBe(SITE)
  })

  test('signs no banned user in', async () => {
    const email = newEmail()
    const { tokenHash } = await signUp(email)
    await world.db.pool.execute(
      sql`update auth.users set banned_until = ${new Date(world.nowMs + 60_000).toISOString()} where email = ${email}`,
    )
    expect(targetOf(await open(tokenHash, 'signup')).fragment.get('error_code')).toBe('user_banned')
    expect(await verify({ type: 'signup', token_hash: tokenHash })).toMatchObject({
      status: 403,
      body: { code: 'user_banned' },
    })
  })

  test('cannot be made of an address and a guessed code', async () => {
    const email = newEmail()
    const { token, tokenHash } = await signUp(email)
    expect(tokenHash).not.toBe(hashOneTimeToken(email, token))
    expect(await verify({ type: 'email', token_hash: hashOneTimeToken(email, token) })).toMatchObject({ status: 403 })
  })
})

describe('PKCE', () => {
  const pkce = { code_challenge: CHALLENGE, code_challenge_method: 's256' }
  const exchange = (payload: object) => post('/token?grant_type=pkce', payload)

  test.each([
    [{ code_challenge: CHALLENGE }, 'PKCE flow requires code_challenge_method and code_challenge'],
    [
      { code_challenge: 'short', code_challenge_method: 's256' },
      'code challenge has to be between 43 and 128 characters',
    ],
  ])('%j is refused', async (extra, message) => {
    for (const url of ['/signup', '/otp', '/magiclink', '/recover']) {
      const answer = await post(url, { email: newEmail(), password: PASSWORD, ...extra })
      expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed', message } })
    }
  })

  test('ends a sign-up with a code for the client that began it', async () => {
    const email = newEmail()
    const { tokenHash } = await signUp(email, pkce)
    expect(tokenHash).toMatch(/^pkce_[0-9a-f]{56}$/)
    const { url, query } = targetOf(await open(tokenHash, 'signup'))
    expect(url.hash).toBe('')
    expect(query.get('from')).toBe('mail')
    const authCode = query.get('code')

    expect(await exchange({ auth_code: authCode })).toMatchObject({
      status: 400,
      body: { message: 'invalid request: both auth code and code verifier should be non-empty' },
    })
    expect(await exchange({ auth_code: randomUUID(), code_verifier: VERIFIER })).toMatchObject({
      status: 404,
      body: { code: 'flow_state_not_found' },
    })
    expect(await exchange({ auth_code: authCode, code_verifier: 'another' })).toMatchObject({
      status: 400,
      body: { code: 'bad_code_verifier' },
    })
    const answer = await exchange({ auth_code: authCode, code_verifier: VERIFIER })
    expect(answer).toMatchObject({ status: 200, body: { user: { email } } })
    expect(answer.body).not.toHaveProperty('provider_token')
    expect(await app.auth.verifyToken(answer.body.access_token ?? '')).toMatchObject({
      amr: [{ method: 'email/signup' }],
    })
    expect(await exchange({ auth_code: authCode, code_verifier: VERIFIER })).toMatchObject({ status: 404 })
  })

  test('signs in by a link, whose code is good for five minutes', async () => {
    const email = newEmail()
    await verify({ type: 'signup', token_hash: (await signUp(email)).tokenHash })
    const ask = async () => {
      world.nowMs += 2_000
      await post('/otp', { email, ...pkce })
      const { tokenHash } = await readMail(world, email)
      // However long the mail lay there.
      world.nowMs += 600_000
      return targetOf(await open(tokenHash, 'magiclink')).query.get('code')
    }
    const late = await ask()
    world.nowMs += 301_000
    expect(await exchange({ auth_code: late, code_verifier: VERIFIER })).toMatchObject({
      status: 422,
      body: { code: 'flow_state_expired' },
    })
    const answer = await exchange({ auth_code: await ask(), code_verifier: VERIFIER })
    expect(await app.auth.verifyToken(answer.body.access_token ?? '')).toMatchObject({ amr: [{ method: 'magiclink' }] })
  })

  test('finds nobody when the account is being deleted meanwhile', async () => {
    const email = newEmail()
    const { tokenHash } = await signUp(email, pkce)
    const authCode = targetOf(await open(tokenHash, 'signup')).query.get('code')
    const exchanging = await world.db.pool.transaction(async (tx) => {
      await tx.execute(sql`delete from auth.users where email = ${email}`)
      const answer = exchange({ auth_code: authCode, code_verifier: VERIFIER })
      const isWaiting = async (): Promise<boolean> => {
        const [row] = await tx.query<{ waits: boolean }>(sql`
          select exists (select from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))) as waits`)
        return row?.waits === true
      }
      await expect.poll(isWaiting).toBe(true)
      return { answer }
    })
    expect(await exchanging.answer).toMatchObject({ status: 404, body: { code: 'flow_state_not_found' } })
  })

  test('hands on what a provider gave', async () => {
    const email = newEmail()
    const { tokenHash } = await signUp(email, pkce)
    await world.db.pool.execute(sql`
      update auth.flow_state set provider_access_token = 'theirs', provider_refresh_token = 'theirs too'
       where user_id = (select id from auth.users where email = ${email})
    `)
    const code = targetOf(await open(tokenHash, 'signup')).query.get('code')
    expect(await exchange({ auth_code: code, code_verifier: VERIFIER })).toMatchObject({
      status: 200,
      body: { provider_token: 'theirs', provider_refresh_token: 'theirs too' },
    })
  })

  test('says in the query what went wrong, and does not use the link up', async () => {
    const email = newEmail()
    const { tokenHash } = await signUp(email, pkce)
    await world.db.pool.execute(sql`delete from auth.flow_state`)
    const { query, fragment } = targetOf(await open(tokenHash, 'signup'))
    expect(Object.fromEntries(query)).toEqual({
      from: 'mail',
      error: 'invalid_request',
      error_code: 'flow_state_not_found',
      error_description: 'No associated flow state found.',
    })
    expect(fragment.get('error_code')).toBe('flow_state_not_found')
    expect(await readTokens(email)).toMatchObject([{ confirmation_token: tokenHash }])
  })

  test('does not end in tokens when the mark is taken off a link', async () => {
    const { tokenHash } = await signUp(newEmail(), pkce)
    const bare = tokenHash.replace('pkce_', '')
    expect(targetOf(await open(bare, 'signup')).fragment.get('error_code')).toBe('otp_expired')
  })
})

describe('a code', () => {
  test('signs in by its kind or as `email`, once, and not for another address', async () => {
    const email = newEmail()
    const { token } = await signUp(email)
    expect(token).toMatch(/^\d{6}$/)
    expect(await verify({ type: 'email', token, email: newEmail() })).toMatchObject({ status: 403 })
    expect(await verify({ type: 'recovery', token, email })).toMatchObject({ status: 403 })
    expect(await verify({ type: 'email', token, email: email.toUpperCase() })).toMatchObject({
      status: 200,
      body: { token_type: 'bearer', user: { email, role: 'authenticated' } },
    })
    expect(await verify({ type: 'email', token, email })).toMatchObject({ status: 403, body: { code: 'otp_expired' } })
  })

  test('of a client with PKCE is one like the others', async () => {
    const email = newEmail()
    const { token } = await signUp(email, { code_challenge: CHALLENGE, code_challenge_method: 's256' })
    expect(await verify({ type: 'signup', token, email })).toMatchObject({ status: 200 })
  })

  test('has as many digits as is set', async () => {
    const long = await world.openApp({ emailEnableConfirmations: true, emailOtpLength: 10 })
    const email = newEmail()
    await long.call({ method: 'POST', url: '/signup', payload: { email, password: PASSWORD } })
    expect((await readMail(world, email)).token).toMatch(/^\d{10}$/)
  })

  test('that came with a dump of GoTrue works as it would there', async () => {
    const email = newEmail()
    await signUp(email)
    const tokenHash = hashOneTimeToken(email, '123456')
    await world.db.pool.execute(sql`update auth.users set confirmation_token = ${tokenHash} where email = ${email}`)
    await world.db.pool.execute(
      sql`update auth.one_time_tokens set token_hash = ${tokenHash} where relates_to = ${email}`,
    )
    expect(await verify({ type: 'signup', token: '123456', email })).toMatchObject({ status: 200 })
  })

  test('cannot be guessed: after ten wrong ones the right one is refused as well, and its link is not', async () => {
    const email = newEmail()
    const { token, tokenHash } = await signUp(email)
    const wrong = { type: 'email', token: wrongCode(token), email }
    const answers = await Promise.all(Array.from({ length: WRONG_CODES_MAX + 5 }, () => verify(wrong)))
    for (const answer of answers) expect(answer).toMatchObject({ status: 403, body: { code: 'otp_expired' } })
    const refused = await verify({ type: 'email', token, email })
    expect(refused).toMatchObject({ status: 403, body: { message: 'Token has expired or is invalid' } })
    // A new code does not begin from scratch.
    world.nowMs += 1_000
    const next = await signUp(email)
    expect(await verify({ type: 'email', token: next.token, email })).toMatchObject({ status: 403 })
    expect(await verify({ type: 'email', token_hash: tokenHash })).toMatchObject({ status: 403 })
    expect(await verify({ type: 'email', token_hash: next.tokenHash })).toMatchObject({ status: 200 })
  })

  test('may be tried again after a while, and right ones are not counted', async () => {
    const email = newEmail()
    const { token } = await signUp(email)
    const wrong = { type: 'email', token: wrongCode(token), email }
    for (let attempt = 0; attempt < WRONG_CODES_MAX; attempt++) await verify(wrong)
    expect(await verify({ type: 'email', token, email })).toMatchObject({ status: 403 })
    world.nowMs += WRONG_CODE_REFILL_S * 1000
    expect(await verify({ type: 'email', token, email })).toMatchObject({ status: 200 })
    for (let round = 0; round < 3; round++) {
      world.nowMs += 2_000
      await post('/otp', { email })
      const { token: otp } = await readMail(world, email)
      expect(await verify({ type: 'email', token: otp, email })).toMatchObject({ status: 200 })
    }
  })

  test('is limited for each address of clients', async () => {
    const strict = await world.openApp({ rateLimitTokenVerifications: 2, rateLimitLoopbackExempt: false })
    const ask = () => strict.call({ method: 'POST', url: '/verify', payload: { type: 'email', token_hash: 'x' } })
    expect([(await ask()).status, (await ask()).status]).toEqual([403, 403])
    expect(await ask()).toMatchObject({ status: 429, body: { code: 'over_request_rate_limit' } })
    expect((await strict.call({ url: '/verify?type=email&token=x' })).status).toBe(429)
  })
})

test('signing in with a link that was mailed to a new user is signing up', async () => {
  const email = newEmail()
  await post('/otp', { email, data: { name: 'Ada' } })
  const { tokenHash, kind } = await readMail(world, email)
  expect(kind).toBe('confirmation')
  const answer = await verify({ type: 'email', token_hash: tokenHash })
  expect(answer).toMatchObject({ status: 200, body: { user: { email, user_metadata: { name: 'Ada' } } } })
  expect((answer.body as SessionBody).user.id).toBeDefined()
})
