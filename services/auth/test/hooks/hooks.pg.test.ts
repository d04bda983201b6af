import { createHmac, timingSafeEqual } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'
import { type HttpListener, openHttpListener } from '../open-http-listener.ts'
import { totpCode, totpStepAt } from '../../src/mfa/totp.ts'
import type { AuthOptions } from '../../src/options/auth-options.ts'

const SECRET = Buffer.alloc(32, 5)

let world: AuthWorld

beforeAll(async () => {
  world = await openAuthWorld()
  await world.db.pool.withClient((client) =>
    client.query(`
      create schema hooks;
      create table hooks.calls (id bigint generated always as identity, name text, event jsonb);
      create function hooks.add_team(event jsonb) returns jsonb language plpgsql as $$
      begin
        insert into hooks.calls (name, event) values ('add_team', event);
        return jsonb_build_object('claims', event -> 'claims' || '{"team":"north","role":"authenticated"}');
      end $$;
      create function hooks.drop_sub(event jsonb) returns jsonb language sql as
        $$ select jsonb_build_object('claims', (event -> 'claims') - 'sub') $$;
      create function hooks.answer_nothing(event jsonb) returns jsonb language sql as $$ select null::jsonb $$;
      create function hooks.answer_void(event jsonb) returns void language plpgsql as $$ begin end $$;
      create function hooks.fail(event jsonb) returns jsonb language plpgsql as
        $$ begin raise exception 'secret details'; end $$;
      create function hooks.sleep(event jsonb) returns jsonb language plpgsql as
        $$ begin perform pg_sleep(600); return '{}'; end $$;
      create function hooks."Mixed_Case"(event jsonb) returns jsonb language plpgsql as $$
      begin
        insert into hooks.calls (name, event) values ('new user', event);
        if exists (select from auth.users where email = event #>> '{user,email}') then
          return '{"error":{"http_code":409,"message":"seen too early"}}';
        end if;
        if event #>> '{user,email}' like '%@blocked.example' then
          return '{"error":{"http_code":403,"message":"Use another address."}}';
        end if;
        return '{}';
      end $$;
      create function hooks.three_attempts(event jsonb) returns jsonb language plpgsql as $$
      begin
        insert into hooks.calls (name, event) values ('password', event);
        if (select count(*) from hooks.calls as call where call.name = 'password'
              and call.event ->> 'user_id' = three_attempts.event ->> 'user_id'
              and call.event ->> 'valid' = 'false') > 2 then
          return '{"decision":"reject","message":"Locked for today.","should_logout_user":true}';
        end if;
        return '{"decision":"continue"}';
      end $$;
      create function hooks.no_second_try(event jsonb) returns jsonb language plpgsql as $$
      begin
        insert into hooks.calls (name, event) values ('mfa', event);
        return jsonb_build_object('decision', case when (event ->> 'valid')::boolean then 'continue' else 'reject' end);
      end $$;
      grant usage on schema hooks to supabase_auth_admin;
      grant select, insert on hooks.calls to supabase_auth_admin;
      revoke execute on function hooks.no_second_try from authenticated, anon, public;
      grant execute on function hooks.no_second_try to supabase_auth_admin;
    `),
  )
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(() => world.db.pool.execute(sql`truncate hooks.calls`))

interface Call {
  readonly name: string
  readonly event: Readonly<Record<string, unknown>>
}
const calls = (): Promise<Call[]> => world.db.pool.query<Call>(sql`select name, event from hooks.calls order by id`)

const open = (options: Partial<AuthOptions>): Promise<AuthApp> => world.openApp(options)
const inPostgres = (name: string): string => `pg-functions://postgres/hooks/${name}`
const overHttp = (hook: HttpListener): [string, string] => [hook.url, `v1,whsec_${SECRET.toString('base64')}`]

const signUp = (app: AuthApp, email = `${crypto.randomUUID()}@example.org`) =>
  app.call({ method: 'POST', url: '/signup', payload: { email, password: PASSWORD } })

const userCount = async (email: string): Promise<number> =>
  (await world.db.pool.query(sql`select 1 from auth.users where email = ${email}`)).length

const METADATA = { uuid: expect.any(String) as string, time: expect.any(String) as string }

describe('the custom access token hook', () => {
  test('in Postgres adds claims, at sign-up and at every refresh', async () => {
    await using app = await open({ hookCustomAccessTokenUri: inPostgres('add_team') })
    const session = await app.signUp('team@example.org')
    const claims = decodeJwt(session.access_token)
    expect(claims).toMatchObject({ team: 'north', email: 'team@example.org', session_id: expect.any(String) as string })
    const refreshed = await app.refresh(session.refresh_token)
    expect(decodeJwt(refreshed.body.access_token ?? '')).toMatchObject({ team: 'north' })

    const [first, second] = await calls()
    const { team: _, ...ours } = claims
    expect(first?.event).toEqual({
      metadata: { ...METADATA, name: 'customize-access-token', ip_address: '127.0.0.1' },
      user_id: session.user.id,
      claims: ours,
      authentication_method: 'password',
    })
    expect(second?.event).toMatchObject({ authentication_method: 'token_refresh' })
  })

  test.each([
    ['drop_sub', 'output claims do not conform to the expected schema: \n- (root): sub is required\n'],
    ['answer_nothing', 'output claims field is missing'],
    ['answer_void', 'Error unmarshaling JSON output.'],
    ['fail', `Error running hook URI: ${inPostgres('fail')}`],
    ['not_there', `Error running hook URI: ${inPostgres('not_there')}`],
  ])('%s refuses the sign-up and leaves nothing behind', async (name, message) => {
    await using app = await open({ hookCustomAccessTokenUri: inPostgres(name) })
    const email = `${name}@example.org`
    const { status, body } = await signUp(app, email)
    expect({ status, body }).toEqual({ status: 500, body: { code: 'unexpected_failure', message } })
    expect(await userCount(email)).toBe(0)
  })

  test('over HTTP that fails signs nobody out: a refresh is answered so that clients ask again', async () => {
    await using plain = await open({})
    const email = 'crew@example.org'
    const session = await plain.signUp(email)
    await using hook = await openHttpListener(() => ({
      body: '<h1>Bad gateway</h1>',
      headers: { 'content-type': 'text/html' },
    }))
    const [hookCustomAccessTokenUri, hookCustomAccessTokenSecrets] = overHttp(hook)
    await using app = await open({ hookCustomAccessTokenUri, hookCustomAccessTokenSecrets })
    const refusal = { code: 'hook_payload_invalid_content_type' }
    // auth-js forgets a session whose refresh is refused with a status below 500.
    expect(await app.refresh(session.refresh_token)).toMatchObject({ status: 503, body: refusal })
    expect(await app.signIn(email, PASSWORD)).toMatchObject({ status: 400, body: refusal })
    expect((await plain.refresh(session.refresh_token)).status).toBe(200)
  })

  test('that takes longer than two seconds is stopped', async () => {
    await using app = await open({ hookCustomAccessTokenUri: inPostgres('sleep') })
    const { status } = await signUp(app)
    expect(status).toBe(500)
  })

  test('that makes the token too long refuses', async () => {
    await using hook = await openHttpListener(({ body }) => ({
      body: { claims: { ...(JSON.parse(body) as { claims: object }).claims, big: 'x'.repeat(20_000) } },
    }))
    const [hookCustomAccessTokenUri, hookCustomAccessTokenSecrets] = overHttp(hook)
    await using app = await open({ hookCustomAccessTokenUri, hookCustomAccessTokenSecrets })
    expect(await signUp(app)).toMatchObject({ status: 500, body: { code: 'unexpected_failure' } })
  })
})

describe('the hook before a user is created', () => {
  test('hears of the account before it is there, and lets it through', async () => {
    await using app = await open({ hookBeforeUserCreatedUri: inPostgres('Mixed_Case') })
    const session = await app.signUp('welcome@example.org')
    const [call, ...others] = await calls()
    expect(others).toEqual([])
    expect(call?.event).toMatchObject({
      metadata: { ...METADATA, name: 'before-user-created', ip_address: '127.0.0.1' },
      user: {
        id: session.user.id,
        aud: 'authenticated',
        role: 'authenticated',
        email: 'welcome@example.org',
        phone: '',
        app_metadata: { provider: 'email', providers: ['email'] },
        identities: [],
        is_anonymous: false,
      },
    })
    expect(JSON.stringify(call?.event)).not.toContain('encrypted_password')
  })

  test('refuses with its own status and words', async () => {
    await using app = await open({ hookBeforeUserCreatedUri: inPostgres('Mixed_Case') })
    expect(await signUp(app, 'me@blocked.example')).toMatchObject({
      status: 403,
      body: { code: 'unknown', message: 'Use another address.' },
    })
    expect(await userCount('me@blocked.example')).toBe(0)
  })

  test('is not asked about a user who has an account', async () => {
    await using app = await open({ hookBeforeUserCreatedUri: inPostgres('Mixed_Case') })
    await app.signUp('twice@example.org')
    expect(await signUp(app, 'twice@example.org')).toMatchObject({ status: 422, body: { code: 'user_already_exists' } })
    expect(await calls()).toHaveLength(1)
  })

  test('over HTTP verifies our signature', async () => {
    await using hook = await openHttpListener(({ headers, body }) => {
      const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
      const expected = Buffer.from(`v1,${createHmac('sha256', SECRET).update(text).digest('base64')}`)
      const given = Buffer.from(String(headers['webhook-signature']))
      const isGenuine = given.length === expected.length && timingSafeEqual(given, expected)
      return isGenuine ? { body: {} } : { status: 401 }
    })
    const [hookBeforeUserCreatedUri, hookBeforeUserCreatedSecrets] = overHttp(hook)
    await using right = await open({ hookBeforeUserCreatedUri, hookBeforeUserCreatedSecrets })
    expect((await signUp(right)).status).toBe(200)
    const other = `v1,whsec_${Buffer.alloc(32, 6).toString('base64')}`
    await using wrong = await open({ hookBeforeUserCreatedUri, hookBeforeUserCreatedSecrets: other })
    expect(await signUp(wrong)).toMatchObject({
      status: 500,
      body: { message: 'Hook requires authorization token' },
    })
  })
})

describe('the hook of passwords that are tried', () => {
  test('counts what fails, locks, and ends the sessions', async () => {
    await using app = await open({ hookPasswordVerificationAttemptUri: inPostgres('three_attempts') })
    const email = 'locked@example.org'
    const session = await app.signUp(email)
    expect((await app.signIn(email, PASSWORD)).status).toBe(200)
    for (let attempt = 1; attempt <= 2; attempt++) {
      expect(await app.signIn(email, 'wrong password')).toMatchObject({
        status: 400,
        body: { code: 'invalid_credentials', message: 'Invalid login credentials' },
      })
    }
    expect((await app.call({ method: 'GET', url: '/user', token: session.access_token })).status).toBe(200)
    const locked = { status: 400, body: { code: 'invalid_credentials', message: 'Locked for today.' } }
    expect(await app.signIn(email, 'wrong password')).toMatchObject(locked)
    expect(await app.signIn(email, PASSWORD)).toMatchObject(locked)
    expect(await app.call({ method: 'GET', url: '/user', token: session.access_token })).toMatchObject({
      status: 403,
      body: { code: 'session_not_found' },
    })
    expect((await calls()).map(({ event }) => event['valid'])).toEqual([true, false, false, false, true])
    expect((await calls())[0]?.event).toEqual({
      metadata: { ...METADATA, name: 'password-verification', ip_address: '127.0.0.1' },
      user_id: session.user.id,
      valid: true,
    })
  })

  test('is not called for an unknown user', async () => {
    await using app = await open({ hookPasswordVerificationAttemptUri: inPostgres('three_attempts') })
    expect((await app.signIn('nobody@example.org', PASSWORD)).status).toBe(400)
    expect(await calls()).toEqual([])
  })

  test('leaves time for a change of the password, after which the old one signs nobody in', async () => {
    await using quick = await open({})
    const email = 'changed-meanwhile@example.org'
    const { access_token: token } = await quick.signUp(email)
    const changes: Promise<{ readonly status: number }>[] = []
    await using hook = await openHttpListener(async () => {
      const payload = { password: 'a better password' }
      if (changes.length === 0) changes.push(quick.call({ method: 'PUT', url: '/user', token, payload }))
      await Promise.all(changes)
      return { body: { decision: 'continue' } }
    })
    const [hookPasswordVerificationAttemptUri, hookPasswordVerificationAttemptSecrets] = overHttp(hook)
    await using app = await open({ hookPasswordVerificationAttemptUri, hookPasswordVerificationAttemptSecrets })
    expect(await app.signIn(email, PASSWORD)).toMatchObject({ status: 400, body: { code: 'invalid_credentials' } })
    expect((await Promise.all(changes)).map(({ status }) => status)).toEqual([200])
  })

  test('that rejects without a word is given GoTrue’s', async () => {
    await using hook = await openHttpListener(() => ({ body: { decision: 'reject' } }))
    const [hookPasswordVerificationAttemptUri, hookPasswordVerificationAttemptSecrets] = overHttp(hook)
    await using app = await open({ hookPasswordVerificationAttemptUri, hookPasswordVerificationAttemptSecrets })
    await app.signUp('rejected@example.org')
    expect(await app.signIn('rejected@example.org', PASSWORD)).toMatchObject({
      status: 400,
      body: { message: 'Further password verification attempts will be rejected.' },
    })
  })
})

describe('the hook of second factors that are tried', () => {
  test('hears of a right and a wrong one, and a rejection ends all sessions and keeps what was counted', async () => {
    await using app = await open({ hookMfaVerificationAttemptUri: inPostgres('no_second_try') })
    const { access_token: token, user } = await app.signUp()
    const post = (url: string, payload: object) => app.call({ method: 'POST', url, payload, token })
    const enrolled = (await post('/factors', { factor_type: 'totp', friendly_name: 'phone' })).body as unknown as {
      readonly id: string
      readonly totp: { readonly secret: string }
    }
    const answer = async (code: string) => {
      const challenge = (await post(`/factors/${enrolled.id}/challenge`, {})).body as unknown as { readonly id: string }
      return post(`/factors/${enrolled.id}/verify`, { challenge_id: challenge.id, code })
    }
    const right = await answer(totpCode(enrolled.totp.secret, totpStepAt(world.nowMs)))
    expect(right.status).toBe(200)
    expect(await answer('abcdef')).toMatchObject({
      status: 403,
      body: { code: 'mfa_verification_rejected', message: 'Further MFA verification attempts will be rejected.' },
    })
    expect((await app.refresh(right.body.refresh_token)).status).toBe(400)
    const attempt = { user_id: user.id, factor_id: enrolled.id, factor_type: 'totp' }
    expect((await calls()).map(({ event }) => event)).toEqual([
      { metadata: { ...METADATA, name: 'mfa-verification', ip_address: '127.0.0.1' }, ...attempt, valid: true },
      { metadata: { ...METADATA, name: 'mfa-verification', ip_address: '127.0.0.1' }, ...attempt, valid: false },
    ])
  })
})

test('a hook that cannot be used refuses the start', async () => {
  await expect(open({ hookSendEmailUri: 'http://mails.example/' })).rejects.toThrow('hookSendEmailUri: http: is for')
  await expect(open({ hookSendSmsUri: 'https://sms.example/', hookSendSmsSecrets: 'x' })).rejects.toThrow(
    'hookSendSmsSecrets: a secret reads',
  )
})
