import { randomUUID } from 'node:crypto'
import { AxeBuilder } from '@axe-core/playwright'
import { chromium, type BrowserContext, type Dialog, type Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { openFaultyLink, type FaultyLink, type Holdfast } from '@holdfast/test-support'
import { expect, test } from './support/fixtures.ts'
import { buildTemplateApp, serveFolder } from './support/guide-app.ts'

/*
 * The app that `npm create holdfast` makes, and that the guide quotes, used by a person: it is built as it stands.
 */

async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
}

interface Reader {
  readonly page: Page
  readonly context: BrowserContext
  readonly link: FaultyLink
}

async function notesInPostgres(holdfast: Holdfast, owner: string): Promise<readonly string[]> {
  const rows = await holdfast.admin.query<{ body: string }>(
    sql`select n.body from public.notes n join auth.users u on u.id = n.owner_id where u.email = ${owner} order by n.body`,
  )
  return rows.map(({ body }) => body)
}

test('the app of the guide: sign up, write offline, start again offline, come back, decide about what was refused, sign out', async ({
  holdfast,
}) => {
  const link = await openFaultyLink(holdfast.url)
  const app = await buildTemplateApp({ url: link.url, anonKey: holdfast.anonKey })
  const served = await serveFolder(app.folder)
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  await using _ = {
    async [Symbol.asyncDispose]() {
      await browser.close()
      await served[Symbol.asyncDispose]()
      await link[Symbol.asyncDispose]()
      await app[Symbol.asyncDispose]()
    },
  }
  const email = `reader-${randomUUID().slice(0, 8)}@example.org`
  const password = 'a long password 1'
  await holdfast.admin.withClient((client) => client.query(app.sql))
  const context = await browser.newContext()
  const reader: Reader = { page: await context.newPage(), context, link }
  const { page } = reader
  const status = page.locator('output')
  const add = async (body: string): Promise<void> => {
    await page.getByLabel('New note').fill(body)
    await page.getByRole('button', { name: 'Add' }).click()
  }
  /** Answers the question while the click waits: a dialog that opens during the click keeps it from ending. */
  const signOut = async (answer: (dialog: Dialog) => Promise<void>): Promise<void> => {
    const answered = page.waitForEvent('dialog').then(answer)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await answered
  }

  await test.step('a wrong password is said, and what was typed stays', async () => {
    await page.goto(served.url)
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('alert')).toHaveText('Invalid login credentials')
    await expect(page.getByLabel('E-mail address')).toHaveValue(email)
    await expectAccessible(page)
  })

  await test.step('signing up opens the local database', async () => {
    await page.getByRole('button', { name: 'Create an account' }).click()
    await page.getByRole('button', { name: 'Sign up' }).click()
    await expect(status).toHaveText('Up to date', { timeout: 45_000 })
    await add('written online')
    await expect.poll(() => notesInPostgres(holdfast, email)).toEqual(['written online'])
    await expect(status).toHaveText('Up to date')
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  })

  await test.step('without a network it takes notes', async () => {
    await reader.context.setOffline(true)
    link.sever()
    await add('written offline')
    await expect(page.getByRole('listitem').locator('span')).toHaveText(['written online', 'written offline'])
    await expect(status).toHaveText('Offline · 1 waiting')
  })

  await test.step('and starts with them, signed in', async () => {
    await page.reload()
    await expect(page.getByRole('listitem').locator('span')).toHaveText(['written online', 'written offline'])
    await add('written after a start')
    await expect(page.getByRole('listitem')).toHaveCount(3)
    expect(await notesInPostgres(holdfast, email)).toEqual(['written online'])
  })

  await test.step('back on the network everything is in Postgres, once', async () => {
    link.mend()
    await reader.context.setOffline(false)
    await expect(status).toHaveText('Up to date', { timeout: 45_000 })
    expect(await notesInPostgres(holdfast, email)).toEqual([
      'written after a start',
      'written offline',
      'written online',
    ])
  })

  await test.step('what Postgres refuses waits for the person with its reason', async () => {
    const long = 'a long note '.repeat(10)
    await add(long)
    await expect(status).toHaveText('1 needs attention')
    await add('the next one')
    const refused = page.getByRole('region', { name: 'Needs attention' })
    await expect(refused).toContainText('This breaks a rule of the table')
    await refused.getByText('Details').click()
    await expect(refused).toContainText('notes_have_at_most_80_characters')
    await expect(refused.getByLabel('Note')).toHaveValue(long)
    await expect.poll(() => notesInPostgres(holdfast, email)).toContain('the next one')
    await expectAccessible(page)
    await refused.getByLabel('Note').fill('nothing to say')
    await refused.getByRole('button', { name: 'Send again' }).click()
    await expect(refused).toBeHidden()
    await expect(status).toHaveText('Up to date')
    await expect.poll(() => notesInPostgres(holdfast, email)).toContain('nothing to say')
  })

  await test.step('signing out asks before it deletes what is only here, and leaves nothing', async () => {
    await reader.context.setOffline(true)
    link.sever()
    await add('only on this device')
    await signOut((dialog) => dialog.dismiss())
    await expect(page.getByRole('listitem').filter({ hasText: 'only on this device' })).toBeVisible()
    await signOut((dialog) => dialog.accept())
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
    await page.reload()
    await expect(page.getByLabel('E-mail address')).toBeVisible()
  })
})
