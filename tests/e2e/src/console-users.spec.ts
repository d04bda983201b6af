import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'
import { openConsole, openScreen } from './support/operators.ts'
import { watchProblems } from './support/problems.ts'

/* Users in the console: from an account to its end, and a look at the app with a user’s eyes. */

test('an owner adds a user, sees the app as they do, sends a recovery mail, and deletes the account', async ({
  browser,
  holdfast,
}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  const problems = watchProblems(context)
  const page = await context.newPage()
  const email = 'ulla@northline.example'
  const act = async (item: string): Promise<void> => {
    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await openConsole(page, holdfast, 'Uwe')
  await openScreen(page, 'Users')

  await test.step('a user is created with a password, and found', async () => {
    await page.getByRole('button', { name: 'Add user' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add user' })
    await dialog.getByRole('button', { name: /How/ }).click()
    await page.getByRole('option', { name: 'Create with a password' }).click()
    await dialog.getByLabel('Email address').fill(email)
    await dialog.getByLabel('Password', { exact: true }).fill('a password of hers')
    await expectAccessible(page, 'adding a user')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(page.getByRole('heading', { level: 1, name: email })).toBeVisible()
    await openScreen(page, 'Users')
    await page.getByRole('searchbox').fill('ulla')
    await page.getByRole('table', { name: 'Users' }).getByRole('link').first().click()
    await expect(page.getByRole('heading', { level: 1, name: email })).toBeVisible()
  })

  await test.step('app metadata is edited, and what is no JSON is not sent', async () => {
    const metadata = page.getByLabel('App metadata', { exact: true })
    await metadata.fill('{ "plan": ')
    await expect(page.getByText('This is not a JSON object.')).toBeVisible()
    await metadata.fill('{ "provider": "email", "providers": ["email"], "plan": "trial" }')
    await page.getByRole('button', { name: 'Save app metadata' }).click()
    await expect(page.getByText('App metadata saved')).toBeVisible()
    const [row] = await holdfast.internal.query<{ plan: string }>(
      sql`select raw_app_meta_data ->> 'plan' as plan from auth.users where email = ${email}`,
    )
    expect(row?.plan).toBe('trial')
    await expectAccessible(page, 'a user')
  })

  await test.step('a support link opens the app as the user, and is listed among their sessions', async () => {
    await act('Sign in as this user…')
    const link = await page.getByRole('dialog', { name: 'Support link' }).getByLabel('Support link').inputValue()
    await expectAccessible(page, 'a support link')
    const other = await browser.newContext()
    const seen = await other.newPage()
    await seen.goto(link)
    await seen.getByRole('button', { name: 'Sign in' }).click()
    await expect(seen.getByRole('button', { name: /^Account of/ })).toBeVisible()
    await other.close()
    await page.getByRole('dialog', { name: 'Support link' }).getByRole('button', { name: 'Close' }).click()
    await page.reload()
    await expect(page.getByRole('list', { name: 'Sessions' })).toContainText('support')
  })

  await test.step('a recovery mail is queued, and the account is deleted with what the audit log keeps of it', async () => {
    await act('Send recovery mail')
    await expect(page.getByText('Recovery mail queued')).toBeVisible()
    const mails = await holdfast.internal.query(
      sql`select from auth.messages where recipient = ${email} and kind = 'recovery'`,
    )
    expect(mails).toHaveLength(1)
    await act('Delete…')
    await expectAccessible(page, 'deleting a user')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible()
    expect(await holdfast.internal.query(sql`select from auth.users where email = ${email}`)).toEqual([])
    await openScreen(page, 'Audit log')
    await expect(page.getByRole('main')).toContainText('delete user')
  })

  expect(problems.found).toEqual([])
  await context.close()
})
