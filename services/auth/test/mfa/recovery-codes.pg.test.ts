import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { createRecoveryCode, hashRecoveryCode } from '../../src/mfa/recovery-code-row.ts'
import { totpCode, totpStepAt } from '../../src/mfa/totp.ts'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'

let world: AuthWorld
let app: AuthApp

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp()
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

const PATH = '/factors/recovery-codes'

interface Codes {
  readonly id: string
  readonly codes: string[]
}

function send(method: 'GET' | 'POST' | 'DELETE', url: string, token: string, payload?: object) {
  return app.call({ method, url, token, ...(payload ? { payload } : {}) })
}

/** A person whose session is at aal2. */
async function newOwner() {
  const email = `${randomUUID()}@example.org`
  const { access_token: low } = await app.signUp(email)
  const enrolled = await send('POST', '/factors', low, { factor_type: 'totp', friendly_name: 'app' })
  const { id, totp } = enrolled.body as unknown as { id: string; totp: { secret: string } }
  const asked = await send('POST', `/factors/${id}/challenge`, low, {})
  const code = totpCode(totp.secret, totpStepAt(world.nowMs))
  const challengeId = (asked.body as unknown as { id: string }).id
  const verified = await send('POST', `/factors/${id}/verify`, low, { challenge_id: challengeId, code })
  expect(verified.status).toBe(200)
  return { email, totpId: id, token: verified.body.access_token ?? '', refresh: verified.body.refresh_token }
}

async function signInAgain(email: string): Promise<string> {
  return (await app.signIn(email, PASSWORD)).body.access_token ?? ''
}

async function generate(token: string): Promise<Codes> {
  const { status, body } = await send('POST', PATH, token)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body as unknown as Codes
}

function claimsOf(token = ''): { aal: string; amr: { method: string }[] } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as never
}

const failed = { status: 422, body: { code: 'mfa_verification_failed' } }

describe('recovery codes', () => {
  test('are told once, and only their hashes are kept', async () => {
    const { token } = await newOwner()
    world.nowMs += 1000
    const made = await send('POST', PATH, token, { friendly_name: 'Backup codes' })
    expect(made).toMatchObject({
      status: 200,
      body: { type: 'recovery_code', friendly_name: 'Backup codes', total: 10, id: expect.any(String) },
    })
    const { id, codes } = made.body as unknown as Codes
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) expect(code).toMatch(/^[0-9a-z]{16}$/)
    const rows = await world.db.pool.query<{ code_hash: string }>(
      sql`select code_hash from auth.mfa_recovery_codes where factor_id = ${id}`,
    )
    expect(rows.map((row) => row.code_hash).toSorted()).toEqual(codes.map(hashRecoveryCode).toSorted())
    expect(JSON.stringify(rows)).not.toContain(codes[0])
    expect((await send('GET', PATH, token)).body).toEqual({ id, type: 'recovery_code', total: 10, remaining: 10 })
    expect(await send('POST', PATH, token)).toMatchObject({ status: 422, body: { code: 'mfa_verified_factor_exists' } })
    const user = await send('GET', '/user', token)
    expect(user.body).toMatchObject({ factors: [{}, { factor_type: 'recovery_code', status: 'verified' }] })
  })

  test('raise a session once each, however they are typed', async () => {
    const ada = await newOwner()
    const { codes } = await generate(ada.token)
    const code = codes[3] ?? ''
    const typed = ` ${code.toUpperCase().match(/.{4}/g)?.join('-') ?? ''} `
    const raised = await send('POST', `${PATH}/verify`, await signInAgain(ada.email), { code: typed })
    expect(raised.status).toBe(200)
    expect(claimsOf(raised.body.access_token)).toMatchObject({ aal: 'aal2' })
    expect(claimsOf(raised.body.access_token).amr.map((entry) => entry.method)).toContain('mfa/recovery_code')
    const low = await signInAgain(ada.email)
    expect(await send('POST', `${PATH}/verify`, low, { code })).toMatchObject(failed)
    expect((await send('GET', PATH, low)).body).toMatchObject({ total: 10, remaining: 9 })
  })

  test('are won by one of many that bring the same one at once', async () => {
    const ada = await newOwner()
    const { codes } = await generate(ada.token)
    const payload = { code: codes[0] }
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => send('POST', `${PATH}/verify`, ada.token, payload)),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422, 422, 422])
  })

  test('are locked after ten wrong ones, until there are new ones', async () => {
    const ada = await newOwner()
    const { codes } = await generate(ada.token)
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect(await send('POST', `${PATH}/verify`, ada.token, { code: createRecoveryCode() })).toMatchObject(failed)
    }
    const locked = await send('POST', `${PATH}/verify`, ada.token, { code: codes[0] })
    expect(locked).toMatchObject({ status: 429, body: { code: 'mfa_recovery_codes_locked' } })
    expect(locked.headers['retry-after']).toBe('300')
    const renewed = await send('POST', `${PATH}/regenerate`, ada.token)
    expect(renewed).toMatchObject({ status: 200, body: { friendly_name: 'Recovery codes', total: 10 } })
    const [fresh] = (renewed.body as unknown as Codes).codes
    expect(await send('POST', `${PATH}/verify`, ada.token, { code: codes[0] })).toMatchObject(failed)
    expect((await send('POST', `${PATH}/verify`, ada.token, { code: fresh })).status).toBe(200)
  })

  test('need another factor, and its proof', async () => {
    const { access_token: token } = await app.signUp()
    const none = { status: 404, body: { code: 'mfa_factor_not_found' } }
    expect(await send('GET', PATH, token)).toMatchObject(none)
    expect(await send('POST', PATH, token)).toMatchObject({
      status: 422,
      body: { code: 'mfa_recovery_codes_sole_factor' },
    })
    expect(await send('POST', `${PATH}/verify`, token, { code: 'abc' })).toMatchObject(failed)
    const ada = await newOwner()
    const low = await signInAgain(ada.email)
    const insufficient = { body: { code: 'insufficient_aal' } }
    expect(await send('POST', PATH, low)).toMatchObject(insufficient)
    expect(await send('POST', `${PATH}/regenerate`, low)).toMatchObject(insufficient)
    expect(await send('DELETE', PATH, low)).toMatchObject(insufficient)
    expect(await send('POST', `${PATH}/regenerate`, ada.token)).toMatchObject(none)
  })

  test('go when they are removed, and with the last factor that they stand in for', async () => {
    const ada = await newOwner()
    const { id } = await generate(ada.token)
    expect(await send('DELETE', `/factors/${id}`, ada.token)).toMatchObject({ status: 404 })
    expect(await send('DELETE', PATH, ada.token)).toMatchObject({ status: 200, body: { id } })
    await generate(ada.token)
    expect((await send('DELETE', `/factors/${ada.totpId}`, ada.token)).status).toBe(200)
    expect((await send('GET', '/user', ada.token)).body).not.toHaveProperty('factors')
    const refreshed = await app.refresh(ada.refresh)
    expect(claimsOf(refreshed.body.access_token)).toMatchObject({ aal: 'aal1', amr: [{ method: 'password' }] })
  })

  test('can be switched off', async () => {
    const ada = await newOwner()
    const off = await world.openApp({ mfaRecoveryCodesEnrollEnabled: false, mfaRecoveryCodesVerifyEnabled: false })
    const ask = (url: string) => off.call({ method: 'POST', url, payload: { code: 'x' }, token: ada.token })
    expect(await ask(PATH)).toMatchObject({ body: { code: 'mfa_recovery_codes_enroll_not_enabled' } })
    expect(await ask(`${PATH}/regenerate`)).toMatchObject({ body: { code: 'mfa_recovery_codes_enroll_not_enabled' } })
    expect(await ask(`${PATH}/verify`)).toMatchObject({ body: { code: 'mfa_recovery_codes_verify_not_enabled' } })
  })
})
