import type { Page } from '@playwright/test'
import { expect, test } from './support/fixtures.ts'
import { signIn } from './support/person.ts'

/** Scripts that a first visit of the sign-in screen loads, as they are sent: 202.1 kB in November 2026, with room for some more. Bytes. */
const SIGN_IN_BYTES_MAX = 205_000
/** The same until the first grid has its rows, by way of the home screen: 383.4 kB. SQLite and the sync engine run in workers and are not among them. Bytes. */
const GRID_BYTES_MAX = 388_000

/** Bytes of the scripts that the page has loaded so far, as they were sent; with `selector`, in the frame in which such an element has come. */
async function loadedBytes(page: Page, selector = 'body'): Promise<number> {
  return page.evaluate(async (wanted) => {
    while (!document.querySelector(wanted)) await new Promise(requestAnimationFrame)
    return (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ name }) => /\/assets\/(?!.*worker)[^/]+\.js$/.test(new URL(name).pathname))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
  }, selector)
}

test('a first visit loads no more than a phone on a bad line waits for', async ({ arrive }) => {
  const sam = await arrive('sam', { until: 'signed-out' })
  const { page } = sam
  // A browser without service workers, as in a private window: what is loaded late comes over the line.
  await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'))
  const held = Promise.withResolvers<void>()
  await page.route(/\/assets\/filter-form-/, async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto('/sign-in')
  await expect(page.getByRole('textbox', { name: 'E-mail' })).toBeVisible()
  const atSignIn = await loadedBytes(page)
  test.info().annotations.push({ type: 'sign-in', description: `${atSignIn} bytes` })
  expect(atSignIn).toBeGreaterThan(50_000)
  expect(atSignIn).toBeLessThanOrEqual(SIGN_IN_BYTES_MAX)

  await signIn(page, sam.email)
  await page
    .getByRole('navigation', { name: 'Workspace' })
    .getByRole('link', { name: /^Actions/ })
    .click()
  const atGrid = await loadedBytes(page, '[role=grid] [role=gridcell]')
  test.info().annotations.push({ type: 'first grid', description: `${atGrid} bytes` })
  expect(atGrid).toBeLessThanOrEqual(GRID_BYTES_MAX)

  await page.getByRole('button', { name: /^Filter/ }).click()
  const filter = page.getByRole('dialog', { name: 'Filter' })
  await expect(filter.getByRole('status')).toHaveText('Loading …')
  held.resolve()
  await filter.getByRole('button', { name: 'Add a condition' }).click()
  await expect(filter.getByRole('button', { name: /Condition$/ })).toBeVisible()
})
