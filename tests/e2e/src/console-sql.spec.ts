import { readFile } from 'node:fs/promises'
import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'
import { openConsole, openScreen } from './support/operators.ts'
import { watchProblems } from './support/problems.ts'

/* The SQL editor of the console: whose rights a statement has, what it costs, and what becomes of its text and result. */

test('an owner runs SQL as the project and as a user, reads a plan, cancels a run, and saves text and result', async ({
  browser,
  holdfast,
}) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  const problems = watchProblems(context)
  const page = await context.newPage()
  const rows = page.getByRole('region', { name: 'Rows of result 1' })
  const write = async (text: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'SQL' }).click()
    await page.keyboard.press('ControlOrMeta+a')
    // In the place of coloured text Chromium itself would write a style, which the policy of the page refuses.
    await page.keyboard.press('Delete')
    await page.keyboard.insertText(text)
    // The list of completions would lie over what follows.
    await page.keyboard.press('Escape')
  }
  const run = (): Promise<void> => page.getByRole('button', { name: 'Run', exact: true }).click()
  const countedRows = async (): Promise<number> => Number(await rows.getByRole('cell').textContent())
  await openConsole(page, holdfast, 'Sina')
  await openScreen(page, 'SQL')

  await test.step('names of the catalog complete what is typed', async () => {
    await write('select count(*) from public.inspec')
    await page.keyboard.press('Control+Space')
    await expect(page.getByRole('option', { name: /^inspections/ })).toBeVisible()
    await page.keyboard.press('Escape')
  })

  await test.step('a user sees what policies show, the project everything, and neither writes in a read-only run', async () => {
    await write('select count(*) from public.inspections')
    await run()
    await expect(rows.getByRole('cell')).toHaveCount(1)
    const all = await countedRows()
    const [stored] = await holdfast.admin.query<{ n: number }>(sql`select count(*)::int as n from public.inspections`)
    expect(all).toBe(stored?.n)
    await page.getByRole('button', { name: /Run as/ }).click()
    await page.getByRole('option', { name: 'A user' }).click()
    await page.getByRole('combobox', { name: 'User', exact: true }).fill('mina.kaya@northline.example')
    await run()
    await expect.poll(countedRows).toBeLessThan(all)
    expect(await countedRows()).toBeGreaterThan(0)
    await expectAccessible(page, 'the result of a statement')
    await write(`update public.inspections set state = state`)
    await run()
    await expect(page.getByRole('alert')).toContainText('read-only transaction')
  })

  await test.step('a plan is a tree, whose statement was rolled back', async () => {
    await page.getByRole('button', { name: /Run as/ }).click()
    await page.getByRole('option', { name: 'The project (postgres)' }).click()
    await write('select i.id from public.inspections i join public.sites s on s.id = i.site_id order by s.name')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByRole('menuitem', { name: 'Run and measure, then roll back' }).click()
    await expect(page.getByRole('tree', { name: 'Plan' }).getByRole('treeitem').first()).toContainText('Sort')
    await expectAccessible(page, 'a plan')
  })

  await test.step('a cancelled run ends in Postgres as well', async () => {
    await write('select pg_sleep(600)')
    await run()
    const running = async (): Promise<number> =>
      (
        await holdfast.internal.query(
          sql`select from pg_stat_activity where query like '%pg_sleep(600)%' and state = 'active' and pid <> pg_backend_pid()`,
        )
      ).length
    await expect.poll(running).toBe(1)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByText('Cancelled')).toBeVisible()
    await expect.poll(running).toBe(0)
  })

  await test.step('a text is saved and found again, and a result is a file', async () => {
    await write(`select 'a, "b"' as text, 1 as n`)
    await run()
    await expect(rows).toContainText('a, "b"')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ])
    expect((await readFile(await download.path(), 'utf8')).split(/\r?\n/).slice(0, 2)).toEqual([
      'text,n',
      '"a, ""b""",1',
    ])
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Save query' })
    await dialog.getByLabel('Name').fill('Two columns')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog).toBeHidden()
    await page.getByRole('button', { name: 'New tab' }).click()
    await page.getByRole('button', { name: 'Saved queries' }).click()
    const saved = page.getByRole('dialog', { name: 'Saved queries' })
    await expectAccessible(page, 'saved queries')
    await saved.getByRole('listitem').filter({ hasText: 'Two columns' }).getByRole('button', { name: 'Open' }).click()
    await expect(page.getByRole('textbox', { name: 'SQL' })).toContainText('as text, 1 as n')
    await page.getByRole('button', { name: 'History' }).click()
    await expect(page.getByRole('list', { name: 'Runs' }).getByRole('listitem').first()).toContainText(
      'as text, 1 as n',
    )
    await expectAccessible(page, 'the history of the SQL editor')
  })

  expect(problems.found).toEqual([])
  await context.close()
})
