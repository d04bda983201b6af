import { expectAccessible } from './support/accessibility.ts'
import { makeActions } from './support/actions.ts'
import { expect, test } from './support/fixtures.ts'
import { actionsThat, gridOf } from './support/grid.ts'
import { openConsole, openScreen } from './support/operators.ts'
import { watchProblems } from './support/problems.ts'

/* The log in the console: from a device to why its change was rejected, and on a phone. */

test('an operator traces a rejected upload from the device to its request, and watches the log live', async ({
  arrive,
  browser,
  holdfast,
}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  const problems = watchProblems(context)
  const page = await context.newPage()
  const [verified] = await makeActions(holdfast, ['Traced: verified'], 'to_verify')
  if (!verified) throw new Error('an action was made')
  const sam = await arrive('sam', { knowsRules: false })
  const logs = page.getByRole('table', { name: 'Logs' })

  await test.step('a device’s change is rejected by a policy', async () => {
    await sam.openTable('actions', actionsThat('Traced:'))
    await gridOf(sam.page).choose(verified.number, 'State', 'Verified')
    await expect(sam.chip).toHaveAccessibleName('Sync: 1 needs attention')
  })

  await test.step('the device’s page leads to the rejection in the log', async () => {
    await openConsole(page, holdfast, 'Olga Ortiz')
    await openScreen(page, 'Devices')
    await page.getByRole('searchbox').fill('sam')
    await page
      .getByRole('row')
      .filter({ hasText: sam.email })
      .filter({ hasText: 'up to date' })
      .getByRole('link')
      .click()
    await page.getByRole('link', { name: 'Rejections in the log' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Logs' })).toBeVisible()
    const rejected = logs.getByRole('row').filter({ hasText: 'a change of a device was rejected' })
    await expect(rejected).toContainText('verify_by_supervisor')
    await expect(rejected).toContainText(sam.email)
    await expectAccessible(page, 'the log in the console')
    await rejected.getByTitle(/^Everything of request/).click()
  })

  await test.step('its request shows when and how it was uploaded', async () => {
    await expect(logs.getByRole('row').filter({ hasText: 'POST /sync/v1/upload' })).toContainText('200')
    await expect(logs.getByRole('row').filter({ hasText: 'a change of a device was rejected' })).toBeVisible()
  })

  await test.step('new entries appear by themselves', async () => {
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByRole('searchbox', { name: 'Search messages, paths and codes' }).fill('no_such_table')
    await expect(page.getByText('No entry matches')).toBeVisible()
    await fetch(`${holdfast.url}/rest/v1/no_such_table`, { headers: { apikey: holdfast.anonKey } })
    await expect(logs.getByRole('row').filter({ hasText: 'GET /rest/v1/no_such_table' })).toContainText('404')
  })

  await test.step('on a phone in the dark, logs, users and devices are usable', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    for (const name of ['Logs', 'Users', 'Devices']) {
      await page.getByRole('button', { name: 'Open navigation' }).click()
      await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name, exact: true }).click()
      await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
      await expect(page.getByRole('table', { name }).getByRole('row').nth(1)).toBeVisible()
      await expectAccessible(page, `${name} on a phone in the dark`)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    }
  })

  expect(problems.found).toEqual([])
  await context.close()
})
