import type { Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'
import { expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'
import { expectSynced } from './support/person.ts'

/*
 * Photos of a finding in the app itself: taken off line at a reloaded page, sent through a death of the server, seen by the other person first as a row and then
 * as a picture, and by a contractor not at all.
 */

interface Finding {
  readonly id: string
  readonly title: string
}

/** A new finding of the North, which no contractor works on. */
async function makeFinding({ admin }: Holdfast, title: string): Promise<Finding> {
  const [finding] = await admin.query<Finding>(sql`
    insert into public.findings (title, site_id, severity)
    select ${title}, s.id, 'high' from public.sites s join public.regions r on r.id = s.region_id
     where r.name = 'North' and s.status <> 'decommissioned' order by s.id limit 1
    returning id, title`)
  if (!finding) throw new Error('the sample has a site')
  return finding
}

/** A picture as a camera stores it: large, lying on its side, with the place where it was taken. */
async function takePicture(page: Page): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const base64 = await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(3000, 2000)
    const context = canvas.getContext('2d')
    if (!context) throw new Error('no canvas')
    const sky = context.createLinearGradient(0, 0, 3000, 2000)
    sky.addColorStop(0, '#2b6f8f')
    sky.addColorStop(1, '#d8c9a8')
    context.fillStyle = sky
    context.fillRect(0, 0, 3000, 2000)
    // Noise: a real picture does not become small.
    for (let index = 0; index < 60_000; index++) {
      context.fillStyle = `hsl(${(index * 37) % 360} 60% ${30 + (index % 50)}%)`
      context.fillRect((index * 7919) % 3000, (index * 104_729) % 2000, 9, 9)
    }
    context.fillStyle = '#b3402e'
    context.fillRect(0, 0, 900, 600)
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 })).arrayBuffer())
    let text = ''
    for (let start = 0; start < bytes.length; start += 8_192)
      text += String.fromCharCode(...bytes.subarray(start, start + 8_192))
    return btoa(text)
  })
  const jpeg = Buffer.from(base64, 'base64')
  return {
    name: 'IMG_0042.jpg',
    mimeType: 'image/jpeg',
    buffer: Buffer.concat([jpeg.subarray(0, 2), exif(), jpeg.subarray(2)]),
  }
}

/** EXIF that turns the picture by a quarter, and says where it was taken. */
function exif(): Buffer {
  const tiff = Buffer.alloc(64)
  tiff.write('MM\0*', 0, 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(2, 8)
  tiff.set([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0], 10) // orientation: turned clockwise
  tiff.set([0x88, 0x25, 0, 4, 0, 0, 0, 1, 0, 0, 0, 40], 22) // where the GPS facts are
  tiff.writeUInt16BE(1, 40)
  tiff.set([0, 1, 0, 2, 0, 0, 0, 2, 0x4e, 0, 0, 0], 42) // GPSLatitudeRef: N
  const head = Buffer.from([0xff, 0xe1, 0, tiff.length + 8])
  return Buffer.concat([head, Buffer.from('Exif\0\0', 'latin1'), tiff])
}

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

const tiles = (page: Page): ReturnType<Page['locator']> =>
  page
    .getByRole('region', { name: /^Photos/ })
    .getByRole('listitem')
    .getByRole('button')

const picker = (page: Page): ReturnType<Page['locator']> => page.getByTestId('photo-files')

test('a photo taken off line survives a reload and a death of the server, and is for those who see its finding', async ({
  arrive,
  holdfast,
}) => {
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
    const isUpload = (url: URL): boolean => url.pathname.startsWith('/storage/v1/object/record-photos/')
    await mina.context.route(isUpload, (route) => route.abort())
    await mina.goOnline()
    await expect(tiles(dana.page)).toHaveAccessibleName('Photo 1 of 1. On another device, not uploaded yet')
    await expectAccessible(dana.page, 'a photo that is on another device')
    await mina.context.unroute(isUpload)
  })

  await test.step('it goes up although the line dies in the middle and the server is killed', async () => {
    mina.problems.expectCutLine()
    dana.problems.expectCutLine()
    mina.link.limitRate(60_000, 'up')
    await page.evaluate(() => globalThis.dispatchEvent(new Event('online')))
    await expect(tiles(page)).toHaveAccessibleName(/Sending \d+ %/)
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
  })

  await test.step('a contractor gets neither the row nor the bytes', async () => {
    const sam = await arrive('sam')
    await sam.page.goto(address)
    await expect(sam.page.getByRole('heading', { level: 1, name: finding.title })).toHaveCount(0)
    const [stored] = await storedPhotos(holdfast, finding.id)
    const client = await sam.supabase()
    expect((await client.from('photos').select('id').eq('finding_id', finding.id)).data).toEqual([])
    const { error } = await client.storage.from('record-photos').download(stored?.path ?? '')
    expect(error).toMatchObject({ message: 'Object not found' })
  })
})

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
