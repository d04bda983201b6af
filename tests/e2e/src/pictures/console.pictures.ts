import { expect, test } from '../support/fixtures.ts'
import { openConsole } from '../support/operators.ts'
import { picture } from '../support/pictures.ts'

test('the console', async ({ arrive, browser, holdfast }) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await arrive('dana')
  await arrive('mina')
  await openConsole(page, holdfast, 'Olga Ortiz')
  await expect(page.getByRole('region', { name: 'Requests' })).toBeVisible()
  await picture(page, 'images/console-overview')
  await page.goto(new URL('/console/tables?schema=public&table=actions', holdfast.url).href)
  await expect(page.getByRole('table', { name: 'Rows of actions' })).toBeVisible()
  await picture(page, 'images/console-tables')
  await page.goto(new URL('/console/devices', holdfast.url).href)
  await expect(page.getByRole('row').filter({ hasText: 'up to date' }).first()).toBeVisible()
  await picture(page, 'images/console-devices')
  await context.close()
})
