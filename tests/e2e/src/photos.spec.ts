import type { Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'
import { expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'
import { expectSynced } from './support/person.ts'
import { isOfBytes, makeFinding, picker, takePicture, tiles } from './support/photos.ts'

/*
 * Photos of a finding in the app itself: taken off line at a reloaded page, sent through a death of the server, seen by the other person first as a row and then
 * as a picture, and by a contractor not at all.
 */

interface StoredPhoto {
  readonly path: string
  readonly width: number
  readonly height: number
  readonly is_uploaded: boolean
}

async function storedPhotos({ admin }: Holdfast, finding: string): Promise<readonly StoredPhoto[]> {
  return admin.query<StoredPhoto>(
    sql`select path, width, height, uploaded_at is not null as is_uploaded from public.photos where finding_id = ${finding}`,
  )
}

/** What the upper corners of a picture show, a little inside. */
async function cornersOf(page: Page, picture: Buffer): Promise<unknown> {
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes]))
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    context?.drawImage(bitmap, 0, 0)
    const at = (x: number): string => {
      const [red = 0, green = 0, blue = 0] = context?.getImageData(x, 60, 1, 1).data ?? []
      return red > 150 && green < 100 && blue < 90 ? 'mark' : 'sky'
    }
    return { left: at(60), right: at(bitmap.width - 60) }
  }, picture.toString('base64'))
}

test(
  'a photo taken off line survives a reload and a death of the server, and is for those who see its finding',
  { tag: '@core' },
  async ({ arrive, holdfast }) => {
    test.slow()
    const finding = await makeFinding(holdfast, 'Photos: rail loose at the hatch')
    const mina = await arrive('mina')
    const dana = await arrive('dana')
    const { page } = mina
    const address = `${mina.home}/t/findings/r/${finding.id}`
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1, name: finding.title })).toBeVisible()
    await dana.page.goto(address)
    await expect(dana.page.getByRole('heading', { level: 1, name: finding.title })).toBeVisible()
    const picture = await takePicture(page)

    await test.step('off line and after a reload a photo is taken, and shown at once', async () => {
      await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
      await mina.goOffline()
      await page.reload()
      await expect(page.getByRole('heading', { level: 1, name: finding.title })).toBeVisible()
      await picker(page).setInputFiles([picture])
      await expect(tiles(page)).toHaveAccessibleName('Open Photo 1 of 1. On this device, waiting to be sent')
      await expect(tiles(page).locator('img')).toBeVisible()
      await page.reload()
      await expect(tiles(page).locator('img')).toBeVisible()
      await expectAccessible(page, 'a finding with a photo that waits')
    })

    await test.step('the Sync centre lists it, and signing out counts it', async () => {
      await page.goto(`${mina.home}/sync?tab=files`)
      await expect(page.getByText(/^1 file .* is only on this device\.$/)).toBeVisible()
      await expect(page.getByRole('list', { name: 'On the way' }).getByRole('link')).toHaveText(finding.title)
      await expect(page.getByRole('button', { name: 'Free up space' })).toBeDisabled()
      await expectAccessible(page, 'the files of the Sync centre')
      await page.getByRole('button', { name: `Account of ${mina.name}`, exact: true }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await expect(page.getByText('1 file on this device has not been sent yet and is nowhere else.')).toBeVisible()
      await page.keyboard.press('Escape')
      await page.goto(address)
    })

    await test.step('on line the other person sees the row before the bytes', async () => {
      await mina.context.route(isOfBytes, (route) => route.abort())
      await mina.goOnline()
      await expect(tiles(dana.page)).toHaveAccessibleName('Photo 1 of 1. On another device, not uploaded yet')
      await expectAccessible(dana.page, 'a photo that is on another device')
      await mina.context.unroute(isOfBytes)
    })

    await test.step('it goes up although the line dies in the middle and the server is killed', async () => {
      mina.problems.expectCutLine()
      dana.problems.expectCutLine()
      mina.link.limitRate(60_000, 'up')
      await page.evaluate(() => globalThis.dispatchEvent(new Event('online')))
      await expect(tiles(page)).toHaveAccessibleName(/Sending \d+ %/)
      await expect(page.getByRole('status').filter({ hasText: /^Sending 1 photo\s*\d+ %$/ })).toBeVisible()
      await holdfast.kill9()
      mina.link.cut()
      mina.link.limitRate(0, 'up')
      await holdfast.restart()
      await expect(tiles(page)).toHaveAccessibleName('Open Photo 1 of 1', { timeout: 120_000 })
      await expectSynced(mina)
    })

    await test.step('then the other person sees it, the right way up and without the place where it was taken', async () => {
      await expect(tiles(dana.page).locator('img')).toBeVisible({ timeout: 60_000 })
      const [stored] = await storedPhotos(holdfast, finding.id)
      expect(stored).toMatchObject({ width: 1_365, height: 2_048, is_uploaded: true })
      const { data } = await (await dana.supabase()).storage.from('record-photos').download(stored?.path ?? '')
      const bytes = Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer(0))
      expect(bytes.length).toBeGreaterThan(10_000)
      expect(bytes.includes('Exif')).toBe(false)
      // The mark that the camera had at the left of its sky is at the right once the picture stands.
      expect(await cornersOf(dana.page, bytes)).toEqual({ left: 'sky', right: 'mark' })
    })

    await test.step('a contractor gets neither the row nor the bytes', async () => {
      const sam = await arrive('sam')
      await sam.page.goto(address)
      await expect(sam.page.getByRole('heading', { level: 1, name: finding.title })).toHaveCount(0)
      const [stored] = await storedPhotos(holdfast, finding.id)
      const client = await sam.supabase()
      expect((await client.from('photos').select('id').eq('finding_id', finding.id)).data).toEqual([])
      const bucket = client.storage.from('record-photos')
      const path = stored?.path ?? ''
      expect((await bucket.download(path)).error).toMatchObject({ message: 'Object not found' })
      expect((await bucket.createSignedUrl(path, 60)).error).toMatchObject({ message: 'Object not found' })
      expect((await bucket.download(path, { transform: { width: 64 } })).error).not.toBeNull()
      for (const door of ['object/public', 'object', 'render/image/public', 'object/sign']) {
        const guessed = await fetch(`${holdfast.url}/storage/v1/${door}/record-photos/${path}`)
        expect(guessed.ok, door).toBe(false)
      }
    })
  },
)

test('the viewer is worked with the keyboard, and a photo is deleted for everybody', async ({ arrive, holdfast }) => {
  const finding = await makeFinding(holdfast, 'Photos: three views')
  const mina = await arrive('mina')
  const { page } = mina
  await page.goto(`${mina.home}/t/findings/r/${finding.id}`)
  await expect(page.getByRole('heading', { level: 1, name: finding.title })).toBeVisible()
  const picture = await takePicture(page)
  await picker(page).setInputFiles([
    picture,
    { ...picture, name: 'two.jpg' },
    { name: 'not.heic', mimeType: 'image/heic', buffer: Buffer.from('no picture') },
  ])
  await expect(page.getByRole('alert').filter({ hasText: 'not.heic' })).toBeVisible()
  await expect(tiles(page)).toHaveCount(2)

  await tiles(page).first().focus()
  await page.keyboard.press('Enter')
  const viewer = page.getByRole('dialog', { name: 'Photo' })
  await expect(viewer.getByRole('img', { name: 'Photo 1 of 2' })).toBeVisible()
  await expectAccessible(page, 'the viewer of photos')
  await page.keyboard.press('ArrowRight')
  await expect(viewer.getByText('Photo 2 of 2')).toBeVisible()
  await page.keyboard.press('+')
  await expect(viewer.getByRole('button', { name: 'Zoom out' })).toBeEnabled()
  await page.keyboard.press('0')
  await expect(viewer.getByRole('button', { name: 'Zoom out' })).toBeDisabled()
  await viewer.getByRole('textbox', { name: 'Caption' }).fill('The loose rail')
  await page.keyboard.press('Tab')
  await expect(viewer.getByRole('img', { name: 'The loose rail' })).toBeVisible()
  await viewer.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(viewer.getByText('Photo 1 of 1')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(viewer).toHaveCount(0)
  await expect(tiles(page)).toHaveCount(1)
  await expect.poll(async () => (await storedPhotos(holdfast, finding.id)).length).toBe(1)
})

test('the record of a photo shows it, and a list of photos has pictures', async ({ arrive, holdfast }) => {
  const finding = await makeFinding(holdfast, 'Photos: a record of its own')
  const mina = await arrive('mina')
  const { page, home } = mina
  await page.goto(`${home}/t/findings/r/${finding.id}`)
  await picker(page).setInputFiles([await takePicture(page)])
  await expect(tiles(page)).toHaveAccessibleName('Open Photo 1 of 1')
  await expectSynced(mina)
  const photo = async (): Promise<string | undefined> =>
    (await holdfast.admin.query<{ id: string }>(sql`select id from public.photos where finding_id = ${finding.id}`))[0]
      ?.id
  await expect.poll(photo).toBeDefined()

  await page.goto(`${home}/t/photos/r/${await photo()}`)
  await expect(page.getByRole('button', { name: 'Take photo' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Open Photo 1 of 1' }).click()
  await expect(page.getByRole('dialog', { name: 'Photo' }).getByRole('img', { name: 'Photo 1 of 1' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expectAccessible(page, 'the record of a photo')

  await page.goto(`${home}/t/photos?q=${finding.title}`)
  await expect(page.getByRole('row').locator('[data-photo-state] img')).toBeVisible()
})
