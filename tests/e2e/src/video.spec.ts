import { readFile } from 'node:fs/promises'
import type { BrowserContext, Locator, Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'
import { expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'
import { gridOf } from './support/grid.ts'
import { expectSynced } from './support/person.ts'
import { type Finding, makeFinding, picker, takePicture, tiles } from './support/photos.ts'
import { filmVideo, sha256Of, sha256OnDevice } from './support/videos.ts'

/*
 * A video of a finding: sent in parts that outlive its tab, refused for its size, and loaded again from the server as the same bytes.
 */

/** A video of a phone, in bytes: seven parts of an upload. */
const VIDEO_BYTES = 40_000_000
/** Bytes in one part, as the kit sends them. */
const PART_BYTES = 6 * 1_048_576
/** A line on which a part takes two seconds, in bytes a second. */
const LINE = 3_000_000
const SENT_MS = 120_000

/** Parts of resumable uploads that a browser has begun to send, by where they begin, and those that were answered. */
interface WatchedParts {
  readonly begun: readonly number[]
  /** Up to where the server has said that it has the file. */
  readonly confirmed: number
  /** Requests for the bytes of videos. */
  readonly downloads: readonly string[]
}

function watchParts(context: BrowserContext): WatchedParts {
  const begun: number[] = []
  const downloads: string[] = []
  let confirmed = 0
  context.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() === 'PATCH' && pathname.includes('/upload/resumable/')) {
      begun.push(Number(request.headers()['upload-offset']))
    }
    if (request.method() === 'GET' && pathname.startsWith('/storage/v1/') && pathname.endsWith('.webm')) {
      downloads.push(pathname)
    }
  })
  context.on('response', (response) => {
    if (response.request().method() === 'PATCH' && response.status() === 204) {
      confirmed = Number(response.headers()['upload-offset'])
    }
  })
  return {
    begun,
    downloads,
    get confirmed() {
      return confirmed
    },
  }
}

/** @returns the path of the finding's video */
async function videoOf(
  { admin }: Holdfast,
  { id }: Finding,
): Promise<{ readonly path: string; readonly sent: boolean }> {
  const [video] = await admin.query<{ path: string; sent: boolean }>(sql`
    select path, uploaded_at is not null as sent from public.photos
     where finding_id = ${id} and media_type = 'video/webm'`)
  if (!video) throw new Error('the finding has a video')
  return video
}

const videoTile = (page: Page): Locator => tiles(page).last()
const player = (page: Page): Locator => page.getByRole('dialog', { name: 'Video' }).locator('video')

/** Plays the open video, and sees that it goes on. */
async function expectPlays(page: Page): Promise<void> {
  await expect(player(page)).toBeVisible()
  await player(page).evaluate(async (video: HTMLVideoElement) => {
    video.muted = true
    await video.play()
  })
  await expect.poll(() => player(page).evaluate((video: HTMLVideoElement) => video.currentTime)).toBeGreaterThan(0.5)
  expect(await player(page).evaluate((video: HTMLVideoElement) => video.readyState)).toBeGreaterThanOrEqual(2)
}

test('three photos and a video of 40 MB: paused, killed with its tab, sent on from where it was, and the same bytes everywhere', async ({
  arrive,
  holdfast,
}) => {
  test.slow()
  const finding = await makeFinding(holdfast, 'Video: pump is loud')
  const mina = await arrive('mina')
  const dana = await arrive('dana')
  const address = `${mina.home}/t/findings/r/${finding.id}`
  let { page } = mina
  const open = async (): Promise<void> => {
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1, name: finding.title })).toBeVisible()
  }
  await open()
  const picture = await takePicture(page)
  using video = await filmVideo(page, VIDEO_BYTES)
  const parts = watchParts(mina.context)
  const danaParts = watchParts(dana.context)

  await test.step('they are there at once, with a picture and the length of the video', async () => {
    await expect(picker(page)).toHaveAttribute('accept', 'image/*,video/mp4,video/quicktime,video/webm')
    await expect(page.getByText('A video of at most 50 MB is sent as it is.')).toBeVisible()
    mina.link.limitRate(LINE, 'up')
    await picker(page).setInputFiles(['one.jpg', 'two.jpg', 'three.jpg'].map((name) => ({ ...picture, name })))
    await expect(tiles(page)).toHaveCount(3)
    await picker(page).setInputFiles(video.path)
    await expect(tiles(page)).toHaveCount(4)
    await expect(videoTile(page)).toHaveAccessibleName(/^Open Video 4 of 4\. Length 0:0\d\. /)
    await expect(videoTile(page).locator('img')).toBeVisible()
    await expectAccessible(page, 'a finding with a video')
  })

  await test.step('paused, nothing more of it is sent', async () => {
    await expect.poll(() => parts.confirmed, { timeout: SENT_MS }).toBeGreaterThanOrEqual(PART_BYTES)
    await page.goto(`${mina.home}/sync?tab=files`)
    await page.getByRole('button', { name: 'Pause files' }).click()
    await expect(page.getByText('Files are paused on this device.')).toBeVisible()
    const begun = parts.begun.length
    await page.waitForTimeout(3_000)
    expect(parts.begun.length).toBe(begun)
    await expectAccessible(page, 'a video that is paused')
  })

  const confirmed = await test.step('resumed, its tab is killed half way', async () => {
    const before = parts.confirmed
    await page.getByRole('button', { name: 'Resume files' }).click()
    await expect.poll(() => parts.confirmed, { timeout: SENT_MS }).toBeGreaterThanOrEqual(before + PART_BYTES)
    const session = await mina.context.newCDPSession(page)
    const next = await mina.newTab()
    const crashed = page.waitForEvent('crash')
    void session.send('Page.crash').catch(() => undefined)
    await crashed
    await page.close()
    page = next
    return parts.confirmed
  })

  await test.step('opened again, it goes on from where it was', async () => {
    const begun = parts.begun.length
    expect(confirmed).toBeGreaterThanOrEqual(2 * PART_BYTES)
    expect((await videoOf(holdfast, finding)).sent).toBe(false)
    mina.link.limitRate(0, 'up')
    await open()
    await expect(videoTile(page)).toHaveAccessibleName(/^Open Video 4 of 4\. Length 0:0\d$/, { timeout: SENT_MS })
    const later = parts.begun.slice(begun)
    test.info().annotations.push({ type: 'parts', description: JSON.stringify([parts.begun, confirmed]) })
    expect(later.length).toBeGreaterThan(0)
    expect(Math.min(...later)).toBeGreaterThanOrEqual(confirmed)
    expect(parts.begun.filter((offset) => offset === 0)).toHaveLength(1)
  })

  await test.step('the server has the same bytes', async () => {
    const { path } = await videoOf(holdfast, finding)
    const { data } = await (await dana.supabase()).storage.from('record-photos').download(path)
    expect(sha256Of(new Uint8Array((await data?.arrayBuffer()) ?? new ArrayBuffer(0)))).toBe(video.sha256)
    const stored = await holdfast.admin.query(sql`
      select p.width, p.height, p.size, o.metadata ->> 'mimetype' as type from public.photos p
        join storage.objects o on o.bucket_id = 'record-photos' and o.name = p.path
       where p.finding_id = ${finding.id} and p.path = ${path}`)
    expect(stored).toEqual([{ width: 640, height: 360, size: VIDEO_BYTES, type: 'video/webm' }])
  })

  await test.step('another person is offered it, loads it, plays it and gives it a caption', async () => {
    await dana.page.goto(address)
    await expect(videoTile(dana.page)).toHaveAccessibleName('Video 4 of 4. 40.0 MB. Not on this device. Tap to load')
    await expect(tiles(dana.page).nth(2).locator('img')).toBeVisible()
    await expectAccessible(dana.page, 'a video that is not on this device')
    await tiles(dana.page).nth(2).click()
    await expect(dana.page.getByRole('dialog', { name: 'Photo' }).getByRole('img')).toBeVisible()
    await dana.page.keyboard.press('ArrowRight')
    await expect(dana.page.getByRole('button', { name: 'Load the video (40.0 MB)' })).toBeVisible()
    await expectAccessible(dana.page, 'the viewer of a video that is not here')
    expect(danaParts.downloads).toEqual([])
    await dana.page.getByRole('button', { name: 'Load the video (40.0 MB)' }).click()
    await expectPlays(dana.page)
    await expectAccessible(dana.page, 'the viewer of a video')
    const viewer = dana.page.getByRole('dialog', { name: 'Video' })
    for (const name of ['Zoom in', 'Draw on the photo']) {
      await expect(viewer.getByRole('button', { name })).toHaveCount(0)
    }
    expect(await sha256OnDevice(dana.page, VIDEO_BYTES)).toBe(video.sha256)
    await viewer.getByRole('textbox', { name: 'Caption' }).fill('The pump at work')
    await dana.page.keyboard.press('Tab')
    await expect(videoTile(page)).toHaveAccessibleName(/^Open The pump at work\. Video\. Length 0:0\d$/)
    expect(danaParts.downloads).toHaveLength(1)
    expect(danaParts.downloads[0]).not.toContain('/render/')
  })

  await test.step('freed, it is not here off line, and comes back on line as the same bytes', async () => {
    await expectSynced({ ...mina, page, chip: page.getByRole('button', { name: /^Sync: / }) })
    await page.goto(`${mina.home}/sync?tab=files`)
    await page.getByRole('button', { name: 'Free up space' }).click()
    await expect(page.getByText(/ freed$/)).toBeVisible()
    expect(await sha256OnDevice(page, VIDEO_BYTES)).toBeUndefined()
    await mina.goOffline()
    await open()
    await expect(videoTile(page)).toHaveAccessibleName(
      'The pump at work. Video. 40.0 MB. Not on this device. Tap to load',
    )
    await videoTile(page).click()
    await expect(videoTile(page)).toHaveAccessibleName(
      'The pump at work. Video. 40.0 MB. Loads when there is a connection',
    )
    await mina.goOnline()
    await expect(videoTile(page)).toHaveAccessibleName(/^Open The pump at work\. Video\. Length 0:0\d$/, {
      timeout: SENT_MS,
    })
    expect(await sha256OnDevice(page, VIDEO_BYTES)).toBe(video.sha256)
    await videoTile(page).click()
    await expectPlays(page)
  })

  await test.step('deleted, it is gone for everybody', async () => {
    const viewer = page.getByRole('dialog', { name: 'Video' })
    const { path } = await videoOf(holdfast, finding)
    await viewer.getByRole('button', { name: 'Delete' }).click()
    const question = page.getByRole('alertdialog', { name: 'Delete this video?' })
    await question.getByRole('button', { name: 'Delete' }).click()
    await expect(page.getByText('Photo 3 of 3')).toBeVisible()
    await expect(tiles(dana.page)).toHaveCount(3)
    await expect
      .poll(() => holdfast.admin.query(sql`select id from storage.objects where name = ${path}`))
      .toHaveLength(0)
  })
})

test('a video that is too large is refused by the device or the server, with the reason, and its bytes are given back', async ({
  arrive,
  holdfast,
}) => {
  const finding = await makeFinding(holdfast, 'Video: too large')
  const mina = await arrive('mina')
  const { page } = mina
  mina.problems.expect(/Failed to load resource: .* 413/)
  await page.goto(`${mina.home}/t/findings/r/${finding.id}`)
  await expect(page.getByRole('heading', { level: 1, name: finding.title })).toBeVisible()
  using large = await filmVideo(page, 50_000_001)
  using video = await filmVideo(page, 30_000_000)
  await using _ = {
    async [Symbol.asyncDispose]() {
      await holdfast.admin.query(sql`update storage.buckets set file_size_limit = 52428800 where id = 'record-photos'`)
    },
  }
  const problem = page.getByRole('region', { name: /^Photos/ }).getByRole('alert')

  await test.step('the device says it before anything is stored', async () => {
    await picker(page).setInputFiles(large.path)
    await expect(problem).toHaveText(
      'VID_0007.webm: too large. A video has at most 50 MB, so that it gets over a slow network: film a shorter one, or in a lower quality.',
    )
    await picker(page).setInputFiles({ name: 'old.avi', mimeType: 'video/x-msvideo', buffer: Buffer.from('RIFF') })
    await expect(problem).toHaveText(
      'old.avi: this kind of video is not taken here. Save it as MP4, MOV or WEBM, and add it again.',
    )
    await expect(tiles(page)).toHaveCount(0)
  })

  await test.step('the server says it before the bytes are sent', async () => {
    await holdfast.admin.query(sql`update storage.buckets set file_size_limit = 20000000 where id = 'record-photos'`)
    const parts = watchParts(mina.context)
    const answer = page.waitForResponse((response) => response.url().endsWith('/upload/resumable'))
    await picker(page).setInputFiles(video.path)
    expect((await answer).status()).toBe(413)
    await expect(tiles(page)).toHaveAccessibleName(
      /^Open Video 1 of 1\. Length 0:0\d\. Not accepted: the file is too large$/,
    )
    expect(parts.begun).toEqual([])
    await expectAccessible(page, 'a refused video')
  })

  await test.step('the Sync centre gives the same bytes back', async () => {
    await page.goto(`${mina.home}/sync?tab=files`)
    const file = page.getByRole('list', { name: 'Not accepted' }).getByRole('listitem')
    await expect(file).toContainText('Not accepted: the file is too large')
    await expect(file.locator('img')).toBeVisible()
    const saved = page.waitForEvent('download')
    await file.getByRole('button', { name: 'Save a copy' }).click()
    const download = await saved
    expect(download.suggestedFilename()).toMatch(/\.webm$/)
    expect(sha256Of(await readFile(await download.path()))).toBe(video.sha256)
  })

  await test.step('accepted when the bucket takes it, its row shows a picture of it', async () => {
    await holdfast.admin.query(sql`update storage.buckets set file_size_limit = 52428800 where id = 'record-photos'`)
    await page.getByRole('list', { name: 'Not accepted' }).getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByText('All files have been sent')).toBeVisible({ timeout: SENT_MS })
    await expectSynced(mina)
    const asked: string[] = []
    mina.context.on('request', (request) => void asked.push(new URL(request.url()).pathname))
    await mina.openTable('findings', `?q=${encodeURIComponent(finding.title)}`)
    const grid = gridOf(page)
    await expect(grid.row(finding.title).locator('[data-photo-state=linked] img')).toBeVisible()
    await page.goto(`${mina.home}/sync?tab=files`)
    await page.getByRole('button', { name: 'Free up space' }).click()
    await expect(page.getByText(/ freed$/)).toBeVisible()
    await mina.openTable('findings', `?q=${encodeURIComponent(finding.title)}`)
    await expect(grid.row(finding.title).locator('[data-photo-state=evicted] svg')).toBeVisible()
    await expectAccessible(page, 'a row with a video')
    await page.waitForTimeout(1_000)
    expect(asked.filter((path) => path.includes('/render/'))).toEqual([])
  })
})
