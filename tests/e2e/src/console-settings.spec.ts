import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'
import { openConsole, openScreen } from './support/operators.ts'
import { watchProblems } from './support/problems.ts'

/* Advice and settings in the console: what is wrong, what is set where, and a backup. */

test('an owner follows advice, looks up settings, previews a mail, and makes a backup', async ({
  browser,
  holdfast,
}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  const problems = watchProblems(context)
  const page = await context.newPage()
  await holdfast.admin.execute(sql`create table public.open_to_all (id int primary key)`)
  await openConsole(page, holdfast, 'Sven')

  await test.step('a table that everybody reaches is an error, until the statement of the advice has run', async () => {
    await openScreen(page, 'Advisors')
    const advice = page
      .getByRole('region', { name: 'Errors' })
      .getByRole('listitem')
      .filter({ hasText: 'public.open_to_all' })
    await page.getByRole('button', { name: 'Check again' }).click()
    await expect(advice).toContainText('rls_disabled_in_public')
    await expectAccessible(page, 'advice')
    await holdfast.admin.execute(sql.trusted(await advice.getByLabel(/^Statements for/).innerText()))
    await page.getByRole('button', { name: 'Check again' }).click()
    await expect(advice).toHaveCount(0)
  })

  await test.step('an option says where it is set', async () => {
    await openScreen(page, 'Settings')
    await page.getByRole('searchbox').fill('port')
    await expect(page.getByRole('main')).toContainText('command line')
    await expectAccessible(page, 'options')
  })

  await test.step('a mail is shown with sample values, in a frame of its own', async () => {
    await page.getByRole('tab', { name: 'Mails' }).click()
    await page.getByRole('button', { name: 'Preview: Reset a password' }).click()
    const mail = page.frameLocator('iframe[title="Mail with sample values"]')
    await expect(mail.getByRole('link').first()).toBeVisible()
    await expectAccessible(page, 'a mail')
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  })

  await test.step('migrations are listed, and none is pending', async () => {
    await page.getByRole('tab', { name: 'Migrations' }).click()
    await expect(page.getByRole('main')).toContainText('0391')
    await expectAccessible(page, 'migrations')
  })

  await test.step('a backup is made, and the page says how it is restored', async () => {
    await page.getByRole('tab', { name: 'Backups' }).click()
    await page.getByRole('button', { name: 'Make a backup' }).click()
    const backups = page.getByRole('table', { name: 'Backups' })
    await expect(backups.getByRole('row')).toHaveCount(2, { timeout: 120_000 })
    await expect(page.getByLabel('Commands')).toContainText('holdfast restore')
    await expectAccessible(page, 'backups')
  })

  expect(problems.found).toEqual([])
  await context.close()
})
