import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { sql } from '@holdfast/postgres'
import { expect, test, type Page } from '@playwright/test'
import { comeToRest, expectAccessible, expectNoSidewaysScroll } from './support/accessibility.ts'
import { nextMail } from './support/mailbox.ts'
import { openStranger } from './support/stranger.ts'

const PICTURES = 'test-results/screens'
const OWNER = { email: 'olga@northline.example', password: 'a good one 7' }

/** @returns the page that the mail leads to, on the origin of the strangers' devices */
async function invite(server: Holdfast, workspace: string, email: string): Promise<string> {
  const owner = await server.supabase(OWNER)
  const { data, error } = await owner.schema('holdfast').rpc('invite', {
    workspace,
    emails: [email],
    as_role: 'editor',
    message: 'We start on Monday.\nBring your boots.',
  })
  expect(error).toBeNull()
  expect(data).toEqual([{ email, outcome: 'invited' }])
  const { body } = await nextMail(server, email)
  return new URL(/https?:\/\/\S+\/invite\/\S+/.exec(body)?.[0] ?? '').pathname
}

async function lookAt(page: Page, screen: string): Promise<void> {
  await expectAccessible(page, screen)
  await comeToRest(page)
  await page.screenshot({ path: `${PICTURES}/invitation-${screen}.png` })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.screenshot({ path: `${PICTURES}/invitation-${screen}-phone-dark.png` })
  await expectNoSidewaysScroll(page, `${screen} on a phone`)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 800 })
}

test('an invitation is accepted on another device: by who has no account yet, and by who has one', async ({
  browser,
}) => {
  await using server = await openHoldfast({ args: ['--no-enable-signup'] })
  await using nora = await openStranger(browser, server)
  await using noor = await openStranger(browser, server)
  const { error } = await nora.admin.auth.admin.createUser({ ...OWNER, email_confirm: true })
  expect(error).toBeNull()
  const [made] = await server.admin.query<{ id: string }>(
    sql`select holdfast.create_workspace('Northline Water', ${OWNER.email}) as id`,
  )
  const workspace = made?.id ?? ''

  const link = await invite(server, workspace, nora.email)
  await nora.page.goto(link)
  await expect(nora.page.getByRole('heading', { level: 1 })).toHaveText('Join Northline Water')
  await expect(nora.page.getByText('We start on Monday.')).toBeVisible()
  await nora.page.getByRole('button', { name: 'Create account and join' }).click()
  await expect(nora.page.getByRole('textbox', { name: 'Name' })).toHaveAccessibleDescription(/Enter your name/)
  await lookAt(nora.page, 'new')
  await nora.page.getByRole('textbox', { name: 'Name' }).fill('Nora Lind')
  await nora.page.getByRole('textbox', { name: 'Password' }).fill('a good one 8')
  await nora.page.getByRole('button', { name: 'Create account and join' }).click()
  await expect(nora.page.getByRole('button', { name: 'Account of Nora Lind', exact: true })).toBeVisible()

  await noor.withAccount()
  const second = await invite(server, workspace, noor.email)
  // Whoever is signed in with another address does not join in its place.
  await nora.page.goto(second)
  await expect(nora.page.getByText(`You are signed in as ${nora.email}`)).toBeVisible()
  await lookAt(nora.page, 'another')
  await noor.page.goto(second)
  await noor.page.getByRole('link', { name: 'Sign in to join' }).click()
  await noor.page.getByRole('button', { name: 'Continue with password' }).click()
  await noor.page.getByRole('textbox', { name: 'Password' }).fill(noor.password)
  await noor.page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(noor.page.getByRole('heading', { level: 1 })).toHaveText('Join Northline Water')
  await lookAt(noor.page, 'decision')
  await noor.page.getByRole('button', { name: 'Join', exact: true }).click()
  await expect(noor.page.getByRole('button', { name: 'Account of Noor Haddad', exact: true })).toBeVisible()
  const members = await server.admin.query<{ name: string; role: string }>(
    sql`select name, role::text from holdfast.members where workspace_id = ${workspace} order by name`,
  )
  expect(members.filter(({ role }) => role === 'editor').map(({ name }) => name)).toEqual(['Noor Haddad', 'Nora Lind'])

  await noor.page.goto(link)
  await expect(noor.page.getByRole('heading', { level: 1 })).toHaveText('This invitation was used already')
  await noor.page.goto(`/invite/${'a'.repeat(43)}`)
  await expect(noor.page.getByRole('heading', { level: 1 })).toHaveText('This link leads to no invitation')
  await lookAt(noor.page, 'gone')
  expect([...nora.problems.found, ...noor.problems.found], 'console errors and unhandled rejections').toEqual([])
})
