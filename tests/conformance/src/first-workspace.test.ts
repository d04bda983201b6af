import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'

// The owner link that a new server prints creates its owner, once. Other users create workspaces only if that is enabled.

const PASSWORD = 'a password of hers'
const OWNER = { name: 'Olga', email: 'olga@example.org', password: PASSWORD, workspace: 'Müller & Sons' }

let holdfast: Holdfast
let key = ''
beforeAll(async () => {
  holdfast = await openHoldfast({ args: ['--no-enable-signup'] })
  key = new URLSearchParams(new URL(holdfast.welcomeUrl ?? '').hash.slice(1)).get('owner') ?? ''
})
afterAll(() => holdfast[Symbol.asyncDispose]())

async function post(server: Holdfast, path: string, body: object, token?: string): Promise<[number, unknown]> {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  return [response.status, await response.json()]
}
const codeOf = async (...input: Parameters<typeof post>): Promise<unknown> => {
  const [status, body] = await post(...input)
  return `${status} ${(body as { readonly code: string }).code}`
}
const rows = (server: Holdfast): Promise<unknown> =>
  server.admin.query(sql`
    select w.name as workspace, m.name, m.role::text
      from holdfast.workspaces w join holdfast.members m on m.workspace_id = w.id order by 1, 2`)

/** Creates an account. @returns its access token */
async function tokenOf(server: Holdfast, email: string, isConfirmed = true): Promise<string> {
  const service = await server.supabase()
  const created = await fetch(`${server.url}/auth/v1/admin/users`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      apikey: server.serviceRoleKey,
      authorization: `Bearer ${server.serviceRoleKey}`,
    },
    body: JSON.stringify({ email, password: PASSWORD, email_confirm: true }),
  })
  expect(created.status).toBe(200)
  const { data } = await service.auth.signInWithPassword({ email, password: PASSWORD })
  if (!isConfirmed)
    await server.internal.execute(sql`update auth.users set email_confirmed_at = null where email = ${email}`)
  return data.session?.access_token ?? ''
}

describe('the owner link of a new server', () => {
  test.each([
    ['another key', { key: `${Date.now() + 1e6}.${'A'.repeat(43)}` }, '403 owner_key_invalid'],
    ['no key', { key: undefined }, '403 owner_key_invalid'],
    ['no name', { name: ' ' }, '400 invalid_request'],
    ['a name with a line break', { name: 'O\nlga' }, '400 invalid_request'],
    ['no workspace', { workspace: '' }, '400 invalid_request'],
    ['a long workspace', { workspace: 'x'.repeat(81) }, '400 invalid_request'],
    ['an invalid email address', { email: 'olga' }, '400 validation_failed'],
    ['a weak password', { password: 'x' }, '422 weak_password'],
  ])('creates nothing with %s', async (_what, change, refusal) => {
    expect(await codeOf(holdfast, '/app/v1/owner', { key, ...OWNER, ...change })).toBe(refusal)
    expect(await rows(holdfast)).toEqual([])
  })

  test('creates one owner and one workspace, even if used concurrently', async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, n) =>
        codeOf(holdfast, '/app/v1/owner', { key, ...OWNER, email: n === 0 ? OWNER.email : `o${n}@example.org` }),
      ),
    )
    expect(answers.filter((answer) => answer === '201 undefined')).toHaveLength(1)
    expect(answers.filter((answer) => answer === '410 already_set_up')).toHaveLength(3)
    expect(await rows(holdfast)).toEqual([{ workspace: OWNER.workspace, name: OWNER.name, role: 'owner' }])
  })

  test('is invalid afterwards, and the next start prints none', async () => {
    expect(await codeOf(holdfast, '/app/v1/owner', { key, ...OWNER, email: 'new@example.org' })).toBe(
      '410 already_set_up',
    )
    const token = await tokenOf(holdfast, 'late@example.org')
    expect(await codeOf(holdfast, '/app/v1/workspaces', { key, workspace: 'Mine' }, token)).toBe('410 already_set_up')
    const next = await holdfast.another()
    expect(next.ready.welcome).toBeUndefined()
    await next.kill('SIGTERM')
  })

  test('lets no other user create a workspace: users are invited', async () => {
    const token = await tokenOf(holdfast, 'stranger@example.org')
    expect(await codeOf(holdfast, '/app/v1/workspaces', { workspace: 'Mine' }, token)).toBe(
      '403 workspaces_by_invitation',
    )
    expect(await codeOf(holdfast, '/app/v1/workspaces', { workspace: 'Mine' })).toBe('401 not_signed_in')
    const config = (await (await fetch(`${holdfast.url}/app/v1/config`)).json()) as { hasOpenWorkspaces: boolean }
    expect(config.hasOpenWorkspaces).toBe(false)
  })
})

describe('with open workspaces', () => {
  let open: Holdfast
  beforeAll(async () => {
    open = await openHoldfast({ args: ['--open-workspaces'] })
  })
  afterAll(() => open[Symbol.asyncDispose]())

  test('a user owns at most three, even with concurrent requests', async () => {
    const token = await tokenOf(open, 'nina@example.org')
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, n) => codeOf(open, '/app/v1/workspaces', { workspace: `W${n}` }, token)),
    )
    expect(answers.toSorted()).toEqual(['201 undefined', '201 undefined', '201 undefined', '409 too_many_workspaces'])
  })

  test('guests, unconfirmed accounts and ended sessions cannot create one', async () => {
    const before = await rows(open)
    const guest = await open.supabase()
    const { data } = await guest.auth.signInAnonymously()
    const start = (token: string | undefined): Promise<unknown> =>
      codeOf(open, '/app/v1/workspaces', { workspace: 'Mine' }, token)
    if (data.session) expect(await start(data.session.access_token)).toBe('403 account_not_suitable')
    expect(await start(await tokenOf(open, 'unconfirmed@example.org', false))).toBe('403 account_not_suitable')
    expect(await start(open.anonKey)).toBe('401 not_signed_in')
    expect(await start('nonsense')).toMatch(/^401 /)
    const token = await tokenOf(open, 'gone@example.org')
    await open.internal.execute(sql`delete from auth.users where email = 'gone@example.org'`)
    expect(await start(token)).toMatch(/^(401|403) /)
    expect(await rows(open)).toEqual(before)
  })
})
