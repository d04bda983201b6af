import type { Page } from '@playwright/test'
import { comeToRest, expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'
import { holdReads } from './support/held-database.ts'
import { expectSynced, signIn } from './support/person.ts'

/*
 * No moment has an empty screen: before the scripts are here, before the database is open, before rows are read, before they are counted, and while rows go by
 * faster than they are read. Each moment is held until it has been looked at.
 */

const PICTURES = 'test-results/screens'
const SIZES = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const

/** A line on which the first sync of the sample takes some seconds. */
const SLOW_BYTES_PER_S = 120_000

/** A picture in both themes. */
async function look(page: Page, screen: string): Promise<void> {
  await comeToRest(page)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: `${PICTURES}/${screen}-${colorScheme}.png` })
  }
  await page.emulateMedia({ colorScheme: 'light' })
}

test('the frame is there before the first script, and before the script of the screen', async ({ arrive }) => {
  const sam = await arrive('sam', { viewport: SIZES.wide, until: 'signed-out' })
  // Without a service worker, which would have the scripts already.
  await sam.context.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'))
  await sam.page.goto('/sign-in')
  await signIn(sam.page, sam.email)
  await expectSynced(sam)
  const page = await sam.newTab()
  const scripts = Promise.withResolvers<void>()
  const screen = Promise.withResolvers<void>()
  await page.route(/\/assets\/index-[^/]*\.js/, async (route) => {
    await scripts.promise
    await route.continue()
  })
  await page.route(/\/assets\/signed-in-layout-[^/]*\.js/, async (route) => {
    await screen.promise
    await route.continue()
  })
  await page.goto(`${sam.home}/t/actions`, { waitUntil: 'commit' })
  await expect(page.locator('.first-frame')).toBeVisible()
  for (const [name, size] of Object.entries(SIZES)) {
    await page.setViewportSize(size)
    await page.screenshot({ path: `${PICTURES}/never-blank-first-${name}.png` })
  }
  scripts.resolve()
  await expect(page.locator('.first-frame')).toHaveCount(0)
  const frame = page.locator('main[aria-busy=true]')
  await expect(frame).toBeVisible()
  screen.resolve()
  await expect(frame).toHaveCount(0)
  await expect(page.getByRole('listitem').filter({ hasText: '·' }).first()).toBeVisible()
})

test('who is signed out sees no frame of an app that they are not in', async ({ arrive }) => {
  const { page } = await arrive('sam', { until: 'signed-out' })
  await page.route(/\/assets\/index-[^/]*\.js/, () => undefined)
  await page.goto('/sign-in', { waitUntil: 'commit' })
  await expect(page.locator('.first-frame')).toBeHidden()
})

test('a table has its columns before its rows, its rows before they are counted, and lines for those not read', async ({
  arrive,
}) => {
  const dana = await arrive('dana', { viewport: SIZES.wide })
  const { page } = dana
  const reading = page.getByRole('status', { name: 'Reading findings from this device' })
  const firstRow = page.getByRole('grid').getByRole('button', { name: /^Open/ }).first()

  const countsAreHeld = await holdReads(page, /^select count\(\*\) as rows from "findings" t/)
  const rowsAreHeld = await holdReads(page, /^select .* page cross join "findings" /)
  await page
    .getByRole('navigation', { name: 'Workspace' })
    .getByRole('link', { name: /^Findings/ })
    .click()
  await expect(reading).toContainText('Severity')
  await expectAccessible(page, 'a table before its rows')
  await look(page, 'never-blank-reading-wide')
  await page.setViewportSize(SIZES.phone)
  await look(page, 'never-blank-reading-phone')
  await page.setViewportSize(SIZES.wide)

  await rowsAreHeld.release()
  await expect(firstRow).toBeAttached()
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '-1')
  await expect(page.getByText(/^[\d,]+ findings/)).toHaveCount(0)
  await countsAreHeld.release()
  await expect(page.getByText(/^[\d,]+ findings/)).toBeVisible()

  // Rows that go by before they are read have their lines.
  const grid = page.getByRole('grid')
  const held = await holdReads(page, /^select .* page cross join "findings" /)
  await grid.evaluate((element) => element.scrollTo({ top: element.scrollHeight / 2 }))
  const waiting = grid.locator('[data-row]:not(:has([data-open]))')
  await expect(waiting.first()).toBeVisible()
  // What the compositor shows where no row has been drawn at all.
  const band = await grid.getByRole('rowgroup').evaluate((element) => getComputedStyle(element).backgroundSize)
  expect(band).toContain('100% 34px')
  await look(page, 'never-blank-scrolled-wide')
  await held.release()
  await expect(waiting).toHaveCount(0)
})

test('the first rows of the open table come before the first sync has ended, under a bar', async ({ arrive }) => {
  const dana = await arrive('dana', { viewport: SIZES.wide, until: 'signed-out' })
  const { page, link } = dana
  // The moment itself is noted: a slow test would come too late for it.
  await page.addInitScript(() => {
    const changes = new MutationObserver(() => {
      if (document.body?.textContent.includes(' match')) performance.mark('nothing matches')
      if (!document.querySelector('[role=grid] [data-open]')) return
      const bar = document.querySelector('[role=progressbar]')
      performance.mark('first row', { detail: bar?.getAttribute('aria-valuetext') ?? 'no bar' })
      changes.disconnect()
    })
    changes.observe(document, { childList: true, subtree: true })
  })
  await page.goto(`${dana.home}/t/actions`)
  link.limitRate(SLOW_BYTES_PER_S, 'down')
  await signIn(page, dana.email)
  const bar = page.getByRole('progressbar', { name: 'First sync' })
  await expect(bar).toBeVisible({ timeout: 120_000 })
  // The rest must not be here before a busy machine has drawn the first rows.
  link.limitRate(SLOW_BYTES_PER_S / 2, 'down')
  await look(page, 'never-blank-first-sync')
  await expect(page.getByRole('grid').getByRole('button', { name: /^Open/ }).first()).toBeAttached({ timeout: 120_000 })
  await page.screenshot({ path: `${PICTURES}/never-blank-first-rows-light.png` })
  link.limitRate(0)
  const detail = await page.evaluate(
    () => (performance.getEntriesByName('first row')[0] as PerformanceMark).detail as string,
  )
  expect(detail).toMatch(/^[\d,]+ of [\d,]+ rows$/)
  const [done = NaN, total = NaN] = detail.replaceAll(',', '').match(/\d+/g)?.map(Number) ?? []
  expect(done).toBeLessThan(total)
  expect(await page.evaluate(() => performance.getEntriesByName('nothing matches').length)).toBe(0)
  await expectSynced(dana)
  await expect(bar).toHaveCount(0)
})
