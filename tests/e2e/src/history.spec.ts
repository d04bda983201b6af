import type { Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { makeActions, storedAction } from './support/actions.ts'
import { expect, test } from './support/fixtures.ts'

const PICTURES = 'test-results/screens'

async function look(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expectAccessible(page, `${name}, ${colorScheme}`)
    await page.screenshot({ path: `${PICTURES}/${name}-${colorScheme}.png`, animations: 'disabled' })
  }
  await page.emulateMedia({ colorScheme: 'light' })
}

test('the history of a record says who changed what, puts an earlier value back, and stays on the device', async ({
  arrive,
  holdfast,
}) => {
  const [action, other] = await makeActions(holdfast, ['History: a pump', 'History: never opened'])
  if (!action || !other) throw new Error('two actions were made')
  const mina = await holdfast.supabase({ email: 'mina.kaya@northline.example' })
  const changed = await mina.from('actions').update({ title: 'History: two pumps', priority: 1 }).eq('id', action.id)
  expect(changed.error).toBeNull()
  await holdfast.admin.execute(
    sql`update public.actions set detail = ${'By the office.\nTwo lines.'} where id = ${action.id}`,
  )
  const dana = await arrive('dana', { viewport: { width: 1440, height: 900 } })
  const { page, home } = dana
  const tab = page.getByRole('tab', { name: 'History' })
  const byMina = page.getByRole('article', { name: /^Change by Mina Kaya/ })

  await test.step('each change stands there with its person and its values', async () => {
    await page.goto(`${home}/t/actions/r/${action.id}`)
    await tab.click()
    await expect(byMina).toContainText('History: a pump')
    await expect(byMina).toContainText('History: two pumps')
    await expect(page.getByRole('article', { name: /^Change by The system/ })).toHaveCount(2)
    await expect(page.getByText('created this record')).toBeVisible()
    await look(page, 'history')
  })

  await test.step('an earlier value is put back, and that is a change as well', async () => {
    await page.getByRole('button', { name: 'Restore Title to History: a pump' }).click()
    await expect.poll(async () => (await storedAction(holdfast, action.id)).title).toBe('History: a pump')
    await expect(page.getByRole('article', { name: /^Change by You/ })).toContainText('History: a pump')
    await expect(page.getByRole('button', { name: 'Restore Title to History: a pump' })).toHaveCount(0)
  })

  await test.step('off line it is there, and of a record that was not opened the page says so', async () => {
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    await dana.goOffline()
    await page.goto(`${home}/t/actions/r/${action.id}?tab=history`)
    await expect(byMina).toContainText('History: two pumps')
    await page.goto(`${home}/t/actions/r/${other.id}?tab=history`)
    await expect(page.getByText('The history of this record is not on this device')).toBeVisible()
    await dana.goOnline()
    await expect(page.getByText('created this record')).toBeVisible()
  })

  await test.step('on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${home}/t/actions/r/${action.id}?tab=history`)
    await expect(byMina).toBeVisible()
    await look(page, 'history-phone')
  })

  await test.step('a table without a history has no tab for it', async () => {
    await page.goto(`${home}/t/regions`)
    const [region] = await holdfast.admin.query<{ id: string }>(sql`select id from public.regions limit 1`)
    await page.goto(`${home}/t/regions/r/${region?.id}`)
    await expect(page.getByRole('tab', { name: 'Fields' })).toBeVisible()
    await expect(tab).toHaveCount(0)
  })
})
