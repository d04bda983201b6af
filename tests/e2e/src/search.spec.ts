import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { makeActions } from './support/actions.ts'
import { expect, test } from './support/fixtures.ts'
import { gridOf } from './support/grid.ts'
import { readRows } from './support/local-device.ts'

test('words are found in texts, numbers, links and comments, also without a connection, by an index that follows the rows', async ({
  arrive,
  holdfast,
}) => {
  const [first, second] = await makeActions(holdfast, ['Quokka: first valve', 'Quokka: second valve'])
  if (!first || !second) throw new Error('two actions were made')
  await holdfast.admin.execute(sql`update public.actions set detail = 'The wombat sleeps here' where id = ${first.id}`)
  await holdfast.admin.execute(sql`
    insert into holdfast.comments (table_name, record_id, body, author_id)
    select 'actions', ${second.id}, 'Ask the numbat about it', id from auth.users where email = 'mina.kaya@northline.example'`)
  const dana = await arrive('dana', { device: 'new' })
  const { page } = dana
  const results = page.getByRole('main')

  await test.step('the index is made in the background, and then names only rows that may have the word', async () => {
    const made = `select count(*) as tables from sqlite_master where name = 'hf_search_state'`
    await expect.poll(() => readRows(page, made), { timeout: 60_000 }).toEqual([{ tables: 1 }])
    const open = 'select count(*) as open from hf_search_state where done = 0'
    await expect.poll(() => readRows(page, open), { timeout: 120_000 }).toEqual([{ open: 0 }])
    const [found] = await readRows(
      page,
      `select count(*) as rows from hf_search where hf_search match '"quo" AND "uok"'`,
    )
    expect(found).toEqual({ rows: 2 })
  })

  await test.step('all tables at once, with the words standing out', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await expect(page).toHaveURL(new RegExp('/search$'))
    await expect(page.getByRole('searchbox', { name: 'Search this device' })).toBeFocused()
    await page.keyboard.type('wombat')
    await expect(results.getByRole('link', { name: /Quokka: first valve/ })).toBeVisible()
    await expect(results.locator('mark').first()).toHaveText('wombat')
    await expect(page).toHaveURL(/q=wombat/)
    await expectAccessible(page, 'search')
  })

  await test.step('a number, several words in any order, and a comment', async () => {
    const field = page.getByRole('searchbox', { name: 'Search this device' })
    await field.fill(first.number)
    await expect(results.getByRole('link', { name: new RegExp(`Quokka: first valve.*${first.number}`) })).toBeVisible()
    await field.fill('second quokka')
    await expect(results.getByText('1 result', { exact: true })).toBeVisible()
    await field.fill('numbat')
    await results.getByRole('link', { name: /Ask the numbat about it/ }).click()
    await expect(page).toHaveURL(new RegExp(`/t/actions/r/${second.id}`))
    await expect(page.getByText('Ask the numbat about it')).toBeVisible()
  })

  await test.step('without a connection, what was changed a moment ago is found as well', async () => {
    await dana.goOffline()
    await page.goto(`${dana.home}/t/actions?q=${encodeURIComponent('Quokka: second')}`)
    const grid = gridOf(page)
    await grid.cell(second.number, 'Title').dblclick()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('Bandicoot in the valve')
    await page.keyboard.press('Enter')
    await page.getByRole('searchbox', { name: 'Search in Actions' }).fill('bandicoot')
    await expect(grid.row('Bandicoot in the valve')).toHaveCount(1)
    await page.keyboard.press('Escape')
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('bandicoot')
    await expect(page.getByRole('menuitem', { name: /^Bandicoot in the valve/ })).toBeVisible()
    await page.keyboard.type(' of nowhere')
    await page.getByRole('menuitem', { name: 'Search everywhere for “bandicoot of nowhere”' }).click()
    await expect(results.getByText('Nothing matches “bandicoot of nowhere”')).toBeVisible()
    await dana.goOnline()
  })
})
