import type { Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { actionsThat } from './support/grid.ts'
import { makeActions } from './support/actions.ts'
import { expect, test } from './support/fixtures.ts'
import { openNewerApp } from './support/newer-app.ts'

/*
 * A newer version of the app arrives while a person types. Nothing typed is lost: the offer waits until nobody types, nothing is loaded while something typed
 * cannot be stored, and what is half done is there again afterwards.
 */

const PICTURES = 'test-results/screens'

test('a new version waits for what is typed, in a cell, a record, a comment and a new record', async ({
  arrive,
  holdfast,
}) => {
  const [action] = await makeActions(holdfast, ['Version: one'])
  if (!action) throw new Error('an action was made')
  await using app = await openNewerApp(holdfast.url)
  const dana = await arrive('dana', { through: app.url, viewport: { width: 1440, height: 900 } })
  const { page, home } = dana
  const record = `${home}/t/actions/r/${action.id}`
  const stored = (): Promise<readonly unknown[]> =>
    holdfast.admin.query(sql`select title, est_hours::float8 as hours from public.actions where id = ${action.id}`)
  const offer = (tab: Page) => tab.getByText('A new version of the app is ready.')
  const load = (tab: Page) => tab.getByRole('button', { name: 'Load it now' })
  const offered = offer(page)
  /** Marks the page, to see that it is loaded again. */
  const mark = (tab: Page): Promise<void> => tab.evaluate(() => void Object.assign(globalThis, { isOld: true }))
  const isOld = (tab: Page): Promise<boolean> => tab.evaluate(() => 'isOld' in globalThis)

  await test.step('it comes while a cell is edited, and waits for that', async () => {
    await page.goto(`${home}/t/actions${actionsThat(action.number)}`)
    await page.getByRole('gridcell', { name: /^Title: Version: one/ }).dblclick()
    const editor = page.getByRole('textbox', { name: 'Edit Title' })
    await editor.fill('Version: two')
    await release(page, app.release)
    await expect(editor).toHaveValue('Version: two')
    await expect(editor).toBeFocused()
    await expect(offered).toBeHidden()
    await editor.press('Enter')
    await expect(offered).toBeVisible()
    await expect.poll(stored).toEqual([{ title: 'Version: two', hours: 2 }])
  })

  await test.step('nothing is loaded while a text cannot be taken; then it is stored first', async () => {
    await mark(page)
    await page.getByRole('gridcell', { name: /^Estimated hours: 2/ }).dblclick()
    const editor = page.getByRole('textbox', { name: 'Edit Estimated hours' })
    await editor.fill('some')
    await load(page).click()
    await expect(page.getByText('Something that you typed is not saved yet.')).toBeVisible()
    await expect(editor).toHaveValue('some')
    await expectAccessible(page, 'a new version that waits for a cell')
    await page.screenshot({ path: `${PICTURES}/new-version-held.png`, animations: 'disabled' })
    expect(await isOld(page)).toBe(true)
    await editor.fill('5')
    await load(page).click()
    await expect.poll(() => isOld(page).catch(() => true)).toBe(false)
    await expect(page.getByRole('gridcell', { name: /^Estimated hours: 5/ })).toBeVisible()
    await expect(offered).toBeHidden()
    await expect.poll(stored).toEqual([{ title: 'Version: two', hours: 5 }])
  })

  const other = await dana.newTab()
  await test.step('in a record, in two tabs: what is typed is stored, a comment and a new record are there again', async () => {
    await page.goto(record)
    const title = page.getByRole('textbox', { name: 'Title' })
    await expect(title).toHaveValue('Version: two')
    await other.goto(`${home}/t/findings`)
    await other.getByRole('button', { name: 'New finding' }).click()
    await expect(other.getByText('Draft', { exact: true })).toBeVisible()
    await release(page, app.release)
    await expect(offer(page)).toBeVisible()
    await expect(offer(other)).toBeVisible()
    for (const tab of [page, other]) await mark(tab)

    // The browser draws tabs behind another one once a second.
    await page.bringToFront()
    await page.getByRole('tab', { name: /^Comments/ }).click()
    await page.getByRole('textbox', { name: 'Comment' }).fill('Version: half a comment')
    await page.getByRole('tab', { name: 'Fields' }).click()
    await title.fill('Version: three')
    await load(page).click()
    await expect.poll(() => isOld(page).catch(() => true)).toBe(false)
    await expect(title).toHaveValue('Version: three')
    await page.getByRole('tab', { name: /^Comments/ }).click()
    await expect(page.getByRole('textbox', { name: 'Comment' })).toHaveValue('Version: half a comment')
    await expect.poll(stored).toEqual([{ title: 'Version: three', hours: 5 }])
  })

  await test.step('the other tab goes on with the old version until it is loaded there', async () => {
    expect(await isOld(other)).toBe(true)
    await other.bringToFront()
    await other.getByRole('textbox', { name: 'Title' }).fill('Version: half a finding')
    await load(other).click()
    await expect.poll(() => isOld(other).catch(() => true)).toBe(false)
    await expect(other.getByRole('textbox', { name: 'Title' })).toHaveValue('Version: half a finding')
    await expect(offer(other)).toBeHidden()
  })
  // Before the server that it came through.
  await dana.context.close()
})

test('a new version is loaded although the old one waits for an answer that does not come', async ({
  arrive,
  holdfast,
}) => {
  await using app = await openNewerApp(holdfast.url)
  const dana = await arrive('dana', { through: app.url })
  dana.problems.expect(/ERR_FAILED.*\/assets\/german-/)
  const { page } = dana
  await page.reload()
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state)).toBe('activated')
  await release(page, app.release)
  app.answerInstead(/^\/assets\/german-/, 'never')
  await page.evaluate(async () => {
    Object.assign(globalThis, { isOld: true })
    const worker = await (await fetch('/service-worker.js')).text()
    // A part that this device does not have: the service worker asks for it.
    void fetch(`/${/assets\/german-[\w-]*\.js/.exec(worker)?.[0]}`).catch(() => undefined)
  })
  await expect.poll(() => app.instead).toBe(1)
  await page.getByRole('button', { name: 'Load it now' }).click()
  await expect.poll(() => page.evaluate(() => 'isOld' in globalThis).catch(() => true)).toBe(false)
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state)).toBe('activated')
  await expect(page.getByText('A new version of the app is ready.')).toBeHidden()
  // Before the server that it came through.
  await dana.context.close()
})

test('a hotel’s page in the place of a file is not kept as a part of the app', async ({ arrive, holdfast }) => {
  await using app = await openNewerApp(holdfast.url)
  app.answerInstead(/^\/assets\/calendar-view-[^/]*\.js$/)
  const dana = await arrive('dana', { through: app.url, until: 'signed-in' })
  dana.problems.expect(/bad-precaching-response/)
  const { page } = dana
  const workers = (): Promise<unknown> =>
    page.evaluate(async () => {
      const found = await navigator.serviceWorker.getRegistration()
      return { installing: found?.installing?.state, active: found?.active?.state }
    })
  await expect.poll(() => app.instead).toBeGreaterThan(0)
  await expect.poll(workers).toEqual({})

  app.answerInstead(undefined)
  await page.reload()
  await expect.poll(workers).toEqual({ active: 'activated' })
  const kept = await page.evaluate(async () => {
    const types: Record<string, string> = {}
    for (const name of await caches.keys()) {
      const cache = await caches.open(name)
      for (const { url } of await cache.keys()) {
        if (url.includes('/calendar-view-'))
          types[new URL(url).pathname.replace(/-[\w-]{8}\.js$/, '')] =
            (await cache.match(url))?.headers.get('content-type') ?? ''
      }
    }
    return types
  })
  expect(kept).toEqual({ '/assets/calendar-view': expect.stringMatching(/javascript/) as unknown })
  // Before the server that it came through.
  await dana.context.close()
})

/** A newer version is there, and the browser has it. */
async function release(page: Page, make: () => void): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  make()
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration()
    await registration?.update()
  })
  await expect
    .poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.waiting?.state))
    .toBe('installed')
}
