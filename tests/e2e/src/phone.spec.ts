import { sql } from '@holdfast/postgres'
import { expectAccessible, expectNoSidewaysScroll } from './support/accessibility.ts'
import { makeActions, storedAction } from './support/actions.ts'
import { expectConvergence } from './support/convergence.ts'
import { expect, test } from './support/fixtures.ts'
import { expectSynced, signIn } from './support/person.ts'

test('on a phone: sign in, find a record in a list, edit it', { tag: '@core' }, async ({ arrive, holdfast }) => {
  const [action] = await makeActions(holdfast, ['Phone: an action'])
  if (!action) throw new Error('an action was made')
  const dana = await arrive('dana', {
    until: 'signed-out',
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  const { page } = dana
  await page.goto('/sign-in')
  await expectAccessible(page, 'sign-in on a phone')
  await signIn(page, dana.email)
  await expectSynced(dana)
  await expectAccessible(page, 'home on a phone')

  const bar = page.getByRole('navigation', { name: 'Main' })
  await expect(bar).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole('navigation', { name: 'Workspace' })).toBeHidden()
  await bar.getByRole('button', { name: 'Tables' }).tap()
  const drawer = page.getByRole('dialog', { name: 'Workspace' })
  await expectAccessible(page, 'navigation on a phone')
  const places = drawer.getByRole('list')
  await expect(places.nth(1).getByRole('link').first()).toHaveAccessibleName(/^Actions/)
  // Three tables, and the map of one.
  await expect(drawer.getByRole('list', { name: 'Network' }).getByRole('link')).toHaveCount(4)
  await expect(drawer.getByRole('link', { name: /^Answers/ })).toBeHidden()
  await drawer.getByRole('button', { name: 'More tables' }).tap()
  await expect(drawer.getByRole('link', { name: /^Answers/ })).toBeVisible()
  await drawer.getByRole('link', { name: /^Actions/ }).tap()
  await expect(drawer).toBeHidden()

  const list = page.getByRole('list', { name: 'Actions, list' })
  await expect(list).toBeVisible()
  await page.getByRole('button', { name: 'View: Overdue – my region' }).tap()
  await page.getByRole('dialog', { name: 'Views of Actions' }).getByRole('link', { name: 'All actions' }).tap()
  await expect(page).toHaveURL(`${dana.home}/t/actions`)
  await expectAccessible(page, 'list on a phone')
  await page.getByRole('searchbox', { name: 'Search in Actions' }).fill('Phone:')
  await expect(list.getByRole('listitem')).toHaveCount(1)
  await list.getByRole('button', { name: /Phone: an action/ }).tap()
  const title = page.getByRole('textbox', { name: 'Title' })
  await expect(title).toHaveValue('Phone: an action')
  await expectAccessible(page, 'record on a phone')
  await title.fill('Phone: edited')
  await title.blur()
  await expect.poll(async () => (await storedAction(holdfast, action.id)).title).toBe('Phone: edited')
  await expectNoSidewaysScroll(page, 'edited record on a phone')
  await test.step('in a group of a filter each choice is under the finger that presses it', async () => {
    await page.goto(`${dana.home}/t/actions?f=all(state.in.open,any(state.in,all(state.in)))`)
    await page.getByRole('button', { name: /^Filter/ }).tap()
    const choices = page.getByRole('dialog', { name: 'Filter' }).locator('fieldset label')
    await expect(choices).toHaveCount(18)
    for (const choice of await choices.all()) await choice.tap({ trial: true, timeout: 10_000 })
    await expectAccessible(page, 'filter on a phone')
    await page.keyboard.press('Escape')
  })

  await test.step('who reads a table as a grid finds it so in another view and after a new start', async () => {
    await page.goto(`${dana.home}/t/actions`)
    await page.getByRole('button', { name: 'Show as grid' }).tap()
    await expect(page.getByRole('grid')).toBeVisible()
    await page.getByRole('button', { name: 'View: All actions' }).tap()
    await page.getByRole('dialog', { name: 'Views of Actions' }).getByRole('link', { name: 'Overdue' }).tap()
    await expect(page.getByRole('button', { name: 'Show as list' })).toBeVisible()
    await page.reload()
    await expect(page.getByRole('grid')).toBeVisible()
    await page.getByRole('button', { name: 'Show as list' }).tap()
    await expect(list).toBeVisible()
  })

  await test.step('a card of a board goes to another lane by touch', async () => {
    const [board] = await holdfast.admin.query<{ id: string }>(sql`
      insert into holdfast.views (table_name, name, type, scope, config)
      values ('actions', 'Phone: states', 'board', 'shared', '{"filter": "all(title.has.Phone:)"}') returning id`)
    await page.goto(`${dana.home}/t/actions/v/${board?.id}`)
    await page.getByRole('button', { name: 'Move Phone: edited' }).tap()
    await page.getByRole('menuitem', { name: 'Doing' }).tap()
    await expect(page.getByText('Phone: edited moved to Doing')).toBeAttached()
    await expect.poll(async () => (await storedAction(holdfast, action.id)).state).toBe('doing')
    // Between the lanes it is in neither.
    await expect(page.getByRole('button', { name: 'Move Phone: edited' })).toBeVisible()
    await expectAccessible(page, 'a board on a phone')
    // A keyboard scrolls to the other lanes also before the cards are read, when nothing inside has the focus.
    const lanes = page.getByRole('group', { name: 'Actions, board' })
    await lanes.focus()
    await expect(lanes).toBeFocused()
  })
  await bar.getByRole('link', { name: 'Sync' }).tap()
  await expect(page.getByRole('heading', { level: 1, name: 'Sync centre' })).toBeVisible()
  await expectAccessible(page, 'sync centre on a phone')
  await expectConvergence(dana, ['actions'])
})

test('on a small phone with text of twice the size every place can be reached', async ({ arrive }) => {
  const { page } = await arrive('dana', { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true })
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%'
  })
  await expectNoSidewaysScroll(page, 'home with large text')
  await expect(page.getByRole('button', { name: 'Account of Dana Okafor' })).toBeInViewport({ ratio: 1 })
  const bar = page.getByRole('navigation', { name: 'Main' })
  await bar.getByRole('link', { name: 'Sync' }).tap({ timeout: 10_000 })
  await expect(page.getByRole('heading', { level: 1, name: 'Sync centre' })).toBeVisible()
})
