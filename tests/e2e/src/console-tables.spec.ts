import type { Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'
import { openConsole, openScreen } from './support/operators.ts'
import { watchProblems } from './support/problems.ts'

/* Tables in the console: a row is inserted as the project, seen by one user and not by another, and changed as far as policies allow. */

async function actAs(page: Page, address: string): Promise<void> {
  const rights = page.getByRole('region', { name: 'Rights' })
  await rights.getByRole('button', { name: /As/ }).click()
  await page.getByRole('option', { name: 'User…' }).click()
  await rights.getByLabel('User', { exact: true }).fill(address)
  await rights.getByRole('button', { name: 'Use', exact: true }).click()
}

test('an owner creates a table, inserts a row as the project, and changes it as users whose policies decide', async ({
  browser,
  holdfast,
}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  const problems = watchProblems(context)
  const page = await context.newPage()
  const grid = page.getByRole('table', { name: 'Rows of errands' })
  await test.step('a table is created, and a row is inserted as the project', async () => {
    await openConsole(page, holdfast, 'Tova')
    await openScreen(page, 'Tables')
    await page.getByRole('button', { name: 'New table' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('errands')
    await page.getByLabel('Name of column 2').fill('owner')
    await page.getByLabel('Type of column 2').fill('text')
    await page.getByLabel('Default of column 2').fill('')
    await page.getByRole('button', { name: 'Add column' }).click()
    await page.getByLabel('Name of column 3').fill('note')
    await expectAccessible(page, 'a new table in the console')
    await page.getByRole('button', { name: 'Show SQL' }).click()
    await expect(page.getByRole('region', { name: 'SQL' })).toContainText('enable row level security')
    await expectAccessible(page, 'the SQL of a new table')
    await page.getByRole('button', { name: 'Run' }).click()
    await expect(page.getByText('Done', { exact: true })).toBeVisible()
    for (const policy of [
      sql`create policy readers on public.errands for select using (auth.jwt() ->> 'email' like '%@northline.example' and owner <> 'nobody')`,
      sql`create policy owners on public.errands for update using (auth.jwt() ->> 'email' = owner)`,
    ])
      await holdfast.admin.execute(policy)
    await page.getByRole('searchbox').fill('errands')
    await page.getByRole('link', { name: 'errands' }).click()
    await expect(page.getByText('The project’s role passes row-level security.')).toBeVisible()
    await expect(page.getByText('No rows', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Insert row' }).click()
    await page.getByLabel('owner text').fill('dana.okafor@northline.example')
    await page.getByLabel('note text').fill('Buy valves')
    await expectAccessible(page, 'inserting a row in the console')
    await page.getByRole('button', { name: 'Insert', exact: true }).click()
    await expect(grid).toContainText('Buy valves')
    await expectAccessible(page, 'rows in the console')
  })

  await test.step('relations are drawn, and each table leads to its screen', async () => {
    await page.getByRole('link', { name: 'Relations', exact: true }).click()
    const diagram = page.getByRole('region', { name: /^Diagram/ })
    await expect(diagram.getByRole('link', { name: 'errands' })).toBeVisible()
    await expectAccessible(page, 'relations in the console')
    await page.getByRole('searchbox').fill('errands')
    await expect(diagram.getByRole('link')).toHaveCount(1)
    await diagram.getByRole('link', { name: 'errands' }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { level: 2, name: 'errands' })).toBeVisible()
    await page.getByRole('tab', { name: 'Rows', exact: true }).click()
  })

  await test.step('as a user who may read it only, a change is refused', async () => {
    await actAs(page, 'mina.kaya@northline.example')
    await expect(page.getByRole('list', { name: 'Policies in force' })).toContainText('owners')
    await expect(grid).toContainText('Buy valves')
    await page.getByRole('button', { name: 'Edit row 1' }).click()
    await page.getByLabel('note text').fill('Sell valves')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('no policy lets it make this change')).toBeVisible()
    await page.getByRole('button', { name: 'Cancel' }).click()
  })

  await test.step('as its owner it is changed, and a change of somebody else is not overwritten unseen', async () => {
    await actAs(page, 'dana.okafor@northline.example')
    await expect(grid).toContainText('Buy valves')
    await page.getByRole('button', { name: 'Edit row 1' }).click()
    await page.getByLabel('note text').fill('Buy gaskets')
    await holdfast.admin.execute(sql`update public.errands set note = 'Buy pipes'`)
    await page.getByRole('button', { name: 'Save' }).click()
    const notice = page.getByRole('alert').filter({ hasText: 'has changed since you opened it' })
    await expect(notice).toContainText('yours “Buy gaskets”, now “Buy pipes”')
    await expectAccessible(page, 'a stale change in the console')
    await notice.getByRole('button', { name: 'Save mine anyway' }).click()
    await expect(grid).toContainText('Buy gaskets')
  })

  await test.step('a user from whom policies hide it sees nothing, and the structure says why', async () => {
    await holdfast.admin.execute(sql`update public.errands set owner = 'nobody'`)
    await page.getByRole('button', { name: 'Reload' }).click()
    await expect(page.getByText('Rows that the policies hide are not listed.')).toBeVisible()
    await page.getByRole('tab', { name: 'Structure' }).click()
    await expect(page.getByRole('table', { name: 'Policies' })).toContainText('readers')
    await expectAccessible(page, 'the structure of a table')
  })

  expect(problems.found.filter((one) => !one.includes('422'))).toEqual([])
  await context.close()
})
