import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'
import { gridOf } from './support/grid.ts'
import { openConsole, openScreen } from './support/operators.ts'
import { watchProblems } from './support/problems.ts'

/* From a new table to a row on a device through the console’s preview, and why another row is missing there. */

test('a table and its policy are previewed and applied, a device gets its row, and the console says why another is missing', async ({
  arrive,
  browser,
  holdfast,
}) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  const problems = watchProblems(context)
  const page = await context.newPage()
  const dana = await arrive('dana')
  const loans = page.getByRole('region', { name: 'loans' })

  await test.step('a table is created, which nobody may read', async () => {
    await openConsole(page, holdfast, 'Petra')
    await openScreen(page, 'Tables')
    await page.getByRole('button', { name: 'New table' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('loans')
    await page.getByLabel('Name of column 2').fill('title')
    await page.getByLabel('Type of column 2').fill('text')
    await page.getByLabel('Default of column 2').fill('')
    await page.getByRole('button', { name: 'Add column' }).click()
    await page.getByLabel('Name of column 3').fill('borrower')
    await page.getByRole('button', { name: 'Show SQL' }).click()
    await page.getByRole('button', { name: 'Run' }).click()
    await expect(page.getByText('Done', { exact: true })).toBeVisible()
    await holdfast.admin.execute(sql`
      insert into public.loans (title, borrower)
      values ('Ladder', 'dana.okafor@northline.example'), ('Drill', 'mina.kaya@northline.example')`)
  })

  await test.step('a policy is written, and its preview says which row the user gains', async () => {
    await openScreen(page, 'Policies')
    await page.getByRole('searchbox').fill('loans')
    await page.getByRole('link', { name: 'loans' }).click()
    await expect(page.getByText('No policy: only the service key may select rows')).toBeVisible()
    await page.getByRole('button', { name: 'New policy' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('own_loans')
    await page.getByLabel('Using').fill(`borrower = (select auth.jwt() ->> 'email')`)
    await expectAccessible(page, 'a new policy')
    await page.getByRole('button', { name: 'Show SQL' }).click()
    await page.getByRole('button', { name: 'Preview on devices' }).click()
    await page.getByRole('combobox', { name: 'User', exact: true }).fill(dana.email)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await expect(loans).toContainText('begins to sync')
    await expect(loans.getByRole('row').filter({ hasText: dana.email })).toContainText('0 → 1')
    await expectAccessible(page, 'the preview of a policy')
    await page.getByRole('button', { name: 'Apply…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Apply the change' })
    await expect(dialog.getByRole('button', { name: 'Apply' })).toBeEnabled()
    await expectAccessible(page, 'applying a change')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect(page.getByText('Applied', { exact: true })).toBeVisible()
    await expect(dialog).toBeHidden()
  })

  await test.step('the device has that row, and not the other', async () => {
    await dana.openTable('loans')
    await expect(gridOf(dana.page).row('Ladder')).toHaveCount(1)
    await expect(gridOf(dana.page).row('Drill')).toHaveCount(0)
  })

  await test.step('the console names the policy that keeps the other from the user', async () => {
    await openScreen(page, 'Policies')
    await page.getByRole('searchbox').fill('loans')
    await page.getByRole('link', { name: 'loans' }).click()
    await page.getByRole('tab', { name: 'As a user' }).click()
    await page.getByRole('combobox', { name: 'User', exact: true }).fill(dana.email)
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await expect(page.getByText('They see 1 of these 2 rows.')).toBeVisible()
    const hidden = page.getByRole('table', { name: 'Rows of loans' }).getByRole('row').filter({ hasText: 'Drill' })
    await expect(hidden).toContainText('hidden')
    await expectAccessible(page, 'rows as a user')
    await hidden.getByRole('button', { name: /^Why/ }).click()
    const verdicts = page.getByRole('dialog').getByRole('list', { name: 'What they may do' })
    await expect(verdicts.getByRole('listitem').first()).toContainText(
      'The only policy for select, “own_loans”, is false for this row.',
    )
    await expectAccessible(page, 'why a row is missing')
  })

  await test.step('on a phone in the dark, the reason is as readable', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await expectAccessible(page, 'why a row is missing, on a phone in the dark')
    await page.keyboard.press('Escape')
    await expectAccessible(page, 'rows as a user, on a phone in the dark')
  })

  expect(problems.found).toEqual([])
  await context.close()
})
