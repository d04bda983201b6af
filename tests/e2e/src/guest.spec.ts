import { sql } from '@holdfast/postgres'
import { expect, expectIn, followLink, lookAt, test } from './support/entry.ts'
import { linkOf, nextMail } from './support/mailbox.ts'

/** A project's own table: each user has their own rows, guests too. */
const NOTES = `
  create table public.notes (
    id uuid primary key default gen_random_uuid(), title text not null, owner_id uuid not null default auth.uid());
  alter table public.notes enable row level security;
  grant select, insert, update on public.notes to authenticated;
  create policy own on public.notes for all to authenticated
    using (owner_id = (select auth.uid())) with check (owner_id = (select auth.uid()))`

test('a guest gets in without an account, is warned before signing out, and keeps their records with an account', async ({
  stranger,
  server,
}) => {
  const { page, email, problems } = stranger
  await server.admin.execute(sql.trusted(NOTES))
  const owners = (): Promise<readonly { id: string; notes: number }[]> =>
    server.admin.query(sql`select owner_id as id, count(*)::int as notes from public.notes group by 1`)
  const notes = page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: /^Notes/ })
  const dialog = page.getByRole('alertdialog', { name: 'Sign out' })
  const askToSignOut = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Account of Guest', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await expect(dialog).toContainText('This account can never be signed in to again')
  }

  await test.step('a guest makes records', async () => {
    await page.goto('/sign-in')
    await page.getByRole('button', { name: 'Continue as a guest' }).click()
    await expectIn(page, 'Guest')
    await notes.click()
    for (const text of ['first', 'second', 'third']) {
      // As long as there is none, the empty table has such a button, too.
      await page.getByRole('button', { name: 'New note' }).first().click()
      const title = page.getByRole('textbox', { name: 'Title' })
      await title.fill(text)
      await page.getByRole('button', { name: 'Create note' }).click()
      await expect(page.getByRole('gridcell', { name: `Title: ${text}` })).toBeVisible()
      await page.keyboard.press('Escape')
    }
    await expect.poll(owners).toMatchObject([{ notes: 3 }])
  })
  const [before] = await owners()

  await test.step('the warning also comes while the server is out of reach and the token is over', async () => {
    problems.expectCutLine()
    await page.route('**/auth/v1/**', (route) => route.abort())
    await page.evaluate(() => {
      const session = JSON.parse(localStorage.getItem('holdfast-auth') ?? '') as object
      localStorage.setItem('holdfast-auth', JSON.stringify({ ...session, expires_at: 1 }))
    })
    await page.reload()
    await askToSignOut()
    await page.unroute('**/auth/v1/**')
    await page.reload()
  })

  await test.step('the question before signing out leads to the account', async () => {
    await askToSignOut()
    await lookAt(page, 'guest-signs-out')
    await dialog.getByRole('link', { name: 'Keep your account' }).click()
    await expect(page).toHaveURL(/\/account$/)
  })

  await test.step('what the guest has made stays theirs', async () => {
    await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill('a good one 7')
    await page.getByRole('button', { name: 'Keep my account' }).click()
    await followLink(page, linkOf(await nextMail(server, email)))
    await expect(page.getByText(`You sign in with ${email} from now on.`)).toBeVisible()
    const { data } = await stranger.admin.auth.admin.getUserById(before?.id ?? '')
    expect(data.user).toMatchObject({ email, is_anonymous: false })
    await page.goto('/w')
    await notes.click()
    await expect(page.getByRole('gridcell', { name: /^Title: / })).toHaveCount(3)
    expect(await owners()).toEqual([before])
  })
})
