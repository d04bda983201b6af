import { expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'
import { gridOf } from './support/grid.ts'

test('a dashboard made from a table counts on the device, is filtered, leads to its records, and works off line', async ({
  arrive,
}) => {
  const dana = await arrive('dana')
  const { page } = dana
  const tile = (title: string) => page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: title }) })
  const supabase = await dana.supabase()
  const countOpen = async (): Promise<number> => {
    const { count } = await supabase
      .from('actions')
      .select('id', { count: 'exact', head: true })
      .not('state', 'in', '(verified,dropped)')
    return count ?? -1
  }

  await test.step('it starts with tiles of the table, whose numbers are those of Postgres', async () => {
    await page.getByRole('link', { name: 'New dashboard' }).click()
    await page.getByRole('radio', { name: /^Actions/ }).check({ force: true })
    await page.getByRole('button', { name: /Visible to/ }).click()
    await page.getByRole('option', { name: 'Everyone', exact: true }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Works')
    await page.getByRole('button', { name: 'Create dashboard' }).click()
    await expect(page.getByRole('heading', { name: 'Works', level: 1 })).toBeVisible()
    await expect(tile('Open actions').getByRole('link', { name: `Open actions: ${await countOpen()}` })).toBeVisible()
    await expect(tile('Actions by State').getByRole('link', { name: /^Open: \d+$/ })).toBeVisible()
    await expectAccessible(page, 'a dashboard')
  })

  await test.step('a tile and a filter are added, and a tile moves by key', async () => {
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('button', { name: 'Add tile' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add tile' })
    await dialog.getByRole('radio', { name: 'Stacked bars' }).check({ force: true })
    await expect(dialog.getByRole('region', { name: 'Preview' }).getByRole('link').nth(1)).toBeVisible()
    await dialog.getByRole('textbox', { name: 'Title' }).fill('My split')
    await expectAccessible(page, 'the settings of a tile')
    await dialog.getByRole('button', { name: 'Add tile' }).click()
    await expect(tile('My split')).toBeVisible()
    await page.getByRole('button', { name: 'Move Overdue' }).press('ArrowLeft')
    await expect(page.getByRole('listitem').getByRole('heading', { level: 2 }).first()).toHaveText('Overdue')
    await expect(page.getByRole('button', { name: 'Move Overdue' })).toBeFocused()
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.getByRole('menuitem', { name: 'State', exact: true }).click()
    await page.getByRole('button', { name: 'Done' }).click()
  })

  const blocked = await test.step('the filter applies to every tile, and stays in the address', async () => {
    await page.getByRole('button', { name: 'State: any' }).click()
    await page.getByRole('checkbox', { name: 'Blocked' }).check({ force: true })
    await page.keyboard.press('Escape')
    await expect(page).toHaveURL(/f=all/)
    const bar = tile('Actions by State').getByRole('link', { name: /^Blocked: [1-9]/ })
    await expect(tile('Actions by State').getByRole('link', { name: 'Open: 0' })).toBeVisible()
    const count = Number((await bar.getAttribute('aria-label'))?.split(': ')[1])
    await expect(tile('Open actions').getByRole('link', { name: `Open actions: ${count}` })).toBeVisible()
    await bar.click()
    return count
  })

  await test.step('a bar leads to exactly its records, and back to the dashboard', async () => {
    await expect(page).toHaveURL(/\/t\/actions\?f=/)
    await expect(page.getByText(new RegExp(`^${blocked} of `)).first()).toBeVisible()
    await expect(gridOf(page).row('Blocked').first()).toBeVisible()
    await page.goBack()
    await expect(tile('Actions by State').getByRole('link', { name: `Blocked: ${blocked}` })).toBeVisible()
  })

  await test.step('it opens again without a connection, with its figures as a table', async () => {
    await expect(dana.chip).toHaveText(/Up to date/)
    await dana.goOffline()
    await page.reload()
    await expect(tile('Open actions').getByRole('link', { name: `Open actions: ${blocked}` })).toBeVisible()
    await page.getByRole('button', { name: 'Menu of Actions by State' }).click()
    await page.getByRole('menuitem', { name: 'Show as table' }).click()
    await expect(tile('Actions by State').getByRole('row', { name: `Blocked ${blocked}` })).toBeVisible()
    await page.getByRole('button', { name: 'Menu of My split' }).click()
    await page.getByRole('menuitem', { name: 'Delete tile' }).click()
    await expect(tile('My split')).toHaveCount(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(tile('My split')).toBeVisible()
    await dana.goOnline()
  })

  await test.step('others of the workspace have it too', async () => {
    const { data } = await supabase.schema('holdfast').from('dashboards').select('scope, name').eq('name', 'Works')
    expect(data).toEqual([{ scope: 'shared', name: 'Works' }])
  })
})
