import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openHoldfast, openSmtpServer, type Holdfast, type TestSmtpServer } from '@holdfast/test-support'
import { parseMail } from './parse-mail.ts'

// The daily email from sending over SMTP to the unsubscribe click. server/test/daily-mail.pg.test.ts covers recipients and content.

const DANA = 'dana.okafor@northline.example'
let smtp: TestSmtpServer
let holdfast: Holdfast
beforeAll(async () => {
  smtp = await openSmtpServer()
  const mails = ['--email-smtp-host=127.0.0.1', `--email-smtp-port=${smtp.port}`, '--email-smtp-sender-name=Northline']
  // This hour has always passed.
  holdfast = await openHoldfast({ sample: true, args: ['--daily-mail-hour=0', ...mails] })
})
afterAll(async () => {
  await holdfast[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

const lookNow = (): Promise<unknown> => holdfast.internal.execute(sql`notify holdfast_daily_mails`)

test('a member who opts in gets a daily email in their language, with one-click unsubscribe', async () => {
  const [action] = await holdfast.admin.query<{ id: string }>(sql`
    update public.actions set title = '<b>Schieber</b> für Süd', due_on = current_date - 3, owner_id = (select id from public.people where name = 'Dana Okafor')
     where id = (select a.id from public.actions a where a.state = 'open'
                  and a.team_id in (select t.team_id from holdfast.team_members t join auth.users u on u.id = t.user_id where u.email = ${DANA})
                  limit 1)
    returning id`)
  const dana = await holdfast.supabase({ email: DANA })
  const settings = dana.schema('holdfast')
  const setting = async (): Promise<unknown> => (await settings.rpc('daily_mail')).data
  expect(await setting(), 'nobody has the addresses of the sample').toEqual({ is_on: false, is_member: true })
  expect((await settings.rpc('set_daily_mail', { is_on: true, language: 'de' })).error).toBeNull()
  await lookNow()

  await expect.poll(() => smtp.received, { timeout: 90_000 }).toHaveLength(1)
  const [received] = smtp.received
  if (!received) throw new Error('there is a mail')
  expect(received.to, 'who has turned it off gets none').toEqual([DANA])
  const { headers, text, html } = parseMail(received.source)
  expect(headers.get('from')).toMatch(/^"?Northline"? </)
  expect(headers.get('subject')).toMatch(/^\d+ Neuigkeiten? in Northline Water$/)
  expect(headers.get('auto-submitted')).toBe('auto-generated')
  expect(text).toContain('Überfällig')
  expect(text).toContain('<b>Schieber</b> für Süd')
  expect(text).toContain(`/t/actions/r/${action?.id ?? ''}`)
  expect(html).toContain('&lt;b&gt;Schieber&lt;/b&gt; für Süd')
  expect(html).not.toContain('<b>')

  expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  const link = new URL(/^<(.+)>$/.exec(headers.get('list-unsubscribe') ?? '')?.[1] ?? '')
  expect(link.origin).toBe(holdfast.url)
  expect(text).toContain(link.href)
  const asked = await fetch(link, { headers: { 'accept-language': 'de' } })
  expect([asked.status, (await asked.text()).includes('Abbestellen')]).toEqual([200, true])
  expect(await setting(), 'looking at the link changes nothing').toMatchObject({ is_on: true })
  const forged = new URL(link)
  forged.searchParams.set('token', (link.searchParams.get('token') ?? '').replace(/.{8}$/, 'AAAAAAAA'))
  expect((await fetch(forged, { method: 'POST' })).status).toBe(400)
  expect(await setting()).toMatchObject({ is_on: true })
  // RFC 8058, as mail programs send it.
  const done = await fetch(link, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
  expect(done.status).toBe(200)
  expect(await setting()).toMatchObject({ is_on: false })

  expect((await settings.rpc('set_daily_mail', { is_on: true })).error).toBeNull()
  await lookNow()
  await expect
    .poll(() => holdfast.internal.query(sql`select is_done, mailed_at is not null as mailed from holdfast.daily_mails`))
    .toEqual([{ is_done: true, mailed: true }])
  expect(smtp.received, 'one a day').toHaveLength(1)
})

test('the holder of an invite link proves an address by mail before an account is created', async () => {
  const [made] = await holdfast.admin.query<{ secret: string }>(sql`
    with link as (insert into holdfast.invite_links (workspace_id, role, uses_max, expires_at)
                  select id, 'editor', 5, now() + interval '1 day' from holdfast.workspaces limit 1 returning id)
    insert into holdfast.invite_link_secrets (link_id, hash)
    select id, sha256(convert_to(repeat('s', 43), 'UTF8')) from link returning repeat('s', 43) as secret`)
  const send = (path: string, body: object): Promise<Response> =>
    fetch(`${holdfast.url}/app/v1/invitations/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret: made?.secret, email: 'site@northline.example', ...body }),
    })
  const joined = await send('join', { name: 'Site', password: 'a password of theirs' })
  expect([joined.status, await joined.json()]).toMatchObject([403, { code: 'address_not_proved' }])
  expect((await send('request', {})).status).toBe(202)
  const toSite = (): string | undefined => smtp.received.find(({ to }) => to[0] === 'site@northline.example')?.source
  await expect.poll(toSite, { timeout: 30_000 }).toBeDefined()
  const [, secret = ''] = /\/invite\/([\w-]{43})/.exec(parseMail(toSite() ?? '').text) ?? []
  const proved = await fetch(`${holdfast.url}/app/v1/invitations/join`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ secret, name: 'Site', password: 'a password of theirs' }),
  })
  expect(proved.status).toBe(201)
})
