import { expectAccessible } from './support/accessibility.ts'
import { makeActions, ROOMY_FIELDS, storedAction } from './support/actions.ts'
import { expect, test } from './support/fixtures.ts'
import { gridOf } from './support/grid.ts'
import { expectSynced } from './support/person.ts'
import { PHONE } from './support/pictures.ts'

const PICTURES = 'test-results/screens'
const TITLES = ['Many: one', 'Many: two', 'Many: three', 'Many: four']

test('several records and cells are changed at once, by mouse, key and touch, and taken back in one step', async ({
  arrive,
  holdfast,
}) => {
  test.setTimeout(120_000)
  const actions = await makeActions(holdfast, TITLES)
  const dana = await arrive('dana', { viewport: { width: 1280, height: 800 } })
  const { page } = dana
  const grid = gridOf(page)
  const hours = async (): Promise<readonly number[]> =>
    Promise.all(actions.map(async ({ id }) => Number((await storedAction(holdfast, id)).est_hours)))
  await page.goto(`${dana.home}/t/actions?q=Many%3A&s=number&h=${ROOMY_FIELDS.join(',')}`)
  await expect(grid.row('Many:')).toHaveCount(4)

  await test.step('what is typed goes into all selected cells', async () => {
    await grid.cell('Many: one', 'Estimated hours').click()
    await grid.cell('Many: four', 'Estimated hours').click({ modifiers: ['Shift'] })
    await page.keyboard.type('5')
    await expect(page.getByText('Changes 4 cells')).toBeVisible()
    await page.screenshot({ path: `${PICTURES}/many-cells.png`, animations: 'disabled' })
    await page.keyboard.press('Enter')
    await expect.poll(hours).toEqual([5, 5, 5, 5])
    await page.keyboard.press('Control+z')
    await expect.poll(hours).toEqual([2, 2, 2, 2])
  })

  const bar = page.getByRole('toolbar', { name: 'Selected records' })
  await test.step('checkboxes select records, the one in the header all of the view', async () => {
    await page.keyboard.press('Escape')
    await grid.row('Many: two').getByRole('checkbox').click()
    await grid
      .row('Many: four')
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] })
    await expect(bar).toContainText('3 selected')
    await grid.row('Many: two').getByRole('checkbox').click()
    await expect(bar).toContainText('2 selected')
    await grid.grid.getByRole('checkbox', { name: 'Select all records' }).click()
    await expect(bar).toContainText('4 selected')
    await expectAccessible(page, 'selected records')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: `${PICTURES}/many-records-${colorScheme}.png`, animations: 'disabled' })
    }
    await page.emulateMedia({ colorScheme: 'light' })
  })

  await test.step('a field of the selected records is edited as one step', async () => {
    await bar.getByRole('button', { name: 'Edit field' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit 4 actions' })
    await dialog.getByRole('button', { name: 'Field' }).click()
    await page.getByRole('option', { name: 'Estimated hours' }).click()
    await dialog.getByRole('textbox', { name: 'Value' }).fill('8')
    await expectAccessible(page, 'a field of several records')
    await page.screenshot({ path: `${PICTURES}/many-edit.png`, animations: 'disabled' })
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(hours).toEqual([8, 8, 8, 8])
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).last().click()
    await expect.poll(hours).toEqual([2, 2, 2, 2])
    await bar.getByRole('button', { name: 'Clear selection' }).click()
    await expect(bar).toBeHidden()
    await expectSynced(dana)
  })

  await test.step('the menu of the cells has what can be done with them', async () => {
    await grid.cell('Many: one', 'Estimated hours').click()
    await grid.cell('Many: three', 'Estimated hours').click({ modifiers: ['Shift'] })
    await grid.cell('Many: two', 'Estimated hours').click({ button: 'right' })
    const menu = page.getByRole('menu', { name: 'Menu of the selected cells' })
    await expectAccessible(page, 'menu of cells')
    await page.screenshot({ path: `${PICTURES}/many-menu.png`, animations: 'disabled' })
    await menu.getByRole('menuitem', { name: 'Select 3 records' }).click()
    await expect(bar).toContainText('3 selected')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await expect(bar).toBeHidden()
  })

  await test.step('the menu of a column sorts, freezes, sizes, hides and filters, by key too', async () => {
    const menu = page.getByRole('menu', { name: 'Menu of Priority' })
    const choose = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: /^(Sort|Stop sorting) by Priority/ }).focus()
      await page.keyboard.press('Shift+F10')
      await menu.getByRole('menuitem', { name }).click()
      await expect(menu).toBeHidden()
    }
    await choose('Sort descending')
    await expect(page.getByRole('columnheader', { name: 'Priority' })).toHaveAttribute('aria-sort', 'descending')
    await choose('Set width')
    await page.getByRole('textbox', { name: 'Width in pixels' }).fill('222')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/w=priority.222/)
    await page.getByRole('columnheader', { name: 'Priority' }).click({ button: 'right' })
    await expectAccessible(page, 'menu of a column')
    await page.screenshot({ path: `${PICTURES}/many-column-menu.png`, animations: 'disabled' })
    await menu.getByRole('menuitem', { name: 'Filter by this field' }).click()
    await page.getByRole('dialog', { name: 'Priority' }).getByRole('textbox', { name: 'Value' }).fill('3')
    await page.screenshot({ path: `${PICTURES}/many-column-filter.png`, animations: 'disabled' })
    await page.keyboard.press('Escape')
    await expect(page).toHaveURL(/f=all%28priority.is.3%29/)
    await choose('Hide field')
    await expect(page.getByRole('columnheader', { name: 'Priority' })).toBeHidden()
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).last().click()
    await expect(page.getByRole('columnheader', { name: 'Priority' })).toBeVisible()
  })

  await test.step('on a phone, holding a record selects it, and touching others adds them', async () => {
    const phone = await arrive('dana', PHONE)
    await phone.page.goto(`${phone.home}/t/actions?q=Many%3A&s=number`)
    const items = phone.page.getByRole('list', { name: 'Actions, list' }).getByRole('button', { name: /Many:/ })
    await expect(items).toHaveCount(4)
    await items.first().dispatchEvent('pointerdown', { pointerType: 'touch', clientX: 100, clientY: 200 })
    const actions = phone.page.getByRole('toolbar', { name: 'Selected records' })
    await expect(actions).toContainText('1 selected')
    await items.first().dispatchEvent('pointerup', { pointerType: 'touch' })
    await items.nth(2).tap()
    await expect(actions).toContainText('2 selected')
    await expect(items.nth(2)).toHaveAttribute('aria-pressed', 'true')
    await expectAccessible(phone.page, 'selected records on a phone')
    await phone.page.screenshot({ path: `${PICTURES}/many-phone.png`, animations: 'disabled' })
    await actions.getByRole('button', { name: 'Clear selection' }).tap()
    await expect(actions).toBeHidden()
  })
})
