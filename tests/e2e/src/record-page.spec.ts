import { sql } from '@holdfast/postgres'
import type { Locator, Page } from '@playwright/test'
import { expectAccessible, expectNoSidewaysScroll } from './support/accessibility.ts'
import { makeActions } from './support/actions.ts'
import { expect, test } from './support/fixtures.ts'

const PICTURES = 'test-results/screens'

async function look(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expectAccessible(page, `${name}, ${colorScheme}`)
    await page.screenshot({ path: `${PICTURES}/${name}-${colorScheme}.png`, animations: 'disabled' })
  }
  await expectNoSidewaysScroll(page, name)
  await page.emulateMedia({ colorScheme: 'light' })
}

async function leftOf(locator: Locator): Promise<number> {
  return (await locator.boundingBox())?.x ?? Number.NaN
}

/** As who leads a team: the field Cost gets a section of its own, for everybody. */
async function arrangeCost(page: Page, section: string): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Arrange the fields' }).click()
  const dialog = page.getByRole('dialog', { name: 'Fields of Actions' })
  await dialog.getByRole('textbox', { name: 'New section' }).fill(section)
  await dialog.getByRole('button', { name: 'Add' }).click()
  const partOf = (title: string): Locator => dialog.getByRole('region', { name: title, exact: true })
  await expect(partOf(section).getByText('No fields')).toBeVisible()
  // Cost is the last of its section.
  await dialog.getByRole('button', { name: 'Move Cost down' }).click()
  await expect(partOf(section).getByText('Cost', { exact: true })).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Move Cost down' })).toBeFocused()
  await look(page, 'arrange-fields-1024')
  await dialog.getByRole('button', { name: 'Save for everyone' }).click()
  await expect(dialog).toBeHidden()
}

test('a record has its people and dates beside it, its neighbours a key away, and can be printed', async ({
  arrive,
  holdfast,
}) => {
  const [first, second] = await makeActions(holdfast, ['Page: the first', 'Page: the second'])
  if (!first || !second) throw new Error('two actions were made')
  const { page, home } = await arrive('dana', { viewport: { width: 1440, height: 900 } })
  const heading = (name: string): Locator => page.getByRole('heading', { level: 1, name })
  const title = page.getByRole('textbox', { name: 'Title' })
  const due = page.getByRole('group', { name: 'People and dates' }).getByLabel('Due')

  await page.goto(`${home}/t/actions?q=Page%3A&s=-title&record=${second.id}`)
  await page.getByRole('button', { name: 'Open on its own page' }).click()
  await expect(heading(second.title)).toBeVisible()
  const previous = page.getByRole('button', { name: 'Previous record' })
  const next = page.getByRole('button', { name: 'Next record' })
  await next.click()
  await expect(heading(first.title)).toBeVisible()
  // The keys step once the neighbours are known.
  await expect(previous).toBeEnabled()
  await expect(next).toBeDisabled()
  // What is typed is stored in the record that it was typed in.
  await page.getByRole('textbox', { name: 'Cost' }).fill('12.5')
  await page.keyboard.press('Alt+ArrowUp')
  await expect(heading(second.title)).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Cost' })).toHaveValue('')
  await expect
    .poll(() =>
      holdfast.admin.query(
        sql`select cost::float8 from public.actions where id in (${first.id}, ${second.id}) order by title`,
      ),
    )
    .toEqual([{ cost: 12.5 }, { cost: null }])
  await expect(next).toBeEnabled()
  await page.keyboard.press('Alt+ArrowDown')
  await expect(heading(first.title)).toBeVisible()

  expect(await leftOf(due)).toBeGreaterThan((await leftOf(title)) + 300)
  await look(page, 'record-page-1440')
  await page.setViewportSize({ width: 1024, height: 800 })
  await look(page, 'record-page-1024')

  await arrangeCost(page, 'Money')
  await expect(page.getByRole('region', { name: 'Money' }).getByRole('textbox', { name: 'Cost' })).toBeVisible()
  await page.keyboard.press('Control+z')
  await expect(page.getByRole('heading', { name: 'Money' })).toBeHidden()
  await expect(page.getByRole('region', { name: 'Progress' }).getByRole('textbox', { name: 'Cost' })).toBeVisible()

  const lines = Array.from({ length: 60 }, (_, at) => `Line ${at + 1} of the detail`)
  await holdfast.admin.execute(sql`update public.actions set detail = ${lines.join('\n')} where id = ${first.id}`)
  await expect(page.getByRole('textbox', { name: 'Detail' })).toHaveValue(/Line 60/)
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeHidden()
  await expect(page.getByRole('navigation', { name: 'Workspace' })).toBeHidden()
  await expect(page.getByRole('button', { name: 'Make the side bar narrow' })).toBeHidden()
  await expect(page.getByRole('tablist')).toBeHidden()
  // Values whole, as text; nothing that floats, helps or is pressed.
  await expect(title).toBeHidden()
  await expect(page.getByRole('main').getByText(first.title, { exact: true })).toHaveCount(2)
  await expect(
    page
      .getByRole('main')
      .locator('p')
      .filter({ hasText: /Line 1 of the detail.*Line 60 of the detail/s }),
  ).toBeVisible()
  await expect(page.getByText(/State goes from /)).toBeHidden()
  await expect(page.getByText(/^Undone: /)).toBeHidden()
  await page.screenshot({ path: `${PICTURES}/record-page-print.png`, fullPage: true })
  await page.emulateMedia({ media: 'screen' })
  await holdfast.admin.execute(sql`update public.actions set detail = null where id = ${first.id}`)
  await expect(page.getByRole('textbox', { name: 'Detail' })).toHaveValue('')

  await page.setViewportSize({ width: 390, height: 844 })
  await expect(heading(first.title)).toBeVisible()
  await look(page, 'record-page-390')
  const bar = await page.getByRole('navigation', { name: 'Main' }).boundingBox()
  const shown = await page
    .locator('[data-field]')
    .evaluateAll((fields, end) => fields.filter((field) => field.getBoundingClientRect().bottom <= end).length, bar?.y)
  expect(shown).toBeGreaterThanOrEqual(10)
})
