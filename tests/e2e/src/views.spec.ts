import type { Locator } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { makeActions, storedAction } from './support/actions.ts'
import { expect, test } from './support/fixtures.ts'
import { actionsThat, gridOf } from './support/grid.ts'
import { expectSynced, type Person } from './support/person.ts'

/** Opens the list of views from the toolbar. */
async function openViews({ page }: Person): Promise<void> {
  await page.getByRole('button', { name: /^View: / }).click()
  await expect(page.getByRole('dialog', { name: 'Views of Actions' })).toBeVisible()
}

test('a table opens with the view that opens first, and its other views are below it', async ({ arrive, holdfast }) => {
  const dana = await arrive('dana')
  const { page } = dana
  const navigation = page.getByRole('navigation', { name: 'Workspace' })
  await navigation.getByRole('link', { name: /^Actions/ }).click()
  await expect(page.getByRole('button', { name: 'View: Overdue – my region' })).toBeVisible()
  const [overdue] = await (
    await dana.supabase()
  )
    .from('actions')
    .select('count')
    .lt('due_on', new Date().toISOString().slice(0, 10))
    .not('state', 'in', '(verified,dropped)')
    .then(({ data }) => data ?? [])
  await expect(page.getByText(new RegExp(`^${overdue?.count} of `))).toBeVisible()
  await expectAccessible(page, 'a saved view')

  await navigation.getByRole('link', { name: 'All actions' }).click()
  await expect(page).toHaveURL(`${dana.home}/t/actions`)
  await navigation.getByRole('link', { name: 'Waiting to be verified' }).click()
  await expect(page).toHaveTitle(/^Waiting to be verified · Actions/)
  const [view] = await holdfast.admin.query<{ id: string }>(
    sql`select id from holdfast.views where name = 'Waiting to be verified'`,
  )
  await expect(page).toHaveURL(`${dana.home}/t/actions/v/${view?.id}`)
})

test('a view is made off line, changed in the address, saved, and reaches others when it is shared', async ({
  arrive,
  holdfast,
}) => {
  await makeActions(holdfast, ['Views: one', 'Views: two'])
  const dana = await arrive('dana')
  const { page } = dana
  await test.step('a filter has groups of conditions, of which all or any have to fit', async () => {
    await page.goto(`${dana.home}/t/actions?f=all(title.has.Views:,any(state.in.blocked,priority.is.3))`)
    await expect(gridOf(page).row('Views:')).toHaveCount(2)
    await page.getByRole('button', { name: 'Filter, 3 conditions' }).click()
    const group = page.getByRole('group', { name: 'Group of conditions' })
    await expect(group.getByRole('button', { name: 'Remove the condition' })).toHaveCount(2)
    await expectAccessible(page, 'a filter with a group')
    await group.getByRole('button', { name: 'Remove the condition' }).nth(1).click()
    await expect(page.getByText('0 of ').first()).toBeVisible()
    await page.getByRole('button', { name: 'Remove the group' }).click()
    await page.getByRole('button', { name: 'Add a group' }).click()
    await expect(group.getByRole('button', { name: 'Remove the condition' })).toHaveCount(1)
    await page.keyboard.press('Escape')
    await expect(gridOf(page).row('Views:')).toHaveCount(2)
  })

  await test.step('a grid is grouped, its groups collapse by key, and its columns calculate', async () => {
    await page.getByRole('button', { name: 'Group', exact: true }).click()
    await page.getByRole('button', { name: /Group by/ }).click()
    await page.getByRole('option', { name: 'State', exact: true }).click()
    await page.keyboard.press('Escape')
    const rows = page.getByRole('treegrid').getByRole('row')
    const header = page.getByRole('gridcell', { name: 'State: Open, 2 actions' })
    await header.click()
    await expect(rows.filter({ has: header })).toHaveAttribute('aria-expanded', 'false')
    await expect(rows.filter({ hasText: 'Views:' })).toHaveCount(0)
    await expect(header).toBeFocused()
    await page.keyboard.press('ArrowRight')
    await expect(rows.filter({ hasText: 'Views:' })).toHaveCount(2)
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('gridcell', { name: /^Title: Views:/, includeHidden: false }).first()).toBeFocused()
    await page.getByRole('button', { name: 'Calculate of Title' }).click()
    await page.getByRole('menuitemradio', { name: 'Unique' }).click()
    await expect(page.getByRole('button', { name: 'Unique of Title: 2' })).toBeVisible()
    await expectAccessible(page, 'a grouped grid')
  })

  await test.step('the search is not part of a view; its filter, order and fields are', async () => {
    await page.goto(`${dana.home}/t/actions?f=all(title.has.Views:)&s=-number&h=detail&a=title.count`)
    await expect(gridOf(page).row('Views:')).toHaveCount(2)
    await openViews(dana)
    const saveAs = page.getByRole('button', { name: 'Save as a new view' })
    await expect(saveAs).toBeVisible()
    await dana.goOffline()
    await saveAs.click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Views: mine')
    await expectAccessible(page, 'a new view')
    await page.getByRole('button', { name: 'Create view' }).click()
    await expect(page).toHaveURL(/\/t\/actions\/v\/[0-9a-f-]{36}$/)
    await expect(page.getByRole('button', { name: 'View: Views: mine' })).toBeVisible()
    await expect(gridOf(page).row('Views:')).toHaveCount(2)
    await expect(gridOf(page).grid.getByRole('columnheader', { name: /Number/ })).toHaveAttribute(
      'aria-sort',
      'descending',
    )
  })

  await test.step('a change stays in the address until it is saved', async () => {
    const address = page.url()
    await page.getByRole('button', { name: 'Stop sorting by Number' }).click()
    await page.getByRole('button', { name: 'Sort by Number', exact: true }).click()
    await expect(page.getByText('· Changed')).toBeVisible()
    await openViews(dana)
    await page.getByRole('button', { name: 'Save changes' }).click()
    await expect(page).toHaveURL(address)
    await expect(gridOf(page).grid.getByRole('columnheader', { name: /Number/ })).toHaveAttribute(
      'aria-sort',
      'ascending',
    )
    await page.keyboard.press('Escape')
  })

  await dana.goOnline()
  await expectSynced(dana)
  const stored = (): Promise<readonly object[]> =>
    holdfast.admin.query(sql`select scope, config from holdfast.views where name = 'Views: mine'`)
  await expect.poll(stored).toEqual([
    {
      scope: 'personal',
      config: { filter: 'all(title.has.Views:)', sort: 'number', hide: 'detail', aggregate: 'title.count' },
    },
  ])

  const sam = await arrive('sam')
  await test.step('others have it once it is shared, and only those who may change it are asked to', async () => {
    await sam.openTable('actions')
    await openViews(sam)
    const shared = sam.page.getByRole('dialog').getByRole('link', { name: /^Views: mine/ })
    await expect(shared).toHaveCount(0)
    await openViews(dana)
    await page.getByRole('button', { name: 'Edit view' }).click()
    await page.getByRole('button', { name: /Visible to/ }).click()
    await page.getByRole('option', { name: 'Everyone', exact: true }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await shared.click()
    await expect(gridOf(sam.page).row('Views:')).toHaveCount(2)
    await openViews(sam)
    await expect(sam.page.getByRole('button', { name: 'Duplicate' })).toBeVisible()
    await expect(sam.page.getByRole('button', { name: 'Edit view' })).toHaveCount(0)
    await expect(sam.page.getByRole('button', { name: 'Delete view' })).toHaveCount(0)
  })

  await test.step('a view that is deleted says so where it is open', async () => {
    await page.getByRole('button', { name: 'Delete view' }).click()
    await expect(page).toHaveURL(`${dana.home}/t/actions`)
    await expect.poll(stored).toEqual([])
    await expect(sam.page.getByText('This view is not here')).toBeVisible()
  })
})

test('a board moves cards by key, by menu and by dragging, and says so', async ({ arrive, holdfast }) => {
  const [one, two] = await makeActions(holdfast, ['Board: one', 'Board: two'])
  if (!one || !two) throw new Error('two actions were made')
  const [made] = await holdfast.admin.query<{ id: string }>(sql`
    insert into holdfast.views (table_name, name, type, scope, config)
    values ('actions', 'Board: states', 'board', 'shared', '{"filter": "all(title.has.Board:)", "sort": "title"}') returning id`)
  const dana = await arrive('dana', { viewport: { width: 1600, height: 900 } })
  const { page } = dana
  await page.goto(`${dana.home}/t/actions/v/${made?.id}`)
  const lane = (name: string): Locator => page.getByRole('region', { name })
  const card = (title: string): Locator => page.getByRole('button', { name: new RegExp(`^${title}`) })
  await expect(lane('Open, 2').getByRole('article')).toHaveCount(2)
  await expectAccessible(page, 'a board')

  await test.step('by key, off line, and the focus goes along', async () => {
    await dana.goOffline()
    await card('Board: one').focus()
    await page.keyboard.press('Alt+ArrowRight')
    await expect(lane('Doing, 1').getByRole('button', { name: /^Board: one/ })).toBeFocused()
    await expect(page.getByText('Board: one moved to Doing')).toBeAttached()
    await dana.goOnline()
    await expect.poll(async () => (await storedAction(holdfast, one.id)).state).toBe('doing')
  })
  await test.step('by its menu', async () => {
    await card('Board: two').focus()
    await page.keyboard.press('m')
    await page.getByRole('menuitem', { name: 'Doing' }).click()
    await expect(lane('Doing, 2').getByRole('article')).toHaveCount(2)
    await expect.poll(async () => (await storedAction(holdfast, two.id)).state).toBe('doing')
  })
  await test.step('by dragging', async () => {
    await page.getByRole('article').filter({ hasText: 'Board: two' }).dragTo(lane('To verify, 0'))
    await expect(lane('To verify, 1').getByRole('article')).toHaveCount(1)
    await expect.poll(async () => (await storedAction(holdfast, two.id)).state).toBe('to_verify')
  })
  await test.step('and opens a card beside it, whose steps are undone as anywhere', async () => {
    await card('Board: one').click()
    await expect(page.getByRole('textbox', { name: 'Title' })).toHaveValue('Board: one')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('textbox', { name: 'Title' })).toBeHidden()
    await page.keyboard.press('Control+z')
    await expect(lane('Doing, 2').getByRole('article')).toHaveCount(2)
  })
})

test('records are printed as they stand on the screen', async ({ arrive, holdfast }) => {
  await makeActions(holdfast, ['Print: an action'])
  const dana = await arrive('dana')
  await dana.openTable('actions', actionsThat('Print:'))
  await expect(gridOf(dana.page).row('Print:')).toHaveCount(1)
  await dana.page.emulateMedia({ media: 'print' })
  await expect(dana.page.getByRole('grid')).toBeVisible()
  await expect(dana.page.getByText('Print: an action')).toBeInViewport({ ratio: 1 })
})
