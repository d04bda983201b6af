import { execFile } from 'node:child_process'
import { request } from 'node:http'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openHoldfast, SERVER_MAIN, type Holdfast } from '@holdfast/test-support'
import { type ConsoleBrowser, keyOf, openConsoleBrowser, openOperator, openOwner, PASSWORD } from './console-world.ts'
import { totpOf } from './totp.ts'

// The console's accounts: who gets in, how far, and what is logged of it.

let holdfast: Holdfast
let owner: ConsoleBrowser
let developer: ConsoleBrowser
let viewer: ConsoleBrowser

beforeAll(async () => {
  holdfast = await openHoldfast()
  owner = await openOwner(holdfast)
  developer = await openOperator(holdfast, owner, 'developer')
  viewer = await openOperator(holdfast, owner, 'viewer')
})
afterAll(() => holdfast[Symbol.asyncDispose]())

interface Listed {
  readonly operators: readonly { readonly id: string; readonly email: string; readonly role: string }[]
}

async function idOf(email: string): Promise<string> {
  const { operators } = await owner.ask<Listed>('GET /operators')
  return operators.find((one) => one.email === email)?.id ?? ''
}

async function signIn(email: string, password = PASSWORD): Promise<ConsoleBrowser> {
  const browser = openConsoleBrowser(holdfast)
  await browser.ask('POST /session', { email, password })
  return browser
}

describe('the link that a start prints', () => {
  test('creates one owner', async () => {
    expect(await owner.ask('GET /session')).toMatchObject({
      state: 'complete',
      operator: { email: 'olga@ops.example', role: 'owner', hasSecondFactor: false },
    })
    const key = keyOf(holdfast.consoleUrl)
    const again = { key, name: 'Eve', email: 'eve@ops.example', password: PASSWORD }
    expect(await openConsoleBrowser(holdfast).refusal('POST /invitations/accept', again)).toBe('410 invitation_invalid')
  })
})

describe('sign-in', () => {
  test('gives a cookie that scripts cannot read and other sites cannot send', async () => {
    const response = await fetch(`${holdfast.url}/console/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ email: 'Viewer@ops.example', password: PASSWORD }),
    })
    expect(response.headers.get('set-cookie')).toMatch(
      /^holdfast_console=[\w-]{43}; Path=\/console; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    )
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  test('says the same of a wrong password and of an unknown address', async () => {
    const browser = openConsoleBrowser(holdfast)
    const wrong = { email: 'viewer@ops.example', password: 'not that one at all' }
    const unknown = { email: 'nobody@ops.example', password: PASSWORD }
    const [first, second] = [await browser.call('POST /session', wrong), await browser.call('POST /session', unknown)]
    expect(first).toEqual(second)
    expect(first).toMatchObject({ status: 400, body: { code: 'wrong_credentials' } })
  })

  test('is limited per account', async () => {
    const browser = openConsoleBrowser(holdfast)
    const guess = (n: number): Promise<string> =>
      browser.refusal('POST /session', { email: 'guessed@ops.example', password: `guess number ${n}` })
    const refusals = []
    for (let n = 0; n < 11; n += 1) refusals.push(await guess(n))
    expect(refusals.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => '400 wrong_credentials'))
    expect(refusals[10]).toBe('429 over_request_rate_limit')
  })

  test('ends with sign-out, also for a copied cookie', async () => {
    const browser = await signIn('viewer@ops.example')
    const copied = browser.cookie()
    await browser.ask('DELETE /session')
    expect(browser.cookie()).toBeUndefined()
    browser.setCookie(copied)
    expect(await browser.refusal('GET /overview')).toBe('401 not_signed_in')
  })
})

describe('the second factor', () => {
  test('is asked for once it is added, and a code works once', async () => {
    const browser = await openOperator(holdfast, owner, 'developer', 'two@ops.example')
    expect(await browser.refusal('POST /me/second-factor', { password: 'wrong' })).toBe('400 wrong_password')
    const { secret, qr } = await browser.ask<{ secret: string; qr: string }>('POST /me/second-factor', {
      password: PASSWORD,
    })
    expect(qr).toContain('<svg')
    expect(await browser.refusal('POST /me/second-factor/confirm', { code: '000000' })).toBe('400 wrong_code')
    const first = totpOf(secret)
    await browser.ask('POST /me/second-factor/confirm', { code: first })

    const other = await signIn('two@ops.example')
    expect(await other.ask('GET /session')).toMatchObject({ state: 'incomplete' })
    expect(await other.refusal('GET /overview')).toBe('401 second_factor_required')
    expect(await other.refusal('POST /session/second-factor', { code: first })).toBe('400 wrong_code')
    const before = other.cookie()
    await other.ask('POST /session/second-factor', { code: totpOf(secret, 1) })
    expect(other.cookie()).not.toBe(before)
    await other.ask('GET /overview')
  })
})

describe('roles', () => {
  test('a viewer reads, a developer changes the project, an owner changes operators', async () => {
    await viewer.ask('GET /overview')
    expect(await viewer.refusal('POST /users', { email: 'x@example.org' })).toBe('403 role_too_low')
    expect(await viewer.refusal('GET /audit')).toBe('403 role_too_low')
    await developer.ask('GET /audit')
    expect(await developer.refusal('GET /operators')).toBe('403 role_too_low')
    expect(await developer.refusal('POST /operators', { email: 'x@ops.example', role: 'owner' })).toBe(
      '403 role_too_low',
    )
  })

  test('the last owner stays', async () => {
    const id = await idOf('olga@ops.example')
    expect(await owner.refusal(`PATCH /operators/${id}`, { role: 'viewer' })).toBe('409 last_owner')
    expect(await owner.refusal(`DELETE /operators/${id}`)).toBe('409 last_owner')
  })

  test('of two owners who demote each other at once, one stays', async () => {
    const second = await openOperator(holdfast, owner, 'owner', 'second@ops.example')
    const [one, two] = [await idOf('olga@ops.example'), await idOf('second@ops.example')]
    const answers = await Promise.all([
      owner.call(`PATCH /operators/${two}`, { role: 'viewer' }),
      second.call(`PATCH /operators/${one}`, { role: 'viewer' }),
    ])
    const [{ owners } = { owners: 0 }] = await holdfast.internal.query<{ owners: number }>(
      sql`select count(*)::int as owners from holdfast_console.operators where role = 'owner'`,
    )
    expect(answers.map(({ status }) => status).filter((status) => status === 200).length).toBe(1)
    expect(owners).toBe(1)
    await holdfast.internal.execute(
      sql`update holdfast_console.operators set role = case email when 'olga@ops.example' then 'owner' else 'viewer' end where email in ('olga@ops.example', 'second@ops.example')`,
    )
  })

  test('a disabled operator is out at once', async () => {
    const gone = await openOperator(holdfast, owner, 'viewer', 'gone@ops.example')
    await owner.ask(`PATCH /operators/${await idOf('gone@ops.example')}`, { isDisabled: true })
    expect(await gone.refusal('GET /overview')).toBe('401 not_signed_in')
    expect(await gone.refusal('POST /session', { email: 'gone@ops.example', password: PASSWORD })).toBe(
      '400 wrong_credentials',
    )
  })

  test('a recovery link sets a new password, removes the second factor and ends sessions', async () => {
    const lost = await openOperator(holdfast, owner, 'viewer', 'lost@ops.example')
    const invitation = { email: 'lost@ops.example', role: 'owner' }
    expect(await owner.refusal('POST /operators', invitation)).toBe('409 operator_exists')
    const { key } = await owner.ask<{ key: string }>('POST /operators', { ...invitation, recovers: true })
    const found = openConsoleBrowser(holdfast)
    await found.ask('POST /invitations/accept', { key, name: 'x', password: 'another long password' })
    expect(await found.ask('GET /session')).toMatchObject({ operator: { role: 'viewer', name: 'viewer' } })
    expect(await lost.refusal('GET /overview')).toBe('401 not_signed_in')
  })
})

describe('the command line', () => {
  const run = async (...words: readonly string[]): Promise<string> => {
    const args = [SERVER_MAIN, 'console', ...words, `--data-dir=${holdfast.dataDir}`]
    return (await promisify(execFile)(process.execPath, args)).stdout.trim()
  }

  test('invites an operator to the running server, and recovers one', async () => {
    const link = await run('invite', 'carl@ops.example', '--role=owner')
    expect(link).toMatch(new RegExp(`^${holdfast.url}/console/#key=`))
    const carl = openConsoleBrowser(holdfast)
    await carl.ask('POST /invitations/accept', { key: keyOf(link), name: 'Carl', password: PASSWORD })
    expect(await carl.ask('GET /session')).toMatchObject({ operator: { role: 'owner' } })
    const { link: recovery } = JSON.parse(await run('recover', 'carl@ops.example', '--json')) as { link: string }
    expect(await carl.ask('POST /invitations/read', { key: keyOf(recovery) })).toMatchObject({ isRecovery: true })
    await carl.ask(`DELETE /operators/${await idOf('carl@ops.example')}`)
  })

  test('refuses an unknown role and an operator who exists', async () => {
    await expect(run('invite', 'x@ops.example', '--role=king')).rejects.toThrow('"king" is not a role')
    await expect(run('invite', 'olga@ops.example')).rejects.toThrow('already belongs to an operator')
  })
})

describe('others are refused', () => {
  const outsiders: [string, () => Promise<Readonly<Record<string, string>>>][] = [
    ['without a session', async () => ({})],
    ['anon', async () => ({ apikey: holdfast.anonKey, authorization: `Bearer ${holdfast.anonKey}` })],
    [
      'the service key',
      async () => ({ apikey: holdfast.serviceRoleKey, authorization: `Bearer ${holdfast.serviceRoleKey}` }),
    ],
    [
      'authenticated',
      async () => {
        const client = await holdfast.supabase()
        const { data } = await client.auth.signUp({ email: `${crypto.randomUUID()}@example.org`, password: PASSWORD })
        return { authorization: `Bearer ${data.session?.access_token ?? ''}` }
      },
    ],
  ]
  test.each(outsiders)('%s', async (_who, headersOf) => {
    const headers = await headersOf()
    const browser = openConsoleBrowser(holdfast)
    for (const target of [
      'GET /overview',
      'GET /users',
      'POST /users',
      'GET /operators',
      'GET /audit',
      'GET /no-such-path',
    ])
      expect(await browser.refusal(target, target.startsWith('POST') ? {} : undefined, headers), target).toBe(
        '401 not_signed_in',
      )
  })

  test('pages of other sites, and requests from other machines', async () => {
    const cross = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }
    expect(await owner.refusal('GET /overview', undefined, cross)).toBe('403 console_local_only')
    expect(await owner.refusal('GET /overview', undefined, { 'x-forwarded-for': '203.0.113.9' })).toBe(
      '403 console_local_only',
    )
    expect(await owner.refusal('GET /overview', undefined, { 'sec-fetch-site': 'same-site' })).toBe(
      '403 console_local_only',
    )
    expect(await rebound()).toBe(403)
  })

  /** A page of another name that resolves to this machine. */
  function rebound(): Promise<number> {
    const { hostname, port } = new URL(holdfast.url)
    const headers = { host: 'evil.example', cookie: owner.cookie() ?? '', 'sec-fetch-site': 'same-origin' }
    return new Promise((resolve, reject) => {
      request({ hostname, port, path: '/console/v1/overview', headers }, (response) =>
        resolve(response.resume().statusCode ?? 0),
      )
        .on('error', reject)
        .end()
    })
  }

  test('the role of the project changes nothing of the console, and reads no secrets', async () => {
    await expect(holdfast.admin.execute(sql`update holdfast_console.operators set role = 'owner'`)).rejects.toThrow(
      'permission denied',
    )
    const read = await holdfast.admin.query<{ totp_secret: string | null }>(
      sql`select totp_secret from holdfast_console.operators`,
    )
    expect(read.filter(({ totp_secret: secret }) => secret !== null && /^[A-Z2-7]+$/.test(secret))).toEqual([])
  })
})

describe('the audit log', () => {
  test('has who did what to whom, with failures, without passwords', async () => {
    await owner.refusal('PATCH /users/00000000-0000-4000-8000-000000000000', { password: 'a new secret password' })
    const { entries } = await owner.ask<{ entries: readonly Record<string, unknown>[] }>('GET /audit?limit=200')
    expect(entries[0]).toMatchObject({ operator: 'olga@ops.example', role: 'owner', action: 'change_user' })
    expect(entries[0]?.['error']).toEqual(expect.stringContaining('not found'))
    expect(
      entries.find(({ action, target }) => action === 'invite_operator' && target === 'operator viewer@ops.example'),
    ).toMatchObject({
      after: { role: 'viewer' },
      error: null,
    })
    expect(JSON.stringify(entries)).not.toMatch(/a new secret password|four words/)
  })

  test('names who signed in, and nobody for a failed attempt', async () => {
    const { entries } = await owner.ask<{ entries: readonly Record<string, unknown>[] }>(
      'GET /audit?action=sign_in&limit=200',
    )
    const [failed, done] = [
      entries.filter(({ error }) => error !== null),
      entries.filter(({ error }) => error === null),
    ]
    expect(new Set(failed.map(({ operator }) => operator))).toEqual(new Set(['nobody']))
    expect(done.map(({ operator }) => `operator ${String(operator)}`)).toEqual(
      done.map(({ target }) => String(target).toLowerCase()),
    )
  })

  test('is read in pages, and by action', async () => {
    const first = await owner.ask<{ entries: readonly { id: string }[]; next: string }>(
      'GET /audit?action=sign_in&limit=2',
    )
    const second = await owner.ask<{ entries: readonly { id: string }[] }>(
      `GET /audit?action=sign_in&limit=2&before=${first.next}`,
    )
    expect(first.entries).toHaveLength(2)
    expect(Number(second.entries[0]?.id)).toBeLessThan(Number(first.entries[1]?.id))
  })
})

test('wrong input is named', async () => {
  const refused = async (target: string, body?: unknown): Promise<unknown> =>
    (await owner.call(target, body)).body['message']
  expect(await refused('POST /operators', { email: 'a@b', role: 'king' })).toMatch(/"role"/)
  expect(await refused('GET /audit?limit=9999')).toMatch(/"limit"/)
  expect(await owner.refusal('POST /invitations/accept', { key: 'x', name: 'y', password: 'short' })).toBe(
    '422 weak_password',
  )
  expect(await owner.refusal('PATCH /me', { name: 'a\u0000b' })).toBe('400 invalid_request')
})
