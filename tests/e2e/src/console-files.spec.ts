import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'
import { openConsole, openScreen } from './support/operators.ts'
import { watchProblems } from './support/problems.ts'

/* Files in the console: a bucket with limits, uploads with progress and refusals, previews that run nothing, links, and names that are hostile. */

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const HOSTILE = '<img src=x onerror="document.title=1">.txt'

test('an owner makes a bucket, uploads, previews, shares, moves and deletes files', async ({ browser, holdfast }) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
  const problems = watchProblems(context)
  const page = await context.newPage()
  const files = page.getByRole('table', { name: 'Files' })
  const uploads = page.getByRole('list', { name: 'Uploads' })
  const dialog = page.getByRole('dialog')
  const send = async (name: string, mimeType: string, buffer: Buffer): Promise<void> =>
    await page.getByLabel('Files to upload').setInputFiles({ name, mimeType, buffer })

  await test.step('a bucket is created with limits', async () => {
    await openConsole(page, holdfast, 'Fenna')
    await openScreen(page, 'Files')
    await page.getByRole('button', { name: 'New bucket' }).click()
    await page.getByLabel('Name', { exact: true }).fill('drawings')
    await page.getByLabel('Size limit of a file').fill('10 miles')
    await expect(page.getByText('Write a number with a unit')).toBeVisible()
    await page.getByLabel('Size limit of a file').fill('1 KB')
    await page.getByLabel('Allowed types').fill('image/*, text/html')
    await expectAccessible(page, 'a new bucket in the console')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await expect(page.getByRole('heading', { level: 2, name: 'drawings' })).toBeVisible()
    await expect(page.getByText('No files here')).toBeVisible()
    await expectAccessible(page, 'an empty bucket in the console')
  })

  await test.step('files within the limits are uploaded, others are refused before they are sent', async () => {
    await send('dot.png', 'image/png', PNG)
    await expect(uploads).toContainText('Uploaded')
    await send('page.html', 'text/html', Buffer.from('<script>document.title = "run"</script>'))
    await send('large.png', 'image/png', Buffer.alloc(2_000))
    await expect(uploads).toContainText('larger than the limit of 1 KB')
    await send('notes.txt', 'text/plain', Buffer.from('x'))
    await expect(uploads).toContainText('does not allow the type text/plain')
    await send('dot.png', 'image/png', PNG)
    await page.getByRole('button', { name: 'Replace dot.png' }).click()
    await expect(page.getByRole('button', { name: 'Replace dot.png' })).toBeHidden()
    await expect(files).toContainText('page.html')
    await expectAccessible(page, 'uploads in the console')
    await page.getByRole('button', { name: 'Clear list' }).click()
  })

  await test.step('an image is drawn, and HTML is shown as text', async () => {
    await files.getByRole('button', { name: 'dot.png' }).click()
    const image = dialog.getByRole('img', { name: 'Preview of dot.png' })
    await expect
      .poll(() => image.evaluate((one) => (one instanceof HTMLImageElement ? one.naturalWidth : 0)))
      .toBeGreaterThan(0)
    await expectAccessible(page, 'the preview of an image')
    await page.keyboard.press('Escape')
    await files.getByRole('button', { name: 'page.html' }).click()
    await expect(dialog.getByLabel('Content of page.html')).toHaveText('<script>document.title = "run"</script>')
    await expect(page).not.toHaveTitle('run')
    await expectAccessible(page, 'the preview of a text')
  })

  await test.step('a link is created, which reads the file without a session', async () => {
    await dialog.getByRole('button', { name: 'Create link…' }).click()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const link = await page.getByLabel('Signed URL').inputValue()
    expect(await (await fetch(link)).text()).toContain('<script>')
    await expectAccessible(page, 'a signed URL in the console')
    await page.keyboard.press('Escape')
  })

  await test.step('a file is downloaded, moved into a folder, and found there', async () => {
    const downloaded = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Download', exact: true }).click()
    expect((await downloaded).suggestedFilename()).toBe('page.html')
    await dialog.getByRole('button', { name: 'Rename or move…' }).click()
    await page.getByLabel('Full name').fill('site/old page.html')
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await expect(dialog.getByRole('heading', { name: 'old page.html' })).toBeVisible()
    await page.keyboard.press('Escape')
    await files.getByRole('button', { name: 'site/' }).click()
    await expect(files.getByRole('button', { name: 'old page.html' })).toBeVisible()
    await expect(files).not.toContainText('dot.png')
    await page.getByRole('searchbox', { name: 'Names that start with' }).fill('new')
    await expect(page.getByText('No name starts with this')).toBeVisible()
    await page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'drawings' }).click()
    await expect(files).toContainText('dot.png')
  })

  await test.step('thumbnails are drawn in the list, and a folder is deleted with its file', async () => {
    await page.getByText('Thumbnails', { exact: true }).click()
    const thumbnail = files.getByRole('row').filter({ hasText: 'dot.png' }).locator('img')
    await expect
      .poll(() => thumbnail.evaluate((one) => (one instanceof HTMLImageElement ? one.naturalWidth : 0)))
      .toBeGreaterThan(0)
    await expectAccessible(page, 'thumbnails in the console')
    await files.getByRole('button', { name: 'site/' }).click()
    await page.getByRole('button', { name: 'Delete folder…' }).click()
    await expect(page.getByRole('alertdialog')).toContainText('1 file of 39 B')
    await expectAccessible(page, 'deleting a folder in the console')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await expect(page.getByText('1 file was deleted')).toBeVisible()
    await expect(files).toContainText('dot.png')
    await expect(files).not.toContainText('site/')
  })

  await test.step('a hostile name is text, and its file is deleted', async () => {
    await holdfast.internal.execute(
      sql`insert into storage.objects (bucket_id, name) values ('drawings', ${HOSTILE}), ('drawings', '../up 🗺️.png')`,
    )
    await page.getByRole('button', { name: 'Reload' }).click()
    await expect(files).toContainText(HOSTILE)
    await expect(files.getByRole('button', { name: '../' })).toBeVisible()
    await page.getByRole('checkbox', { name: `Choose ${HOSTILE}` }).click({ force: true })
    await expectAccessible(page, 'chosen files in the console')
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await expect(page.getByText('The file was deleted')).toBeVisible()
    await expect(files).not.toContainText(HOSTILE)
    await expect(page).not.toHaveTitle('1')
  })

  await test.step('policies are listed, and the bucket is emptied and deleted', async () => {
    await page.getByRole('tab', { name: 'Policies' }).click()
    await expect(page.getByRole('link', { name: 'table storage.objects' })).toBeVisible()
    await expectAccessible(page, 'the policies of a bucket')
    const choose = async (action: string): Promise<void> => {
      await page.getByRole('button', { name: 'Change bucket' }).click()
      await page.getByRole('menuitem', { name: action }).click()
    }
    await choose('Empty…')
    await page.getByLabel('Type drawings to confirm').fill('drawings')
    await page.getByRole('button', { name: 'Delete all files' }).click()
    await expect(page.getByText('The files are being deleted')).toBeVisible()
    await expect
      .poll(
        async () =>
          (await holdfast.internal.query(sql`select from storage.objects where bucket_id = 'drawings'`)).length,
      )
      .toBe(0)
    await choose('Delete…')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await expect(page.getByText('The bucket was deleted')).toBeVisible()
    await expect(page.getByRole('navigation', { name: 'Buckets' })).not.toContainText('drawings')
  })

  expect(problems.found.filter((one) => !one.includes('409'))).toEqual([])
  await context.close()
})
