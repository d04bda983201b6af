import type { BrowserContext, Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { totp } from './support/own-account.ts'
import { expect, test } from './support/fixtures.ts'
import { acceptInvitation, firstOperatorLink, OPERATOR_PASSWORD, openScreen } from './support/operators.ts'
import { watchProblems } from './support/problems.ts'

/* The console: an owner comes in by the printed link, lets others in, and stops a user's device. */

test('an owner opens the console, bans a user whose device stops, and invites a viewer who sees no personal data', async ({
  arrive,
  browser,
  holdfast,
}) => {
  const contexts: BrowserContext[] = []
  const openBrowser = async (options = {}): Promise<{ page: Page; problems: ReturnType<typeof watchProblems> }> => {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
      ...options,
    })
    contexts.push(context)
    return { problems: watchProblems(context), page: await context.newPage() }
  }
  const { page, problems } = await openBrowser()

  await test.step('the printed link makes the first owner', async () => {
    await page.goto(await firstOperatorLink(holdfast))
    await expect(page.getByText('You become the first owner of this console')).toBeVisible()
    expect(new URL(page.url()).hash).toBe('')
    await expectAccessible(page, 'the invitation of an operator')
    await page.getByLabel('Email address').fill('olga@ops.example')
    await acceptInvitation(page, 'Olga Ortiz')
    await expect(page.getByRole('region', { name: 'Database' })).toContainText('Postgres')
    await expectAccessible(page, 'the overview of the console')
  })

  await test.step('a second factor is added and asked for at the next sign-in', async () => {
    await openScreen(page, 'Your account')
    await page.getByRole('button', { name: 'Add…' }).click()
    await page.getByLabel('Password', { exact: true }).last().fill(OPERATOR_PASSWORD)
    await page.getByRole('button', { name: 'Continue' }).click()
    const secret = await page.getByLabel('Secret').inputValue()
    await expectAccessible(page, 'adding a second factor')
    await page.getByLabel('Code of the app').fill(totp(secret, Date.now() - 30_000))
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(page.getByText('Second factor added')).toBeVisible()
    await expectAccessible(page, 'the account of an operator')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Email address').fill('olga@ops.example')
    await page.getByLabel('Password', { exact: true }).fill(OPERATOR_PASSWORD)
    await expectAccessible(page, 'sign-in of the console')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Code of your authenticator app').fill(totp(secret, Date.now()))
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
  })

  await test.step('a banned user’s device stops, and goes on when the ban is lifted', async () => {
    const dana = await arrive('dana')
    await openScreen(page, 'Users')
    await page.getByRole('searchbox').fill('dana')
    await expectAccessible(page, 'users of the console')
    await page.getByRole('link', { name: 'Dana Okafor' }).click()
    await expect(page.getByRole('heading', { level: 1, name: dana.email })).toBeFocused()
    await expect(page.getByRole('list', { name: 'Sessions' })).toBeVisible()
    await expectAccessible(page, 'a user in the console')
    dana.problems.expect(/status of 40[013].*\/(auth\/v1|sync|rest)\//)
    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Ban…' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Ban' }).click()
    await expect(dana.chip).toHaveAccessibleName('Sync: Sign in to sync')
    await expect(page.getByText(/^banned until/)).toBeVisible()
    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Lift ban' }).click()
    await expect(page.getByText('active', { exact: true })).toBeVisible()
    const [row] = await holdfast.internal.query<{ banned: boolean }>(
      sql`select coalesce(banned_until > now(), false) as banned from auth.users where email = ${dana.email}`,
    )
    expect(row?.banned).toBe(false)
  })

  await test.step('the audit log says who did it', async () => {
    await openScreen(page, 'Audit log')
    const ban = page.getByRole('row').filter({ hasText: 'ban_duration":"876000h' })
    await expect(ban).toContainText('olga@ops.example')
    await expect(ban).toContainText('dana.okafor@northline.example')
    await expectAccessible(page, 'the audit log')
  })

  await test.step('a viewer comes in by a link, reads masked users on a phone in the dark, and changes nothing', async () => {
    await openScreen(page, 'Operators')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('Email address').fill('vera@ops.example')
    await page.getByRole('button', { name: /Role/ }).click()
    await page.getByRole('option', { name: /Viewer/ }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    const link = await page.getByLabel('Link', { exact: true }).inputValue()
    await page.getByRole('button', { name: 'Done' }).click()
    await expect(page.getByRole('list', { name: 'Open invitations' })).toContainText('vera@ops.example')
    await expectAccessible(page, 'operators')

    const vera = await openBrowser({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
    await vera.page.goto(link)
    await acceptInvitation(vera.page, 'Vera')
    await expectAccessible(vera.page, 'the overview on a phone')
    await vera.page.getByRole('button', { name: 'Open navigation' }).click()
    await expect(vera.page.getByRole('link', { name: 'Operators' })).toHaveCount(0)
    await openScreen(vera.page, 'Users')
    await expect(vera.page.getByText('d•••@n•••').first()).toBeVisible()
    await expect(vera.page.getByText(/okafor/i)).toHaveCount(0)
    await expect(vera.page.getByRole('button', { name: 'Add user' })).toHaveCount(0)
    await expectAccessible(vera.page, 'users on a phone in the dark')
    expect(vera.problems.found).toEqual([])
  })

  expect(problems.found).toEqual([])
  for (const context of contexts) await context.close()
})
