import type { Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { comeToRest, expectAccessible } from './support/accessibility.ts'
import { makeActions } from './support/actions.ts'
import { expect, test } from './support/fixtures.ts'
import { holdDatabase, holdReads, watchTexts } from './support/held-database.ts'
import { expectSynced, signIn } from './support/person.ts'

/*
 * What the screen says before it knows. The local database or a request is held until the test has looked, so that the moment lasts as long as it must.
 */

/** A line on which the first sync of the sample takes a while. */
const SLOW_BYTES_PER_S = 60_000

const PICTURES = 'test-results/screens'
const DEVICES = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
} as const

/** What only an answer of the database can say. */
const NOTHING_FOUND = /\d+ of [\d,]+ match|No actions here yet|Nothing on this device matches|Nothing matches/

test.describe('before a query has answered', () => {
  test('a table does not say that nothing matches', async ({ arrive, holdfast }) => {
    await makeActions(holdfast, ['Before the answer'])
    const dana = await arrive('dana')
    const { page } = dana
    await dana.openTable('actions')
    const search = page.getByRole('searchbox', { name: 'Search in Actions' })

    for (const [text, finds] of [
      ['Before the answer', true],
      ['no action is called this', false],
    ] as const) {
      const database = await holdDatabase(page)
      const watched = await watchTexts(page, NOTHING_FOUND)
      await search.fill(text)
      await expect(page).toHaveURL(new RegExp(`[?&]q=${text.split(' ')[0]}`))
      await comeToRest(page)
      expect(await watched.seen()).toEqual([])
      await database.release()
      if (finds) {
        await expect(page.getByRole('grid').getByText('Before the answer').first()).toBeVisible()
        expect(await watched.seen()).toEqual([])
      } else {
        await expect(page.getByText(/^0 of [\d,]+ match$/)).toBeVisible()
      }
    }
  })

  test('the palette does not say that nothing matches', async ({ arrive, holdfast }) => {
    await makeActions(holdfast, ['Found by the palette'])
    const { page } = await arrive('dana')
    await page.keyboard.press('Control+k')
    const field = page.getByPlaceholder('Go to a table, find a record, run a command')
    for (const [text, finds] of [
      ['Found by the palette', true],
      ['no record is called this', false],
    ] as const) {
      const database = await holdDatabase(page)
      const watched = await watchTexts(page, NOTHING_FOUND)
      await field.fill(text)
      await comeToRest(page)
      expect(await watched.seen()).toEqual([])
      await database.release()
      if (finds) {
        await expect(page.getByRole('menuitem', { name: /^Found by the palette/ })).toBeVisible()
        expect(await watched.seen()).toEqual([])
      } else {
        await expect(page.getByText('Nothing on this device matches “no record is called this”')).toBeVisible()
      }
    }
  })

  test('the inbox and Capture show that rows are about to come', async ({ arrive }) => {
    const { page } = await arrive('mina', { viewport: { width: 390, height: 844 } })
    const rows = page.getByRole('main').getByRole('status', { name: 'Loading' })
    for (const [name, sql] of [
      ['Inbox', /^select i\.\*, /],
      ['Capture', /^select \* from hf_checklists/],
    ] as const) {
      const reads = await holdReads(page, sql)
      const watched = await watchTexts(page, /All caught up|Nothing to capture here/)
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
      await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
      await expect(rows).toBeVisible()
      await look(page, `before-${name.toLowerCase()}`)
      expect(await watched.seen()).toEqual([])
      await reads.release()
      await expect(rows).toHaveCount(0)
    }
  })

  test('a link does not say that nothing matches', async ({ arrive, holdfast }) => {
    const [action] = await makeActions(holdfast, ['Linked: one'])
    const dana = await arrive('dana')
    const { page } = dana
    await page.goto(`${dana.home}/t/actions/r/${action?.id}`)
    await expect(page.getByRole('textbox', { name: 'Title' })).toBeVisible()
    await page.getByRole('button', { name: /^Site: / }).click()
    const database = await holdDatabase(page)
    const watched = await watchTexts(page, NOTHING_FOUND)
    await page.getByRole('searchbox', { name: /Site/ }).fill('no site is called this')
    await comeToRest(page)
    expect(await watched.seen()).toEqual([])
    await database.release()
    await expect(page.getByText('Nothing matches')).toBeVisible()
  })
})

for (const device of ['desktop', 'phone'] as const) {
  test(`after signing in on a new ${device}, the screen says what it waits for`, async ({ arrive }) => {
    const dana = await arrive('dana', { ...DEVICES[device], until: 'signed-out' })
    const { page } = dana
    const released = Promise.withResolvers<void>()
    await page.context().route('**/sync/v1/schema*', async (route) => {
      await released.promise
      await route.continue()
    })
    await page.goto('/sign-in')
    await signIn(page, dana.email)
    await expect(page.getByRole('status').filter({ hasText: 'Opening your data' })).toBeVisible()
    await look(page, `${device}-opening`)
    released.resolve()
    await expectSynced(dana)
  })
}

test('during the first sync no screen says that something is missing, or that everything is here', async ({
  arrive,
  holdfast,
}) => {
  const dana = await arrive('dana', { until: 'signed-out' })
  const { page, link } = dana
  const [view] = await holdfast.admin.query<{ id: string }>(sql`
    select id::text from holdfast.views where table_name = 'actions' and is_default`)
  const gone = 't/inspections/new?from=00000000-0000-4000-8000-000000000000'
  const paths = ['', `t/actions/v/${view?.id}`, 'capture', 'inbox', gone]
  await page.goto(`${dana.home}/capture`)
  link.limitRate(SLOW_BYTES_PER_S, 'down')
  await signIn(page, dana.email)
  await expect(page.getByRole('heading', { level: 1, name: 'Capture' })).toBeVisible({ timeout: 120_000 })
  for (const path of paths) {
    await page.goto(`${dana.home}/${path}`)
    const waits = page.getByRole('progressbar', { name: 'First sync' }).or(page.getByText('Looking for your records'))
    await expect(waits.first()).toBeVisible({ timeout: 120_000 })
    const watched = await watchTexts(
      page,
      /Nothing to capture here|All caught up|not on this device|view is not here|Available offline on/,
    )
    await comeToRest(page)
    expect(await watched.seen()).toEqual([])
  }
  link.limitRate(0)
  await expect(page.getByText('This record is not on this device')).toBeVisible({ timeout: 120_000 })
  await page.goto(dana.home)
  await expect(page.getByText('Available offline on this device')).toBeVisible()
  await page.goto(`${dana.home}/capture`)
  await expect(page.getByRole('region', { name: 'Start a new inspection' })).toBeVisible()
})

/** A picture in both themes. */
async function look(page: Page, screen: string): Promise<void> {
  await comeToRest(page)
  await page.screenshot({ path: `${PICTURES}/${screen}-light.png` })
  await expectAccessible(page, screen)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.screenshot({ path: `${PICTURES}/${screen}-dark.png` })
  await page.emulateMedia({ colorScheme: 'light' })
}
