import { randomUUID } from 'node:crypto'
import { chromium, type BrowserContext, type Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { openFaultyLink, type FaultyLink, type Holdfast } from '@holdfast/test-support'
import { expect, test } from './support/fixtures.ts'
import { buildGuideApp, serveFolder } from './support/guide-app.ts'

/*
 * What the guide shows is what runs: its blocks are built as they stand and used by a person. The test has nothing of its own but the component for refused
 * changes, which the guide shows apart, put beside the rest.
 */

const PAGE = 'docs/guides/build-an-offline-first-app.md'

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

test('the app of the guide: sign in, write offline, start again offline, come back, decide about what was refused', async ({
  holdfast,
}) => {
  const link = await openFaultyLink(holdfast.url)
  const app = await buildGuideApp(PAGE, { url: link.url, anonKey: holdfast.anonKey })
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
  const admin = await holdfast.supabase()
  expect((await admin.auth.signUp({ email, password })).error).toBeNull()
  const context = await browser.newContext()
  const reader: Reader = { page: await context.newPage(), context, link }
  const { page } = reader
  const status = page.locator('output')
  const add = async (body: string): Promise<void> => {
    await page.locator('[name=body]').fill(body)
    await page.getByRole('button', { name: 'Add' }).click()
  }

  await test.step('the component is under thirty lines', () => {
    expect(app.linesOfApp).toBeLessThan(30)
  })

  await test.step('signing in opens the local database', async () => {
    await page.goto(served.url)
    await page.locator('[name=email]').fill(email)
    await page.locator('[name=password]').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(status).toHaveText('Up to date', { timeout: 45_000 })
    await add('written online')
    await expect.poll(() => notesInPostgres(holdfast, email)).toEqual(['written online'])
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  })

  await test.step('without a network it takes notes', async () => {
    await reader.context.setOffline(true)
    link.sever()
    await add('written offline')
    await expect(page.getByRole('listitem')).toHaveText(['written online', 'written offline'])
    await expect(status).toHaveText('Offline · 1 waiting')
  })

  await test.step('and starts with them, signed in', async () => {
    await page.reload()
    await expect(page.getByRole('listitem')).toHaveText(['written online', 'written offline'])
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
    await add('')
    await expect(status).toHaveText('1 needs attention')
    await add('the next one')
    await expect(page.getByRole('article')).toContainText('This breaks a rule of the table')
    await expect.poll(() => notesInPostgres(holdfast, email)).toContain('the next one')
    await page.getByRole('button', { name: 'Send something' }).click()
    await expect(status).toHaveText('Up to date')
    await expect.poll(() => notesInPostgres(holdfast, email)).toContain('nothing to say')
  })
})
