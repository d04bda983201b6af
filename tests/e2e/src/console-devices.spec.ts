import { expectAccessible } from './support/accessibility.ts'
import { makeActions } from './support/actions.ts'
import { expect, test } from './support/fixtures.ts'
import { actionsThat, gridOf } from './support/grid.ts'
import { readDevice } from './support/local-device.ts'
import { openConsole, openScreen } from './support/operators.ts'
import { watchProblems } from './support/problems.ts'

/* Devices in the console: why one is behind, what it uploaded, and what an operator does about it. */

test('an operator follows a rejected change from the device, and makes the device reconnect and resync', async ({
  arrive,
  browser,
  holdfast,
}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  const problems = watchProblems(context)
  const page = await context.newPage()
  const [verified] = await makeActions(holdfast, ['Refused: verified'], 'to_verify')
  if (!verified) throw new Error('an action was made')
  const sam = await arrive('sam', { knowsRules: false })

  await test.step('a device’s change is rejected by a policy', async () => {
    await sam.openTable('actions', actionsThat('Refused:'))
    await gridOf(sam.page).choose(verified.number, 'State', 'Verified')
    await expect(sam.chip).toHaveAccessibleName('Sync: 1 needs attention')
  })

  await test.step('the operator finds the device, and why the change was rejected', async () => {
    await openConsole(page, holdfast, 'Olga Ortiz')
    await openScreen(page, 'Devices')
    await page.getByRole('searchbox').fill('sam')
    // The devices of earlier browsers are offline.
    const row = page.getByRole('row').filter({ hasText: sam.email }).filter({ hasText: 'up to date' })
    await expect(row).toHaveCount(1)
    await expectAccessible(page, 'devices in the console')
    await row.getByRole('link').click()
    await expect(page.getByRole('region', { name: 'State' })).toContainText('up to date')
    const rejected = page.getByRole('table', { name: 'Rejected changes' })
    await expect(rejected).toContainText('Policy "verify_by_supervisor"')
    await expect(page.getByRole('table', { name: 'Uploads' })).toContainText('rejected')
    await expectAccessible(page, 'a device in the console')
  })

  await test.step('an ended stream comes back', async () => {
    const connectedAt = page
      .locator('dl div')
      .filter({ hasText: /^Connected/ })
      .locator('time')
    const before = await connectedAt.getAttribute('datetime')
    await page.getByRole('button', { name: 'End stream' }).click()
    await expect(page.getByText('The stream was ended.')).toBeVisible()
    await expect(page.getByRole('region', { name: 'State' })).toContainText('offline')
    await expect(page.getByRole('region', { name: 'State' })).toContainText('up to date', { timeout: 30_000 })
    expect(await connectedAt.getAttribute('datetime')).not.toBe(before)
  })

  await test.step('a resync brings back a row that the device lost, and the device equals the database', async () => {
    const query = 'select id from actions where id = ?'
    await readDevice(sam.page, undefined, [], [`delete from ps_data__actions where id = '${verified.id}'`])
    expect((await readDevice(sam.page, query, [verified.id])).rows).toEqual([])
    await page.getByRole('button', { name: 'Resync…' }).click()
    await expectAccessible(page, 'asking for a resync')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Resync' }).click()
    await expect(page.getByText('The device downloads all its rows again.')).toBeVisible()
    await expect.poll(async () => (await readDevice(sam.page, query, [verified.id])).rows.length).toBe(1)
    await page.getByRole('button', { name: 'Compare' }).click()
    await expect(page.getByRole('status').filter({ hasText: 'Equal' })).toBeVisible({ timeout: 30_000 })
    // The rejected change stays with its user.
    await expect(sam.chip).toHaveAccessibleName('Sync: 1 needs attention')
  })

  await test.step('on a phone in the dark, a device is as readable', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await expectAccessible(page, 'a device on a phone in the dark')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  })

  expect(problems.found).toEqual([])
  await context.close()
})
