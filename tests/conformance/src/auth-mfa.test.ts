import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createSoftwareAuthenticator } from '@holdfast/test-support'
import { pageOf, stubBrowser } from './as-browser.ts'
import {
  type AuthWorld,
  claimsOf,
  newNumber,
  openAuthWorld,
  PASSWORD,
  receiveSms,
  type SignedUp,
} from './auth-world.ts'
import { totpOf } from './totp.ts'

let world: AuthWorld

beforeAll(async () => {
  world = await openAuthWorld([
    '--mfa-phone-enroll-enabled',
    '--mfa-phone-verify-enabled',
    '--mfa-web-authn-enroll-enabled',
    '--mfa-web-authn-verify-enabled',
  ])
})
afterAll(() => world[Symbol.asyncDispose]())
afterEach(() => {
  vi.unstubAllGlobals()
})

interface Totp {
  readonly factorId: string
  readonly secret: string
}

async function enroll({ auth }: Pick<SignedUp, 'auth'>, friendlyName = 'app'): Promise<Totp> {
  const { data, error } = await auth.mfa.enroll({ factorType: 'totp', friendlyName })
  expect(error).toBeNull()
  return { factorId: data?.id ?? '', secret: data?.type === 'totp' ? data.totp.secret : '' }
}

/** Returns a user whose session is at aal2. The code after the current one is still unused. */
async function owner() {
  const client = await world.signUp({ recoveryCodes: true })
  const totp = await enroll(client)
  const { error } = await client.auth.mfa.challengeAndVerify({ factorId: totp.factorId, code: totpOf(totp.secret) })
  expect(error).toBeNull()
  return { ...client, totp }
}

/** Signs the same user in on another device, with the password only. */
async function elsewhere(email: string) {
  const client = world.openClient({ recoveryCodes: true })
  const { error } = await client.auth.signInWithPassword({ email, password: PASSWORD })
  expect(error).toBeNull()
  return client
}

async function levelOf({ auth }: Pick<SignedUp, 'auth'>) {
  const { data } = await auth.mfa.getAuthenticatorAssuranceLevel()
  return { now: data?.currentLevel, next: data?.nextLevel }
}

describe('auth.mfa.enroll', () => {
  test('returns QR code, secret and URI for an authenticator app', async () => {
    const { auth, email } = await world.signUp()
    const { data, error } = await auth.mfa.enroll({ factorType: 'totp', friendlyName: 'app', issuer: 'Boats' })
    expect(error).toBeNull()
    expect(data).toMatchObject({ type: 'totp', friendly_name: 'app' })
    if (data?.type !== 'totp') throw new Error('it is an authenticator app')
    expect(data.totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg [^#]*<\/svg>$/)
    const uri = new URL(data.totp.uri)
    expect(decodeURIComponent(uri.pathname)).toContain(`Boats:${email}`)
    expect(uri.searchParams.get('secret')).toBe(data.totp.secret)
  })

  test('accepts a phone or a security key', async () => {
    const { auth } = await world.signUp()
    const phone = `+${newNumber()}`
    const byText = await auth.mfa.enroll({ factorType: 'phone', friendlyName: 'phone', phone })
    expect(byText).toMatchObject({ data: { type: 'phone', phone, friendly_name: 'phone' }, error: null })
    const byKey = await auth.mfa.enroll({ factorType: 'webauthn', friendlyName: 'key' })
    expect(byKey).toMatchObject({ data: { type: 'webauthn', friendly_name: 'key' }, error: null })
  })

  test('refuses a name in use, and another factor below aal2', async () => {
    const { auth, email } = await owner()
    expect((await auth.mfa.enroll({ factorType: 'totp', friendlyName: 'app' })).error).toMatchObject({
      code: 'mfa_factor_name_conflict',
      status: 422,
    })
    const there = await elsewhere(email)
    expect((await there.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'other' })).error).toMatchObject({
      code: 'insufficient_aal',
      status: 403,
    })
  })

  test('refuses an eleventh factor', async () => {
    const client = await world.signUp()
    for (let index = 0; index < 10; index += 1) await enroll(client, `app ${index}`)
    expect((await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'one more' })).error).toMatchObject({
      code: 'too_many_enrolled_mfa_factors',
    })
  })
})

describe('auth.mfa.challenge', () => {
  test('creates a challenge valid for five minutes', async () => {
    const client = await world.signUp()
    const { factorId } = await enroll(client)
    const { data, error } = await client.auth.mfa.challenge({ factorId })
    expect(error).toBeNull()
    expect(data).toMatchObject({ type: 'totp', id: expect.any(String) })
    expect((data?.expires_at ?? 0) - Date.now() / 1000).toBeGreaterThan(290)
  })

  test('finds no factors of other users', async () => {
    const { factorId } = await enroll(await world.signUp())
    const eve = await world.signUp()
    expect((await eve.auth.mfa.challenge({ factorId })).error).toMatchObject({
      code: 'mfa_factor_not_found',
      status: 404,
    })
  })
})

describe('auth.mfa.verify', () => {
  test('raises the session to aal2 and emits MFA_CHALLENGE_VERIFIED', async () => {
    const client = await world.signUp()
    const { factorId, secret } = await enroll(client)
    const { data: challenge } = await client.auth.mfa.challenge({ factorId })
    const code = totpOf(secret)
    const { data, error } = await client.auth.mfa.verify({ factorId, challengeId: challenge?.id ?? '', code })
    expect(error).toBeNull()
    expect(data?.user.id).toBe(client.user.id)
    expect(client.eventNames()).toEqual(['INITIAL_SESSION', 'SIGNED_IN', 'MFA_CHALLENGE_VERIFIED'])
    const { data: now } = await client.auth.getSession()
    expect(now.session?.access_token).toBe(data?.access_token)
    expect(claimsOf(data?.access_token ?? '')).toMatchObject({
      aal: 'aal2',
      amr: expect.arrayContaining([expect.objectContaining({ method: 'totp' })]),
    })
    expect((await client.auth.refreshSession()).error).toBeNull()
    expect(await levelOf(client)).toEqual({ now: 'aal2', next: 'aal2' })
  })

  test('refuses a wrong code and leaves the session unchanged', async () => {
    const client = await world.signUp()
    const { factorId, secret } = await enroll(client)
    const { data: challenge } = await client.auth.mfa.challenge({ factorId })
    const code = totpOf(secret) === '000000' ? '111111' : '000000'
    const { error } = await client.auth.mfa.verify({ factorId, challengeId: challenge?.id ?? '', code })
    expect(error).toMatchObject({ code: 'mfa_verification_failed', status: 422 })
    expect(client.eventNames()).not.toContain('MFA_CHALLENGE_VERIFIED')
    expect((await client.auth.getSession()).data.session?.access_token).toBe(client.session.access_token)
  })

  test('accepts a code only once', async () => {
    const { email, totp } = await owner()
    const code = totpOf(totp.secret, 1)
    const there = await elsewhere(email)
    expect((await there.auth.mfa.challengeAndVerify({ factorId: totp.factorId, code })).error).toBeNull()
    const elsewhereAgain = await elsewhere(email)
    const { error } = await elsewhereAgain.auth.mfa.challengeAndVerify({ factorId: totp.factorId, code })
    expect(error).toMatchObject({ code: 'mfa_verification_failed' })
  })

  test('accepts a code sent by SMS', async () => {
    const client = await world.signUp()
    const phone = newNumber()
    const { data: factor } = await client.auth.mfa.enroll({ factorType: 'phone', friendlyName: 'phone', phone })
    const factorId = factor?.id ?? ''
    const { data: challenge } = await client.auth.mfa.challenge({ factorId, channel: 'sms' })
    const code = await receiveSms(world, phone, 'mfa')
    const { data, error } = await client.auth.mfa.verify({ factorId, challengeId: challenge?.id ?? '', code })
    expect(error).toBeNull()
    expect(claimsOf(data?.access_token ?? '')).toMatchObject({ aal: 'aal2' })
    expect(await levelOf(client)).toEqual({ now: 'aal2', next: 'aal2' })
  })

  test('signs out other devices that are still at aal1', async () => {
    const client = await world.signUp()
    const there = await elsewhere(client.email)
    const { factorId, secret } = await enroll(client)
    await client.auth.mfa.challengeAndVerify({ factorId, code: totpOf(secret) })
    expect((await there.auth.refreshSession()).error).toMatchObject({ code: 'refresh_token_not_found' })
    expect((await there.auth.getUser()).error).toMatchObject({ name: 'AuthSessionMissingError' })
    expect(there.eventNames()).toContain('SIGNED_OUT')
  })
})

describe('auth.mfa.challengeAndVerify', () => {
  test('raises the session to aal2 in one call', async () => {
    const client = await owner()
    expect(client.eventNames()).toContain('MFA_CHALLENGE_VERIFIED')
    expect(await levelOf(client)).toEqual({ now: 'aal2', next: 'aal2' })
  })

  test('refuses a wrong code', async () => {
    const client = await world.signUp()
    const { factorId } = await enroll(client)
    const { error } = await client.auth.mfa.challengeAndVerify({ factorId, code: '12345' })
    expect(error).toMatchObject({ code: 'mfa_verification_failed' })
  })
})

describe('auth.mfa.listFactors', () => {
  test('returns all factors, and the verified ones by type', async () => {
    const client = await owner()
    await enroll(client, 'not proved')
    const { data, error } = await client.auth.mfa.listFactors()
    expect(error).toBeNull()
    expect(data?.all.map((factor) => [factor.friendly_name, factor.status])).toEqual([
      ['app', 'verified'],
      ['not proved', 'unverified'],
    ])
    expect(data?.totp).toMatchObject([{ id: client.totp.factorId, factor_type: 'totp', status: 'verified' }])
    expect(data?.totp[0]?.last_challenged_at).toEqual(expect.any(String))
    expect(data).toMatchObject({ phone: [], webauthn: [] })
  })
})

describe('auth.mfa.getAuthenticatorAssuranceLevel', () => {
  test('returns the current and the next level', async () => {
    const client = await world.signUp()
    expect(await levelOf(client)).toEqual({ now: 'aal1', next: 'aal1' })
    const { email } = await owner()
    const there = await elsewhere(email)
    expect(await levelOf(there)).toEqual({ now: 'aal1', next: 'aal2' })
    const { data } = await there.auth.mfa.getAuthenticatorAssuranceLevel()
    expect(data?.currentAuthenticationMethods).toMatchObject([{ method: 'password' }])
  })
})

describe('auth.mfa.unenroll', () => {
  test('removes a factor; the next refresh lowers the session to aal1', async () => {
    const { auth, totp } = await owner()
    expect(await auth.mfa.unenroll({ factorId: totp.factorId })).toEqual({ data: { id: totp.factorId }, error: null })
    await auth.refreshSession()
    expect(await levelOf({ auth })).toEqual({ now: 'aal1', next: 'aal1' })
    expect((await auth.mfa.listFactors()).data?.all).toEqual([])
  })

  test('requires aal2', async () => {
    const { email, totp } = await owner()
    const there = await elsewhere(email)
    expect((await there.auth.mfa.unenroll({ factorId: totp.factorId })).error).toMatchObject({
      code: 'insufficient_aal',
      status: 422,
    })
  })
})

describe('auth.mfa.webauthn.register', () => {
  test('registers a security key and raises the session to aal2', async () => {
    const client = await world.signUp()
    const page = pageOf(world.url)
    stubBrowser(createSoftwareAuthenticator({ origin: page }), page)
    const { data, error } = await client.auth.mfa.webauthn.register({ friendlyName: 'key' })
    expect(error).toBeNull()
    expect(claimsOf(data?.access_token ?? '')).toMatchObject({ aal: 'aal2' })
    expect((await client.auth.mfa.listFactors()).data?.webauthn).toMatchObject([{ friendly_name: 'key' }])
  })

  test('is refused on another origin', async () => {
    const client = await world.signUp()
    stubBrowser(createSoftwareAuthenticator({ origin: 'http://localhost:1' }), 'http://localhost:1')
    const { error } = await client.auth.mfa.webauthn.register({ friendlyName: 'key' })
    expect(error).toMatchObject({ code: 'mfa_verification_failed' })
  })
})

/** Returns a user with a security key, on a device signed in with the password only. */
async function keyOwner() {
  const client = await world.signUp()
  const page = pageOf(world.url)
  const key = createSoftwareAuthenticator({ origin: page })
  stubBrowser(key, page)
  const { error } = await client.auth.mfa.webauthn.register({ friendlyName: 'key' })
  expect(error).toBeNull()
  const { data } = await client.auth.mfa.listFactors()
  vi.unstubAllGlobals()
  const there = await elsewhere(client.email)
  stubBrowser(key, page)
  return { ...there, key, page, factorId: data?.webauthn[0]?.id ?? '' }
}

describe('auth.mfa.webauthn.authenticate', () => {
  test('raises the session to aal2 with a signature of the key', async () => {
    const { auth, factorId, eventNames } = await keyOwner()
    const { data, error } = await auth.mfa.webauthn.authenticate({ factorId })
    expect(error).toBeNull()
    expect(claimsOf(data?.access_token ?? '')).toMatchObject({ aal: 'aal2' })
    expect(eventNames()).toContain('MFA_CHALLENGE_VERIFIED')
  })

  test("is refused with another user's key", async () => {
    const { auth, factorId, page } = await keyOwner()
    const other = createSoftwareAuthenticator({ origin: page })
    stubBrowser(other, page)
    const { error } = await auth.mfa.webauthn.authenticate({ factorId })
    expect(error).toMatchObject({ name: 'NotAllowedError' })
  })
})

describe('auth.mfa.webauthn.enroll', () => {
  test('starts the enrollment of a security key', async () => {
    const { auth } = await world.signUp()
    const { data, error } = await auth.mfa.webauthn.enroll({ friendlyName: 'key' })
    expect(error).toBeNull()
    expect(data).toMatchObject({ type: 'webauthn', friendly_name: 'key' })
  })
})

describe('auth.mfa.webauthn.challenge', () => {
  test('requests a signature from a registered key', async () => {
    const { auth, factorId, page } = await keyOwner()
    const webauthn = { rpId: 'localhost', rpOrigins: [page] }
    const { data, error } = await auth.mfa.webauthn.challenge({ factorId, webauthn })
    expect(error).toBeNull()
    expect(data).toMatchObject({ factorId, webauthn: { type: 'request' } })
  })
})

describe('auth.mfa.webauthn.verify', () => {
  test('accepts a signature only once', async () => {
    const { auth, factorId, page } = await keyOwner()
    const webauthn = { rpId: 'localhost', rpOrigins: [page] }
    const { data: signed } = await auth.mfa.webauthn.challenge({ factorId, webauthn })
    if (!signed) throw new Error('the key has signed')
    const answer = { factorId, challengeId: signed.challengeId, webauthn: { ...webauthn, ...signed.webauthn } }
    expect((await auth.mfa.webauthn.verify(answer)).error).toBeNull()
    expect((await auth.mfa.webauthn.verify(answer)).error).toMatchObject({ code: 'mfa_factor_not_found' })
  })
})

describe('auth.mfa.recoveryCodes.generate', () => {
  test('returns ten codes', async () => {
    const { auth } = await owner()
    const { data, error } = await auth.mfa.recoveryCodes.generate({ friendlyName: 'Backup codes' })
    expect(error).toBeNull()
    expect(data).toMatchObject({ type: 'recovery_code', friendly_name: 'Backup codes', total: 10 })
    expect(data?.codes).toHaveLength(10)
    expect((await auth.mfa.listFactors()).data?.recovery_code).toMatchObject([{ id: data?.id }])
  })

  test('requires another factor, and returns codes only once', async () => {
    const without = await world.signUp({ recoveryCodes: true })
    const { error } = await without.auth.mfa.recoveryCodes.generate()
    expect(error).toMatchObject({ code: 'mfa_recovery_codes_sole_factor' })
    const { auth } = await owner()
    await auth.mfa.recoveryCodes.generate()
    expect((await auth.mfa.recoveryCodes.generate()).error).toMatchObject({ code: 'mfa_verified_factor_exists' })
  })
})

describe('auth.mfa.recoveryCodes.getStatus', () => {
  test('counts the remaining codes', async () => {
    const { auth } = await owner()
    expect((await auth.mfa.recoveryCodes.getStatus()).error).toMatchObject({ code: 'mfa_factor_not_found' })
    const { data } = await auth.mfa.recoveryCodes.generate()
    const status = await auth.mfa.recoveryCodes.getStatus()
    expect(status).toEqual({ data: { id: data?.id, type: 'recovery_code', total: 10, remaining: 10 }, error: null })
  })
})

describe('auth.mfa.recoveryCodes.verify', () => {
  test('raises the session to aal2, once per code', async () => {
    const { auth, email } = await owner()
    const { data } = await auth.mfa.recoveryCodes.generate()
    const code = (data?.codes[0] ?? '').toUpperCase().replaceAll(/(.{4})(?=.)/g, '$1-')
    const there = await elsewhere(email)
    const verified = await there.auth.mfa.recoveryCodes.verify({ code })
    expect(verified.error).toBeNull()
    expect(claimsOf(verified.data?.access_token ?? '')).toMatchObject({
      aal: 'aal2',
      amr: expect.arrayContaining([expect.objectContaining({ method: 'mfa/recovery_code' })]),
    })
    expect(there.eventNames()).toContain('MFA_CHALLENGE_VERIFIED')
    const again = await elsewhere(email)
    expect((await again.auth.mfa.recoveryCodes.verify({ code })).error).toMatchObject({
      code: 'mfa_verification_failed',
    })
  })

  test('is refused after ten wrong codes', async () => {
    const { auth } = await owner()
    await auth.mfa.recoveryCodes.generate()
    for (let attempt = 0; attempt < 10; attempt += 1) await auth.mfa.recoveryCodes.verify({ code: 'wrong' })
    expect((await auth.mfa.recoveryCodes.verify({ code: 'wrong' })).error).toMatchObject({
      code: 'mfa_recovery_codes_locked',
      status: 429,
    })
  })
})

describe('auth.mfa.recoveryCodes.regenerate', () => {
  test('replaces the codes', async () => {
    const { auth } = await owner()
    const { data: old } = await auth.mfa.recoveryCodes.generate({ friendlyName: 'Backup' })
    const { data, error } = await auth.mfa.recoveryCodes.regenerate()
    expect(error).toBeNull()
    expect(data).toMatchObject({ id: old?.id, friendly_name: 'Backup', total: 10 })
    expect((await auth.mfa.recoveryCodes.verify({ code: old?.codes[0] ?? '' })).error).not.toBeNull()
    expect((await auth.mfa.recoveryCodes.verify({ code: data?.codes[0] ?? '' })).error).toBeNull()
  })
})

describe('auth.mfa.recoveryCodes.unenroll', () => {
  test('removes the codes', async () => {
    const { auth } = await owner()
    const { data } = await auth.mfa.recoveryCodes.generate()
    expect(await auth.mfa.recoveryCodes.unenroll()).toEqual({ data: { id: data?.id }, error: null })
    expect((await auth.mfa.recoveryCodes.unenroll()).error).toMatchObject({ code: 'mfa_factor_not_found' })
  })
})
