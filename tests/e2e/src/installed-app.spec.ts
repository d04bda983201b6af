import { expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'
import { readDevice } from './support/local-device.ts'
import { expectSynced, signIn } from './support/person.ts'

interface Manifest {
  readonly name: string
  readonly start_url: string
  readonly display: string
  readonly icons: readonly { readonly src: string; readonly sizes: string; readonly purpose?: string }[]
}

test('the app can be installed, and starts without a connection on the last screen', async ({ arrive }) => {
  const dana = await arrive('dana', { device: 'new' })
  const { page, context } = dana

  await test.step('its manifest is complete and its icons exist', async () => {
    const href = await page.locator('link[rel="manifest"]').getAttribute('href')
    const response = await page.request.get(new URL(href ?? '', dana.link.url).href)
    expect(response.headers()['content-type']).toMatch(/application\/manifest\+json/)
    const manifest = (await response.json()) as Manifest
    expect(manifest).toMatchObject({ name: 'Holdfast', start_url: '/', display: 'standalone' })
    expect(manifest.icons.map(({ sizes }) => sizes)).toEqual(expect.arrayContaining(['192x192', '512x512']))
    expect(manifest.icons.some(({ purpose }) => purpose === 'maskable')).toBe(true)
    for (const { src } of manifest.icons) {
      const icon = await page.request.get(new URL(src, dana.link.url).href)
      expect(icon.status(), src).toBe(200)
      expect(icon.headers()['content-type'], src).toMatch(/^image\//)
    }
    const session = await context.newCDPSession(page)
    const { errors } = (await session.send('Page.getAppManifest')) as { readonly errors: readonly unknown[] }
    expect(errors).toEqual([])
    await session.detach()
  })

  await test.step('its service worker controls the page of the first visit, and offers no new version there', async () => {
    await expect
      .poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state), { timeout: 30_000 })
      .toBe('activated')
    await expect(page.getByText('A new version of the app is ready.')).toBeHidden()
  })

  await page
    .getByRole('navigation', { name: 'Workspace' })
    .getByRole('link', { name: /^Sites/ })
    .click()
  await expect(page).toHaveURL(`${dana.home}/t/sites`)
  await expect(page.getByRole('heading', { level: 1, name: 'Sites' })).toBeAttached()
  const before = await readDevice(page, 'select * from sites order by id')
  expect(before.rows.length).toBeGreaterThan(0)

  await dana.goOffline()
  await page.close()
  const tab = await dana.newTab()
  await tab.goto('/')
  await expect(tab.getByRole('heading', { level: 1 })).toBeAttached()
  await expect(tab.getByRole('button', { name: 'Sync: Offline' })).toBeVisible()
  await expect(tab.getByText('A new version of the app is ready.')).toBeHidden()
  const after = await readDevice(tab, 'select * from sites order by id')
  expect(after.rows).toEqual(before.rows)
  await tab.goto(`${dana.home}/t/sites`)
  await expect(tab.getByRole('heading', { level: 1, name: 'Sites' })).toBeAttached()
  // What is loaded when it opens is on this device as well.
  await tab.getByRole('button', { name: /^Filter/ }).click()
  await tab.getByRole('button', { name: 'Add a condition' }).click()
  await expect(tab.getByRole('button', { name: /Condition$/ })).toBeVisible()

  await test.step('in German as well, once that is chosen', async () => {
    await dana.goOnline()
    await tab.goto('/account/appearance')
    await tab.getByText('Deutsch', { exact: true }).click()
    await expect(tab.getByRole('heading', { level: 1, name: 'Darstellung' })).toBeVisible()
    await expect(tab.locator('html')).toHaveAttribute('lang', 'de')
    await expectAccessible(tab, 'the appearance in German')
    await dana.goOffline()
    await tab.goto(`${dana.home}/t/sites`)
    await expect(tab.getByRole('button', { name: 'Abgleich: Offline' })).toBeVisible()
    await expect(tab.getByRole('button', { name: /^Filtern/ })).toBeVisible()
  })
})

test('a browser without synchronous files is told that it works offline once its own parts are here', async ({
  arrive,
}) => {
  const dana = await arrive('dana', { until: 'signed-out' })
  const { page } = dana
  await page.addInitScript(() => localStorage.setItem('hf-store', '"indexeddb"'))
  const held = Promise.withResolvers<void>()
  await page.context().route(/\/assets\/wa-sqlite-async-.*\.wasm$/, async (route) => {
    // The worker of the database loads it first, for which nothing waits.
    if (route.request().serviceWorker()) await held.promise
    await route.continue()
  })
  await page.goto('/sign-in')
  await signIn(page, dana.email)
  await expectSynced(dana)
  await expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state), { timeout: 30_000 })
    .toBe('activated')
  const promise = page.getByText('Available offline on this device.')
  await expect(page.getByText('Getting ready to work offline…')).toBeVisible()
  await expect(promise).toBeHidden()
  held.resolve()
  await expect(promise).toBeVisible()

  await dana.goOffline()
  await page.close()
  const tab = await dana.newTab()
  await tab.addInitScript(() => localStorage.setItem('hf-store', '"indexeddb"'))
  await tab.goto(`${dana.home}/t/sites`)
  await expect(tab.getByRole('grid').getByRole('row').nth(1)).toBeVisible()
})
