import { sql } from '@holdfast/postgres'
import { expect, expectIn, followLink, lookAt, test } from './support/entry.ts'
import { linkOf, nextMail } from './support/mailbox.ts'

/** A project's own table: each person has their own rows, guests too. */
const NOTES = `
  create table public.notes (
    id uuid primary key default gen_random_uuid(), title text not null, owner_id uuid not null default auth.uid());
  alter table public.notes enable row level security;
  grant select, insert, update on public.notes to authenticated;
  create policy own on public.notes for all to authenticated
    using (owner_id = (select auth.uid())) with check (owner_id = (select auth.uid()))`

test('a guest gets in without an account', async ({ stranger }) => {
  const { page } = stranger
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Continue as a guest' }).click()
  await expectIn(page, 'Guest')
  await page.getByRole('button', { name: 'Account of Guest', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Sign out' })
  await expect(dialog).toContainText('This account can never be signed in to again')
  await lookAt(page, 'guest-signs-out')
  await dialog.getByRole('link', { name: 'Keep your account' }).click()
  await expect(page).toHaveURL(/\/account$/)
})

test('a guest is warned before signing out while the server is out of reach and the token is over', async ({
  stranger,
}) => {
  const { page, problems } = stranger
  problems.expectCutLine()
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Continue as a guest' }).click()
  await expectIn(page, 'Guest')
  await page.route('**/auth/v1/**', (route) => route.abort())
  await page.evaluate(() => {
    const session = JSON.parse(localStorage.getItem('holdfast-auth') ?? '') as object
    localStorage.setItem('holdfast-auth', JSON.stringify({ ...session, expires_at: 1 }))
  })
  await page.reload()
  await page.getByRole('button', { name: 'Account of Guest', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Sign out' })
  await expect(dialog).toContainText('This account can never be signed in to again')
})

test('what a guest has made stays theirs with the account that they keep', async ({ stranger, server }) => {
  const { page, email } = stranger
  await server.admin.execute(sql.trusted(NOTES))
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Continue as a guest' }).click()
  await page
    .getByRole('navigation', { name: 'Workspace' })
    .getByRole('link', { name: /^Notes/ })
    .click()
  for (const text of ['first', 'second', 'third']) {
    // As long as there is none, the empty table has such a button, too.
    await page.getByRole('button', { name: 'New note' }).first().click()
    const title = page.getByRole('textbox', { name: 'Title' })
    await title.fill(text)
    await page.getByRole('button', { name: 'Create note' }).click()
    await expect(page.getByRole('gridcell', { name: `Title: ${text}` })).toBeVisible()
    await page.keyboard.press('Escape')
  }
  const owners = (): Promise<readonly { id: string; notes: number }[]> =>
    server.admin.query(sql`select owner_id as id, count(*)::int as notes from public.notes group by 1`)
  await expect.poll(owners).toMatchObject([{ notes: 3 }])
  const [before] = await owners()

  await page.goto('/account')
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill('a good one 7')
  await page.getByRole('button', { name: 'Keep my account' }).click()
  await followLink(page, linkOf(await nextMail(server, email)))
  await expect(page.getByText(`You sign in with ${email} from now on.`)).toBeVisible()
  const { data } = await stranger.admin.auth.admin.getUserById(before?.id ?? '')
  expect(data.user).toMatchObject({ email, is_anonymous: false })
  await page.goto('/w')
  await page
    .getByRole('navigation', { name: 'Workspace' })
    .getByRole('link', { name: /^Notes/ })
    .click()
  await expect(page.getByRole('gridcell', { name: /^Title: / })).toHaveCount(3)
  expect(await owners()).toEqual([before])
})
