import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { readCode } from '../mailbox.ts'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'
import { totpCode, totpStepAt } from '../../src/mfa/totp.ts'

let world: AuthWorld
let app: AuthApp

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp({ mfaPhoneEnrollEnabled: true, mfaPhoneVerifyEnabled: true })
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

interface Person {
  readonly id: string
  readonly email: string
  token: string
  refreshToken: string
}

interface Totp {
  readonly id: string
  readonly secret: string
}

async function newPerson(): Promise<Person> {
  const email = `${randomUUID()}@example.org`
  const { user, access_token: token, refresh_token: refreshToken } = await app.signUp(email)
  return { id: user.id, email, token, refreshToken }
}

function post(person: Person, url: string, payload: object = {}) {
  return app.call({ method: 'POST', url, payload, token: person.token })
}

async function enrollTotp(person: Person, name = 'phone'): Promise<Totp> {
  const { status, body } = await post(person, '/factors', { factor_type: 'totp', friendly_name: name })
  expect({ status, body }).toMatchObject({ status: 200 })
  const { id, totp } = body as unknown as { id: string; totp: { secret: string } }
  return { id, secret: totp.secret }
}

async function challenge(person: Person, factorId: string): Promise<string> {
  const { status, body } = await post(person, `/factors/${factorId}/challenge`)
  expect({ status, body }).toMatchObject({ status: 200 })
  return (body as unknown as { id: string }).id
}

function codeNow(totp: Totp): string {
  return totpCode(totp.secret, totpStepAt(world.nowMs))
}

async function answer(person: Person, factorId: string, code: string) {
  const challengeId = await challenge(person, factorId)
  return post(person, `/factors/${factorId}/verify`, { challenge_id: challengeId, code })
}

/** Gives a person a verified factor, and their session `aal2`. */
async function raise(person: Person, name?: string): Promise<Totp> {
  const totp = await enrollTotp(person, name)
  const { status, body } = await answer(person, totp.id, codeNow(totp))
  expect({ status, body }).toMatchObject({ status: 200 })
  person.token = body.access_token ?? ''
  person.refreshToken = body.refresh_token ?? ''
  world.nowMs += 60_000
  return totp
}

function claimsOf(token: string): { aal: string; amr: { method: string }[] } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as never
}

describe('an authenticator app', () => {
  test('is added with a picture, a secret and an address, and counts once a code was right', async () => {
    const ada = await newPerson()
    const enrolled = await post(ada, '/factors', { factor_type: 'totp', friendly_name: 'phone', issuer: 'Boats' })
    expect(enrolled.status).toBe(200)
    expect(enrolled.body).toEqual({
      id: expect.any(String),
      type: 'totp',
      friendly_name: 'phone',
      totp: {
        qr_code: expect.stringMatching(/^<svg /),
        secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
        uri: expect.stringContaining('otpauth://totp/Boats:'),
      },
    })
    const { id, totp } = enrolled.body as unknown as { id: string; totp: { secret: string } }
    const listed = await app.call({ method: 'GET', url: '/user', token: ada.token })
    expect(listed.body).toMatchObject({ factors: [{ id, status: 'unverified', factor_type: 'totp' }] })
    expect(JSON.stringify(listed.body)).not.toContain(totp.secret)

    const { status, body } = await answer(ada, id, codeNow({ id, secret: totp.secret }))
    expect(status).toBe(200)
    expect(body).toMatchObject({ token_type: 'bearer', user: { factors: [{ id, status: 'verified' }] } })
    expect(claimsOf(body.access_token ?? '')).toMatchObject({ aal: 'aal2' })
    expect(claimsOf(body.access_token ?? '').amr.map((entry) => entry.method)).toEqual(['password', 'totp'])
  })

  test('stays verified over a refresh, and does not raise another session', async () => {
    const ada = await newPerson()
    await raise(ada)
    const refreshed = await app.refresh(ada.refreshToken)
    expect(claimsOf(refreshed.body.access_token ?? '')).toMatchObject({ aal: 'aal2' })
    const other = await app.signIn(ada.email, PASSWORD)
    expect(claimsOf(other.body.access_token ?? '')).toMatchObject({ aal: 'aal1' })
  })

  test('ends the sessions that stay below it, and the refresh token from before', async () => {
    const ada = await newPerson()
    const other = await app.signIn(ada.email, PASSWORD)
    const before = ada.refreshToken
    await raise(ada)
    expect(await app.refresh(other.body.refresh_token)).toMatchObject({ status: 400 })
    expect(await app.call({ method: 'GET', url: '/user', token: other.body.access_token })).toMatchObject({
      status: 403,
      body: { code: 'session_not_found' },
    })
    expect(await app.refresh(before)).toMatchObject({ status: 400, body: { code: 'refresh_token_already_used' } })
  })

  test('takes a code once, whichever challenge it answers', async () => {
    const ada = await newPerson()
    const totp = await enrollTotp(ada)
    const code = codeNow(totp)
    expect((await answer(ada, totp.id, code)).status).toBe(200)
    expect(await answer(ada, totp.id, code)).toMatchObject({
      status: 422,
      body: { code: 'mfa_verification_failed', message: 'Invalid TOTP code entered' },
    })
    world.nowMs += 30_000
    expect((await answer(ada, totp.id, codeNow(totp))).status).toBe(200)
  })

  test('lets one of many win that bring the same code at once', async () => {
    const ada = await newPerson()
    const totp = await enrollTotp(ada)
    const other = await world.openApp()
    const challenges = await Promise.all(Array.from({ length: 6 }, () => challenge(ada, totp.id)))
    const code = codeNow(totp)
    const answers = await Promise.all(
      challenges.map((challengeId, index) =>
        (index % 2 === 0 ? app : other).call({
          method: 'POST',
          url: `/factors/${totp.id}/verify`,
          payload: { challenge_id: challengeId, code },
          token: ada.token,
        }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422, 422, 422, 422])
  })

  test('is asked no more for five minutes after ten wrong codes', async () => {
    const ada = await newPerson()
    const totp = await raise(ada)
    const challengeId = await challenge(ada, totp.id)
    const wrong = codeNow(totp) === '000000' ? '000001' : '000000'
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const refused = await post(ada, `/factors/${totp.id}/verify`, { challenge_id: challengeId, code: wrong })
      expect(refused).toMatchObject({ status: 422, body: { code: 'mfa_verification_failed' } })
    }
    const right = { challenge_id: challengeId, code: codeNow(totp) }
    const limited = await post(ada, `/factors/${totp.id}/verify`, right)
    expect(limited).toMatchObject({ status: 429, body: { code: 'over_request_rate_limit' } })
    expect(limited.headers['retry-after']).toBe('300')
    world.nowMs += 301_000
    expect((await answer(ada, totp.id, codeNow(totp))).status).toBe(200)
  })

  test('is not answered by a challenge that is over, used, of another factor, or from another address', async () => {
    const ada = await newPerson()
    const totp = await raise(ada)
    const verify = (challengeId: string, code: string, remoteAddress?: string) =>
      app.call({
        method: 'POST',
        url: `/factors/${totp.id}/verify`,
        payload: { challenge_id: challengeId, code },
        token: ada.token,
        ...(remoteAddress ? { remoteAddress } : {}),
      })
    const used = await challenge(ada, totp.id)
    expect((await verify(used, codeNow(totp))).status).toBe(200)
    world.nowMs += 30_000
    expect(await verify(used, codeNow(totp))).toMatchObject({ status: 422, body: { code: 'mfa_ip_address_mismatch' } })
    const here = await challenge(ada, totp.id)
    expect(await verify(here, codeNow(totp), '192.0.2.7')).toMatchObject({
      status: 422,
      body: { code: 'mfa_ip_address_mismatch' },
    })
    world.nowMs += 301_000
    expect(await verify(here, codeNow(totp))).toMatchObject({ status: 422, body: { code: 'mfa_challenge_expired' } })
    const other = await enrollTotp(ada, 'tablet')
    expect(await verify(await challenge(ada, other.id), codeNow(totp))).toMatchObject({
      status: 422,
      body: { code: 'mfa_factor_not_found' },
    })
    expect(await verify('no uuid', codeNow(totp))).toMatchObject({
      status: 422,
      body: { code: 'mfa_factor_not_found' },
    })
  })

  test('of another user is not there', async () => {
    const ada = await newPerson()
    const totp = await raise(ada)
    const eve = await newPerson()
    const notThere = { status: 404, body: { code: 'mfa_factor_not_found' } }
    expect(await post(eve, `/factors/${totp.id}/challenge`)).toMatchObject(notThere)
    expect(await post(eve, `/factors/${totp.id}/verify`, { challenge_id: randomUUID(), code: '1' })).toMatchObject(
      notThere,
    )
    expect(await app.call({ method: 'DELETE', url: `/factors/${totp.id}`, token: eve.token })).toMatchObject(notThere)
  })

  test('works with a secret from a dump, in lower case', async () => {
    const ada = await newPerson()
    const id = randomUUID()
    const secret = 'jbswy3dpehpk3pxpjbswy3dpehpk3pxp'
    await world.db.pool.execute(sql`
      insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret)
      values (${id}, ${ada.id}, '', 'totp', 'verified', now(), now(), ${secret})
    `)
    expect((await answer(ada, id, codeNow({ id, secret }))).status).toBe(200)
  })
})

describe('a further factor', () => {
  test('needs the first one to be proved', async () => {
    const ada = await newPerson()
    await raise(ada)
    const again = await app.signIn(ada.email, PASSWORD)
    const refused = await app.call({
      method: 'POST',
      url: '/factors',
      payload: { factor_type: 'totp', friendly_name: 'second' },
      token: again.body.access_token,
    })
    expect(refused).toMatchObject({ status: 403, body: { code: 'insufficient_aal' } })
  })

  test('has a name of its own', async () => {
    const ada = await newPerson()
    await enrollTotp(ada, 'phone')
    expect(await post(ada, '/factors', { factor_type: 'totp', friendly_name: 'phone' })).toMatchObject({
      status: 422,
      body: {
        code: 'mfa_factor_name_conflict',
        message: 'A factor with the friendly name "phone" for this user already exists',
      },
    })
  })

  test('is refused after ten', async () => {
    const ada = await newPerson()
    for (let index = 0; index < 10; index += 1) await enrollTotp(ada, `factor ${index}`)
    expect(await post(ada, '/factors', { factor_type: 'totp', friendly_name: 'one more' })).toMatchObject({
      status: 422,
      body: { code: 'too_many_enrolled_mfa_factors' },
    })
    world.nowMs += 301_000
    expect((await post(ada, '/factors', { factor_type: 'totp', friendly_name: 'one more' })).status).toBe(200)
  })

  test('that was verified removes the attempts at one of its kind', async () => {
    const ada = await newPerson()
    await enrollTotp(ada, 'given up')
    await post(ada, '/factors', { factor_type: 'phone', friendly_name: 'by text', phone: '+41790000001' })
    await raise(ada, 'kept')
    const { body } = await app.call({ method: 'GET', url: '/user', token: ada.token })
    const { factors } = body as unknown as { factors: { friendly_name: string }[] }
    expect(factors.map((factor) => factor.friendly_name).toSorted()).toEqual(['by text', 'kept'])
  })
})

describe('taking a factor off', () => {
  test('needs aal2 for one that counts, and lowers the sessions that rest on it', async () => {
    const ada = await newPerson()
    const totp = await raise(ada)
    const low = await app.signIn(ada.email, PASSWORD)
    const url = `/factors/${totp.id}`
    expect(await app.call({ method: 'DELETE', url, token: low.body.access_token })).toMatchObject({
      status: 422,
      body: { code: 'insufficient_aal' },
    })
    expect(await app.call({ method: 'DELETE', url, token: ada.token })).toMatchObject({
      status: 200,
      body: { id: totp.id },
    })
    const refreshed = claimsOf((await app.refresh(ada.refreshToken)).body.access_token ?? '')
    expect(refreshed).toMatchObject({ aal: 'aal1', amr: [{ method: 'password' }] })
  })

  test('needs nothing for one that was never proved', async () => {
    const ada = await newPerson()
    const totp = await enrollTotp(ada)
    expect((await app.call({ method: 'DELETE', url: `/factors/${totp.id}`, token: ada.token })).status).toBe(200)
  })
})

test('a factor that was begun before another one counted is not finished below aal2', async () => {
  const owner = await newPerson()
  const thief = { ...owner, token: (await app.signIn(owner.email, PASSWORD)).body.access_token ?? '' }
  const phone = `4179${String(Math.random()).slice(2, 9)}`
  const begun = await post(thief, '/factors', { factor_type: 'phone', friendly_name: 'mine', phone: `+${phone}` })
  const { id } = begun.body as unknown as { id: string }
  await raise(owner)

  thief.token = (await app.signIn(owner.email, PASSWORD)).body.access_token ?? ''
  const challengeId = await challenge(thief, id)
  const code = await readCode(world, phone)
  expect(await post(thief, `/factors/${id}/verify`, { challenge_id: challengeId, code })).toMatchObject({
    status: 403,
    body: { code: 'insufficient_aal', message: 'AAL2 required to enroll a new factor' },
  })
  world.nowMs += 60_000
  const own = await challenge(owner, id)
  expect(
    await post(owner, `/factors/${id}/verify`, { challenge_id: own, code: await readCode(world, phone) }),
  ).toMatchObject({ status: 200 })
})

describe('a phone', () => {
  async function sentCode(phone: string): Promise<string> {
    const [row] = await world.db.pool.query<{ variables: { code: string } }>(sql`
      select variables from auth.messages where recipient = ${phone} and kind = 'mfa' order by created_at desc limit 1
    `)
    return row?.variables.code ?? ''
  }

  test('gets a code that raises the session once', async () => {
    const ada = await newPerson()
    const phone = `4179${String(Math.random()).slice(2, 9)}`
    const enrolled = await post(ada, '/factors', { factor_type: 'phone', friendly_name: 'mine', phone: `+${phone}` })
    expect(enrolled).toMatchObject({ status: 200, body: { type: 'phone', phone: `+${phone}`, friendly_name: 'mine' } })
    const { id } = enrolled.body as unknown as { id: string }
    const challengeId = await challenge(ada, id)
    expect(await post(ada, `/factors/${id}/challenge`)).toMatchObject({
      status: 429,
      body: { code: 'over_sms_send_rate_limit' },
    })
    const code = await sentCode(phone)
    expect(code).toMatch(/^\d{6}$/)
    const wrong = code === '000000' ? '000001' : '000000'
    expect(await post(ada, `/factors/${id}/verify`, { challenge_id: challengeId, code: wrong })).toMatchObject({
      status: 422,
      body: { code: 'mfa_verification_failed', message: 'Invalid MFA Phone code entered' },
    })
    const verified = await post(ada, `/factors/${id}/verify`, { challenge_id: challengeId, code })
    expect(verified.status).toBe(200)
    expect(claimsOf(verified.body.access_token ?? '').amr.map((entry) => entry.method)).toContain('mfa/phone')
    expect((await post(ada, `/factors/${id}/verify`, { challenge_id: challengeId, code })).status).toBe(422)
    const twice = await app.call({
      method: 'POST',
      url: '/factors',
      payload: { factor_type: 'phone', friendly_name: 'again', phone: `+${phone}` },
      token: verified.body.access_token,
    })
    expect(twice).toMatchObject({ status: 422, body: { code: 'mfa_verified_factor_exists' } })
  })

  test.each<[object, string]>([
    [{ factor_type: 'phone' }, 'Phone number required to enroll Phone factor'],
    [{ factor_type: 'phone', phone: 'call me' }, 'Invalid phone number format (E.164 required)'],
    [{ factor_type: 'iris' }, 'factor_type needs to be totp, phone, or webauthn'],
  ])('is refused as %j', async (payload, message) => {
    const ada = await newPerson()
    expect(await post(ada, '/factors', payload)).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', message },
    })
  })
})

test('kinds that are switched off are refused by name', async () => {
  const ada = await newPerson()
  const off = await world.openApp({ mfaTotpEnrollEnabled: false, mfaTotpVerifyEnabled: false })
  const enroll = (factorType: string) =>
    off.call({ method: 'POST', url: '/factors', payload: { factor_type: factorType }, token: ada.token })
  expect(await enroll('totp')).toMatchObject({ status: 422, body: { code: 'mfa_totp_enroll_not_enabled' } })
  expect(await enroll('phone')).toMatchObject({ status: 422, body: { code: 'mfa_phone_enroll_not_enabled' } })
  expect(await enroll('webauthn')).toMatchObject({ status: 422, body: { code: 'mfa_webauthn_enroll_not_enabled' } })
  const totp = await enrollTotp(ada)
  const asked = await off.call({ method: 'POST', url: `/factors/${totp.id}/challenge`, payload: {}, token: ada.token })
  expect(asked).toMatchObject({ status: 422, body: { code: 'mfa_totp_verify_not_enabled' } })
})

test('a request without an account has no factors', async () => {
  const ada = await newPerson()
  await world.db.pool.execute(sql`update auth.users set is_anonymous = true where id = ${ada.id}`)
  expect(await post(ada, '/factors', { factor_type: 'totp' })).toMatchObject({
    status: 403,
    body: { code: 'no_authorization', message: 'Anonymous user not allowed to perform these actions' },
  })
  expect(await app.call({ method: 'POST', url: '/factors', payload: {} })).toMatchObject({ status: 401 })
})

test('a code that went to a number is worth nothing once an administrator has entered another', async () => {
  const ada = await newPerson()
  const [old, other] = [0, 1].map((digit) => `4178${digit}${String(Math.random()).slice(2, 8)}`)
  const enrolled = await post(ada, '/factors', { factor_type: 'phone', friendly_name: 'by text', phone: `+${old}` })
  const { id } = enrolled.body as unknown as { id: string }
  const answered = async (challengeId: string, phone = '') =>
    post(ada, `/factors/${id}/verify`, { challenge_id: challengeId, code: await readCode(world, phone) })
  expect(await answered(await challenge(ada, id), old)).toMatchObject({ status: 200 })
  world.nowMs += 60_000
  const stolen = await challenge(ada, id)

  const { serviceRole: token } = app.auth.apiKeys
  const url = `/admin/users/${ada.id}/factors/${id}`
  expect(await app.call({ method: 'PUT', url, payload: { phone: `+${other}` }, token })).toMatchObject({ status: 200 })
  expect(await answered(stolen, old)).toMatchObject({ status: 422, body: { code: 'mfa_factor_not_found' } })
  world.nowMs += 60_000
  expect(await answered(await challenge(ada, id), other)).toMatchObject({ status: 200 })
})
