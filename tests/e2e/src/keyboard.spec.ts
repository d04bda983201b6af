import type { Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { makeActions, storedAction } from './support/actions.ts'
import { expectConvergence } from './support/convergence.ts'
import { expect, test } from './support/fixtures.ts'
import { actionsThat, gridOf } from './support/grid.ts'
import { expectSynced } from './support/person.ts'
import { SAMPLE_PASSWORD } from '@holdfast/test-support'

test('everything can be done by keyboard: signing in, finding a table, editing, undoing, opening a record', async ({
  arrive,
  holdfast,
}) => {
  const [first, second] = await makeActions(holdfast, ['Keys: first', 'Keys: second'])
  if (!first || !second) throw new Error('two actions were made')
  // Blocking needs a reason.
  await holdfast.admin.execute(sql`update public.actions set blocked_reason = 'no parts' where id = ${second.id}`)
  const dana = await arrive('dana', { until: 'signed-out' })
  const { page } = dana
  const { keyboard } = page
  const grid = gridOf(page)

  await test.step('sign in', async () => {
    await page.goto('/sign-in')
    await expect(page.getByRole('textbox', { name: 'E-mail' })).toBeFocused()
    await keyboard.type(dana.email)
    await keyboard.press('Enter')
    await expect(page.getByRole('textbox', { name: 'Password' })).toBeFocused()
    await keyboard.type(SAMPLE_PASSWORD)
    await keyboard.press('Enter')
    await expectSynced(dana)
  })

  await test.step('the palette finds a table', async () => {
    await keyboard.press('Control+k')
    await expect(page.getByRole('dialog', { name: 'Search and commands' })).toBeVisible()
    await expectAccessible(page, 'command palette')
    await keyboard.type('actions')
    await expect(page.getByRole('menuitem', { name: /^Actions/ })).toBeVisible()
    await keyboard.press('Enter')
    await expect(page).toHaveURL(`${dana.home}/t/actions`)
  })

  await test.step('the palette finds a record of this device', async () => {
    await keyboard.press('Control+k')
    await keyboard.type('Keys: second')
    await expect(page.getByRole('menuitem', { name: /^Keys: second/ })).toBeVisible()
    await keyboard.press('Enter')
    await expect(page).toHaveURL(new RegExp(`/t/actions/r/${second.id}`))
    await expect(page.getByRole('heading', { level: 1, name: 'Keys: second' })).toBeFocused()
    await expectAccessible(page, 'record')
  })

  await page.goto(`${dana.home}/t/actions${actionsThat('Keys:')}&s=number`)
  await expect(grid.row('Keys:')).toHaveCount(2)

  await test.step('the grid is one tab stop, and arrows move in it', async () => {
    await tabUntil(page, () => grid.cell(first.number, 'Title').evaluate((cell) => cell === document.activeElement))
    await keyboard.press('ArrowDown')
    await expect(grid.cell(second.number, 'Title')).toBeFocused()
    await keyboard.press('ArrowUp')
    await expect(grid.cell(first.number, 'Title')).toBeFocused()
  })

  await test.step('Enter edits, Escape puts back, Tab takes and goes on', async () => {
    const editor = page.getByRole('textbox', { name: 'Edit Title' })
    await keyboard.press('Enter')
    await expect(editor).toHaveValue('Keys: first')
    await keyboard.type('never')
    await keyboard.press('Escape')
    await grid.expectCell(first.number, 'Title', 'Keys: first')
    await expect(grid.cell(first.number, 'Title')).toBeFocused()
    await keyboard.type('Keys: typed over')
    await keyboard.press('Tab')
    await grid.expectCell(first.number, 'Title', 'Keys: typed over')
    await expect(grid.cell(first.number, 'State')).toBeFocused()
    await keyboard.press('Shift+Tab')
    await expect(grid.cell(first.number, 'Title')).toBeFocused()
    await keyboard.press('F2')
    await keyboard.press('End')
    await keyboard.type(' and again')
    await keyboard.press('Enter')
    await grid.expectCell(first.number, 'Title', 'Keys: typed over and again')
    await expect(grid.cell(second.number, 'Title')).toBeFocused()
    await expect.poll(async () => (await storedAction(holdfast, first.id)).title).toBe('Keys: typed over and again')
  })

  await test.step('undo and redo go back and forth over what was sent already', async () => {
    await expectSynced(dana)
    await keyboard.press('Control+z')
    await grid.expectCell(first.number, 'Title', 'Keys: typed over')
    await keyboard.press('Control+z')
    await grid.expectCell(first.number, 'Title', 'Keys: first')
    await keyboard.press('Control+Shift+z')
    await grid.expectCell(first.number, 'Title', 'Keys: typed over')
    await expect.poll(async () => (await storedAction(holdfast, first.id)).title).toBe('Keys: typed over')
  })

  await test.step('a choice is made with letters and Enter', async () => {
    await keyboard.press('Home')
    while (!(await grid.cell(second.number, 'State').evaluate((cell) => cell === document.activeElement))) {
      await keyboard.press('ArrowRight')
    }
    await keyboard.press('Enter')
    await expect(page.getByRole('dialog', { name: 'State' })).toBeVisible()
    await expectAccessible(page, 'choice in the grid')
    await keyboard.type('doing')
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    await grid.expectCell(second.number, 'State', 'Doing')
    await expect.poll(async () => (await storedAction(holdfast, second.id)).state).toBe('doing')
    await expect(grid.cell(second.number, 'State')).toBeFocused()
  })

  await test.step('Space opens the record beside the grid, Escape closes it', async () => {
    await keyboard.press(' ')
    const panel = page.getByRole('complementary', { name: 'Record: action' })
    await expect(panel).toContainText('Keys: second')
    await expectAccessible(page, 'record panel')
  })

  await test.step('a letter chooses in a field that is not open, and an open one offers what may follow', async () => {
    const panel = page.getByRole('complementary', { name: 'Record: action' })
    const field = panel.getByRole('button', { name: /State$/ })
    await tabUntil(page, () => field.evaluate((button) => button === document.activeElement))
    await keyboard.type('blo')
    await expect(field).toContainText('Blocked')
    await expect.poll(async () => (await storedAction(holdfast, second.id)).state).toBe('blocked')
    await keyboard.press('Enter')
    await expect(page.getByRole('option')).toHaveText(['Doing', 'Blocked'])
    await keyboard.press('Escape')
    await expect(field).toBeFocused()
    await keyboard.press('Escape')
    await expect(panel).toBeHidden()
  })
  await expectConvergence(dana, ['actions'])
})

/** Presses Tab until the focus is somewhere; there is a limit, so that a grid that cannot be reached is a failure. */
async function tabUntil(page: Page, isThere: () => Promise<boolean>): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if (await isThere()) return
    await page.keyboard.press('Tab')
  }
  throw new Error('Tab does not lead there')
}
