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
  await context.close()
})
