import { randomBytes, randomUUID } from 'node:crypto'
import { chromium, type Browser, type BrowserContext, type Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { openFaultyLink, type Holdfast } from '@holdfast/test-support'
import { expect, test } from './support/fixtures.ts'
import { buildGuideApp, serveFolder } from './support/guide-app.ts'
import { isOfBytes } from './support/photos.ts'

/*
 * The app of the guide for photos, as it stands on the page: a photo that was taken off line is there at once and after a reload, goes up through a death of the
 * server, and is on the other device first by its row and then by its bytes.
 */

const PAGE = 'docs/guides/photos-in-an-offline-first-app.md'
const PASSWORD = 'a long password 1'

/** One transparent pixel, and then bytes that no decoder looks at. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
const photo = (name: string, size = 0): { name: string; mimeType: string; buffer: Buffer } => ({
  name,
  mimeType: 'image/png',
  buffer: Buffer.concat([PIXEL, randomBytes(size)]),
})

async function signIn(context: BrowserContext, url: string, email: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  await page.locator('[name=email]').fill(email)
  await page.locator('[name=password]').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.locator('output')).toHaveText('0 to send')
  return page
}

async function objectsOf(holdfast: Holdfast, email: string): Promise<readonly number[]> {
  const rows = await holdfast.admin.query<{ size: string }>(
    sql`select o.metadata->>'size' as size from storage.objects o join auth.users u on u.id::text = o.owner_id where u.email = ${email} order by o.created_at`,
  )
  return rows.map(({ size }) => Number(size))
}

/** Whether the browser could decode the shown image. */
async function shownWidths(page: Page): Promise<readonly number[]> {
  return page.locator('li img').evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth))
}

async function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  })
}

test('the photos of the guide: taken off line, kept, sent through a kill of the server, seen elsewhere', async ({
  holdfast,
}) => {
  const link = await openFaultyLink(holdfast.url)
  const app = await buildGuideApp(PAGE, { url: link.url, anonKey: holdfast.anonKey })
  const served = await serveFolder(app.folder)
  const browser = await openBrowser()
  await using _ = {
    async [Symbol.asyncDispose]() {
      await browser.close()
      await served[Symbol.asyncDispose]()
      await link[Symbol.asyncDispose]()
      await app[Symbol.asyncDispose]()
    },
  }
  await holdfast.admin.withClient((client) => client.query(app.sql))
  const email = `photographer-${randomUUID().slice(0, 8)}@example.org`
  const other = `stranger-${randomUUID().slice(0, 8)}@example.org`
  for (const person of [email, other]) {
    const client = await holdfast.supabase()
    expect((await client.auth.signUp({ email: person, password: PASSWORD })).error).toBeNull()
  }
  const context = await browser.newContext()
  const page = await signIn(context, served.url, email)
  const take = (files: readonly ReturnType<typeof photo>[]): Promise<void> =>
    page.locator('input[type=file]').setInputFiles([...files])

  await test.step('the component is under forty lines', () => {
    expect(app.linesOfApp).toBeLessThan(40)
  })

  await test.step('a photo that is taken without a network is shown at once, and after a reload', async () => {
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    await context.setOffline(true)
    link.sever()
    await take([photo('small.png'), photo('large.png', 7 * 1_048_576)])
    await expect(page.getByRole('listitem')).toHaveText(['queued', 'queued'])
    await page.reload()
    await expect.poll(() => shownWidths(page)).toEqual([1, 1])
    await expect(page.locator('output')).toHaveText('2 to send')
    expect(await objectsOf(holdfast, email)).toEqual([])
  })

  await test.step('they go up, although the server dies in the middle', async () => {
    link.mend()
    await context.setOffline(false)
    await expect.poll(async () => (await objectsOf(holdfast, email)).length).toBeGreaterThan(0)
    await holdfast.kill9()
    // As the network does when a server dies. The link itself keeps a half that is still being sent, which a client gives up only after minutes.
    link.cut()
    await holdfast.restart()
    await expect(page.getByRole('listitem')).toHaveText(['linked', 'linked'], { timeout: 120_000 })
    await expect(page.locator('output')).toHaveText('0 to send')
    const sizes = await objectsOf(holdfast, email)
    expect(sizes.toSorted((a, b) => a - b)).toEqual([PIXEL.length, PIXEL.length + 7 * 1_048_576])
  })

  const second = await browser.newContext()
  const elsewhere = await signIn(second, served.url, email)
  await test.step('the other device shows them', async () => {
    await expect.poll(() => shownWidths(elsewhere), { timeout: 45_000 }).toEqual([1, 1])
  })

  await test.step('and of a photo that has not been sent, that it is on another device', async () => {
    await context.route(isOfBytes, (route) => route.abort())
    await take([photo('third.png')])
    await expect(elsewhere.getByRole('listitem').nth(2)).toHaveText('On another device, not uploaded yet')
    await context.unroute(isOfBytes)
    await page.evaluate(() => globalThis.dispatchEvent(new Event('online')))
    await expect(page.getByRole('listitem').nth(2)).toHaveText('linked', { timeout: 60_000 })
    await expect.poll(() => shownWidths(elsewhere), { timeout: 45_000 }).toEqual([1, 1, 1])
  })

  await test.step('a stranger gets neither rows nor bytes', async () => {
    const stranger = await signIn(await browser.newContext(), served.url, other)
    await expect(stranger.getByRole('listitem')).toHaveCount(0)
    const [row] = await holdfast.admin.query<{ path: string }>(sql`select path from public.pictures limit 1`)
    const client = await holdfast.supabase()
    await client.auth.signInWithPassword({ email: other, password: PASSWORD })
    const { error } = await client.storage.from('photos').download(row?.path ?? '')
    expect(error).toMatchObject({ message: 'Object not found' })
  })
})
