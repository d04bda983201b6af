import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'

// The daily mail from the morning to the click that ends it. Whose turn it is, and what a mail says: server/test/daily-mail.pg.test.ts.

let holdfast: Holdfast
beforeAll(async () => {
  // It is always past this hour.
  holdfast = await openHoldfast({ sample: true, args: ['--daily-mail-hour=0'] })
})
afterAll(() => holdfast[Symbol.asyncDispose]())

interface Mail {
  readonly recipient: string
  readonly subject: string
  readonly html: string
  readonly body: string
  readonly off: string
}

const mails = (): Promise<readonly Mail[]> =>
  holdfast.internal.query<Mail>(sql`
    select recipient, subject, html, body, variables ->> 'listUnsubscribe' as off from auth.messages where kind = 'daily_mail' order by recipient`)

test('members get a mail of what is theirs, in their language, which is in the mailbox and is ended by one click', async () => {
  const [action] = await holdfast.admin.query<{ id: string }>(sql`
    update public.actions set title = '<b>Valve</b>', due_on = current_date - 3
     where id = (select a.id from public.actions a where a.state = 'open'
                  and a.team_id in (select t.team_id from holdfast.team_members t join auth.users u on u.id = t.user_id where u.email like 'dana.okafor@%')
                  limit 1)
    returning id`)
  await holdfast.admin.execute(sql`
    update public.actions set owner_id = (select id from public.people where name = 'Dana Okafor') where id = ${action?.id ?? ''}`)
  await holdfast.admin.query(sql`select holdfast.create_workspace('Northline', 'dana.okafor@northline.example')`)
  await holdfast.admin.execute(sql`update holdfast.workspaces set language = 'de'`)
  await holdfast.internal.execute(sql`notify holdfast_daily_mails`)

  await expect.poll(mails, { timeout: 90_000 }).toHaveLength(1)
  const [mail] = await mails()
  if (!mail) throw new Error('there is a mail')
  expect(mail.recipient).toBe('dana.okafor@northline.example')
  expect(mail.subject).toMatch(/^\d+ Neuigkeiten? in Northline$/)
  expect(mail.body).toContain('Überfällig')
  expect(mail.body).toContain(`/t/actions/r/${action?.id ?? ''}`)
  expect(mail.html).toContain('&lt;b&gt;Valve&lt;/b&gt;')
  expect(mail.html).not.toContain('<b>')

  const headers = { apikey: holdfast.serviceRoleKey, authorization: `Bearer ${holdfast.serviceRoleKey}` }
  const mailbox = await (await fetch(`${holdfast.url}/mailbox`, { headers })).text()
  expect(mailbox).toContain(mail.subject)

  const link = new URL(mail.off)
  expect(mail.body).toContain(mail.off)
  const isOff = async (): Promise<boolean> =>
    (await holdfast.internal.query(sql`select from holdfast.mail_settings where not daily_mail`)).length > 0
  const asked = await fetch(link, { headers: { 'accept-language': 'de' } })
  expect([asked.status, (await asked.text()).includes('Abbestellen')]).toEqual([200, true])
  expect(await isOff(), 'looking at the link changes nothing').toBe(false)
  const forged = new URL(link)
  forged.searchParams.set('token', (link.searchParams.get('token') ?? '').replace(/.{8}$/, 'AAAAAAAA'))
  expect((await fetch(forged, { method: 'POST' })).status).toBe(400)
  expect(await isOff()).toBe(false)
  // RFC 8058, as mail programs send it.
  const done = await fetch(link, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
  expect(done.status).toBe(200)
  expect(await isOff()).toBe(true)

  const dana = await holdfast.supabase({ email: 'dana.okafor@northline.example' })
  const { data } = await dana.schema('holdfast').rpc('daily_mail')
  expect(data).toEqual({ is_on: false, is_member: true })
  expect((await dana.schema('holdfast').rpc('set_daily_mail', { is_on: true, language: 'en' })).error).toBeNull()
  await holdfast.internal.execute(sql`notify holdfast_daily_mails`)
  expect(await mails(), 'one a day').toHaveLength(1)
})
