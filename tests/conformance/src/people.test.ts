import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import type { CoverageReport } from '@holdfast/sync'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'

// Invitations from the call to the member: email, account creation and acceptance. server/test/people.pg.test.ts covers permissions.

const PASSWORD = 'a password of hers'
let holdfast: Holdfast
let workspace = ''
beforeAll(async () => {
  holdfast = await openHoldfast({ args: ['--no-enable-signup'] })
  for (const name of ['olga', 'nina']) await addAccount(`${name}@example.org`)
  const [made] = await holdfast.admin.query<{ id: string }>(
    sql`select holdfast.create_workspace('Water', 'olga@example.org') as id`,
  )
  workspace = made?.id ?? ''
})
afterAll(() => holdfast[Symbol.asyncDispose]())

async function addAccount(email: string): Promise<void> {
  const response = await fetch(`${holdfast.url}/auth/v1/admin/users`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      apikey: holdfast.serviceRoleKey,
      authorization: `Bearer ${holdfast.serviceRoleKey}`,
    },
    body: JSON.stringify({ email, password: PASSWORD, email_confirm: true }),
  })
  expect(response.status).toBe(200)
}

const signedIn = (email: string): ReturnType<Holdfast['supabase']> => holdfast.supabase({ email, password: PASSWORD })

/** Waits for this many emails to an address and returns the invitation in the newest. */
async function invitationIn(email: string, mails: number): Promise<{ readonly secret: string; readonly html: string }> {
  const found = await expect
    .poll(
      () =>
        holdfast.internal.query<{ html: string; body: string }>(
          sql`select html, body from auth.messages where recipient = ${email} order by created_at desc`,
        ),
      { timeout: 60_000 },
    )
    .toHaveLength(mails)
    .then(() =>
      holdfast.internal.query<{ html: string; body: string }>(
        sql`select html, body from auth.messages where recipient = ${email} order by created_at desc limit 1`,
      ),
    )
  const [mail] = found
  const secret = /\/invite\/([\w-]{43})\n/.exec(mail?.body ?? '')?.[1] ?? ''
  expect(mail?.html).toContain(`${holdfast.url}/invite/${secret}`)
  return { secret, html: mail?.html ?? '' }
}

async function invite(email: string, role: string, message: string | null = null): Promise<unknown> {
  const olga = await signedIn('olga@example.org')
  const { data, error } = await olga
    .schema('holdfast')
    .rpc('invite', { workspace, emails: [email], as_role: role, message })
  expect(error).toBeNull()
  return data
}

const join = (body: object): Promise<Response> =>
  fetch(`${holdfast.url}/app/v1/invitations/join`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

test('an invited user without an account joins by the emailed link, even if sign-ups are off', async () => {
  expect(await invite('new@example.org', 'editor', '<b>Welcome</b>')).toEqual([
    { email: 'new@example.org', outcome: 'invited' },
  ])
  const { secret, html } = await invitationIn('new@example.org', 1)
  expect(html).toContain('&lt;b&gt;Welcome&lt;/b&gt;')
  const visitor = await holdfast.supabase()
  const { data: peeked } = await visitor.schema('holdfast').rpc('peek_invitation', { secret })
  expect(peeked).toMatchObject({ state: 'pending', workspace: 'Water', role: 'editor', has_account: false })

  expect((await join({ secret, name: 'Newa', password: 'short' })).status).toBe(422)
  expect((await join({ secret: 'x'.repeat(43), name: 'Newa', password: PASSWORD })).status).toBe(404)
  expect((await join({ secret, name: '', password: PASSWORD })).status).toBe(400)
  const joined = await join({ secret, name: 'Newa', password: PASSWORD })
  expect([joined.status, await joined.json()]).toEqual([201, { email: 'new@example.org' }])
  expect((await join({ secret, name: 'Else', password: 'another password' })).status).toBe(409)

  const newa = await signedIn('new@example.org')
  const { data: answered } = await newa.schema('holdfast').rpc('answer_invitation', { secret, accepts: true })
  expect(answered).toMatchObject({ outcome: 'accepted' })
  const { data: members } = await newa.schema('holdfast').from('members').select('name, role').order('name')
  expect(members).toEqual([
    { name: 'Newa', role: 'editor' },
    { name: 'olga', role: 'owner' },
  ])
  expect((await join({ secret, name: 'Newa', password: PASSWORD })).status).toBe(410)
})

test('a user with an account accepts with it; resending the email invalidates the earlier link', async () => {
  await invite('nina@example.org', 'viewer')
  const first = await invitationIn('nina@example.org', 1)
  const olga = await signedIn('olga@example.org')
  const { data: rows } = await olga.schema('holdfast').from('invitations').select('id').eq('email', 'nina@example.org')
  await olga.schema('holdfast').rpc('resend_invitation', { invitation: rows?.[0]?.id as string })
  const second = await invitationIn('nina@example.org', 2)
  const nina = await signedIn('nina@example.org')
  const answerOf = async (secret: string): Promise<unknown> =>
    (await nina.schema('holdfast').rpc('answer_invitation', { secret, accepts: true })).data
  expect((await join({ secret: second.secret, name: 'Nina', password: PASSWORD })).status).toBe(409)
  expect(await answerOf(first.secret)).toEqual({ outcome: 'not_found' })
  expect(await answerOf(second.secret)).toMatchObject({ outcome: 'accepted' })
})

test('without a mail server an invite link admits users by itself', async () => {
  const olga = await signedIn('olga@example.org')
  const { data } = await olga.schema('holdfast').rpc('create_invite_link', { workspace, as_role: 'editor', uses: 1 })
  const { secret } = data as { readonly secret: string }
  const request = await fetch(`${holdfast.url}/app/v1/invitations/request`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ secret, email: 'site@example.org' }),
  })
  expect([request.status, await request.json()]).toMatchObject([409, { code: 'no_mail' }])
  expect((await join({ secret, email: 'not an address', name: 'Site', password: PASSWORD })).status).toBe(400)
  expect((await join({ secret, email: 'site@example.org', name: 'Site', password: PASSWORD })).status).toBe(201)
  const site = await signedIn('site@example.org')
  const { data: answered } = await site.schema('holdfast').rpc('answer_invitation', { secret, accepts: true })
  expect(answered).toMatchObject({ outcome: 'accepted' })
  expect((await join({ secret, email: 'more@example.org', name: 'More', password: PASSWORD })).status).toBe(410)
  const { data: invitations } = await olga.schema('holdfast').from('invitations').select('mail').limit(1)
  expect(invitations).toEqual([{ mail: 'captured' }])
})

test('too many emails to one address get 429', async () => {
  const olga = await signedIn('olga@example.org')
  await invite('often@example.org', 'viewer')
  const { data: rows } = await olga.schema('holdfast').from('invitations').select('id').eq('email', 'often@example.org')
  let status = 0
  for (let n = 0; n < 5; n++)
    ({ status } = await olga.schema('holdfast').rpc('resend_invitation', { invitation: rows?.[0]?.id as string }))
  expect(status).toBe(429)
})

test('members, invitations and shares sync to devices, secrets do not', async () => {
  const response = await fetch(`${holdfast.url}/sync/v1/coverage?settled=true`, {
    headers: { authorization: `Bearer ${holdfast.serviceRoleKey}` },
  })
  const { tables } = (await response.json()) as CoverageReport
  const named = new Map(tables.map(({ table, synced, reason }) => [table, synced ? 'synced' : (reason ?? 'no reason')]))
  for (const table of ['workspaces', 'members', 'invitations', 'invite_links', 'shares', 'teams', 'team_members'])
    expect(named.get(`holdfast.${table}`), table).toBe('synced')
  for (const table of ['invitation_secrets', 'invite_link_secrets', 'invitation_mails', 'invitation_guesses'])
    expect(named.get(`holdfast.${table}`), table).not.toBe('synced')
})
