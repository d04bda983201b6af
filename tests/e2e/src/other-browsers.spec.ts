import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'
import { expectSynced, signIn, type Person } from './support/person.ts'
import { isOfBytes, makeFinding, picker, takePicture, tiles } from './support/photos.ts'

/*
 * Browsers that have less than Chromium: Chromium without what they lack. Without a service worker, because its requests cannot be changed.
 */

const WORKER = '**/assets/database.worker-*.js'

/** Puts a line before the script of the database's worker. */
async function changeWorker({ page, link }: Person, line: string): Promise<void> {
  await page.context().route(WORKER, async (route) => {
    const { pathname } = new URL(route.request().url())
    const response = await route.fetch({ url: `${link.url}${pathname}` })
    await route.fulfill({ response, body: `${line}\n${await response.text()}` })
  })
}

test('a browser without private files keeps rows and photos in IndexedDB, over a reload', async ({
  arrive,
  holdfast,
}) => {
  const finding = await makeFinding(holdfast, 'Other browsers: guard rail bent')
  const dana = await arrive('dana', { until: 'signed-out', serviceWorkers: 'block' })
  const { page } = dana
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'storage', { value: undefined })
    Reflect.deleteProperty(globalThis, 'FileSystemFileHandle')
  })
  await changeWorker(dana, 'delete globalThis.FileSystemFileHandle; delete globalThis.FileSystemDirectoryHandle')
  await page.goto('/sign-in')
  await signIn(page, dana.email)
  await expectSynced(dana)
  expect(await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))).toContainEqual(
    expect.stringMatching(/^holdfast-.*-indexeddb\.db$/),
  )

  await page.context().route(isOfBytes, (route) => route.abort())
  dana.problems.expectCutLine()
  await page.goto(`${dana.home}/t/findings/r/${finding.id}`)
  await picker(page).setInputFiles([await takePicture(page)])
  await expect(tiles(page)).toHaveAccessibleName('Open Photo 1 of 1. On this device, waiting to be sent')
  await page.reload()
  await expect(tiles(page).locator('img')).toBeVisible()
  // No upload is under way when the page begins anew: it would be there already, and the server say so.
  await page.goto('about:blank')
  await page.context().unroute(isOfBytes)
  await page.goto(`${dana.home}/t/findings/r/${finding.id}`)
  await expect
    .poll(() =>
      holdfast.admin.query(sql`select count(uploaded_at)::int from public.photos where finding_id = ${finding.id}`),
    )
    .toEqual([{ count: 1 }])
})

test('an app whose database does not start says so, and can be told to try again', async ({ arrive }) => {
  const dana = await arrive('dana', { until: 'signed-out', serviceWorkers: 'block' })
  const { page, problems } = dana
  problems.expect(/^\[sync\] Error in database or sync worker/)
  problems.expect(/this browser is different/)
  await changeWorker(dana, `throw new Error('this browser is different')`)
  await page.goto('/sign-in')
  await signIn(page, dana.email)
  const notice = page.getByRole('alert').filter({ hasText: 'This did not work' })
  await expect(notice).toContainText('Nothing on this device was lost.')
  await expectAccessible(page, 'a database that did not start')
  await page.context().unroute(WORKER)
  await notice.getByRole('button', { name: 'Try again' }).click()
  await expectSynced(dana)
})

test('a bad line does not decide where a device keeps its data', async ({ arrive }) => {
  const dana = await arrive('dana', { until: 'signed-out', serviceWorkers: 'block' })
  const { page } = dana
  dana.problems.expectCutLine()
  const probe = '**/assets/probe-sync-files.worker-*.js'
  const keptStore = (): Promise<string | null> => page.evaluate(() => localStorage.getItem('hf-store'))
  await page.context().route(probe, (route) => route.abort())
  await page.goto('/sign-in')
  await signIn(page, dana.email)
  const notice = page.getByRole('alert').filter({ hasText: 'This did not work' })
  await expect(notice).toBeVisible()
  expect(await keptStore()).toBeNull()
  await page.context().unroute(probe)
  await page.context().route(probe, async (route) => {
    await delay(12_000)
    await route.continue()
  })
  await notice.getByRole('button', { name: 'Try again' }).click()
  await expectSynced(dana)
  expect(await keptStore()).toBe('"opfs"')
})
