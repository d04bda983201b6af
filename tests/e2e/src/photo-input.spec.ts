import type { CDPSession, Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { expect, test } from './support/fixtures.ts'
import { foreignFiles } from './support/foreign-files.ts'
import { expectSynced } from './support/person.ts'
import { makeFinding, picker, takePicture, tiles } from './support/photos.ts'

/*
 * How pictures get to a record on a desktop (paste, drop), and how fingers move in the viewer on a phone.
 */

/** Puts a picture on the page's own clipboard or drag, and has the browser tell of it. */
async function give(page: Page, how: 'paste' | 'drop', selector: string): Promise<void> {
  const picture = await takePicture(page)
  const base64 = picture.buffer.toString('base64')
  await page.evaluate(
    ([kind, target, data]) => {
      const bytes = Uint8Array.from(atob(data ?? ''), (sign) => sign.charCodeAt(0))
      const transfer = new DataTransfer()
      transfer.items.add(new File([bytes], `${kind}.jpg`, { type: 'image/jpeg' }))
      transfer.items.add(new File(['no picture'], 'notes.txt', { type: 'text/plain' }))
      const element = document.querySelector(target ?? '')
      const common = { bubbles: true, cancelable: true, composed: true }
      if (kind === 'paste') {
        element?.dispatchEvent(new ClipboardEvent('paste', { ...common, clipboardData: transfer }))
        return
      }
      element?.dispatchEvent(new DragEvent('dragover', { ...common, dataTransfer: transfer }))
      element?.dispatchEvent(new DragEvent('drop', { ...common, dataTransfer: transfer }))
    },
    [how, selector, base64],
  )
}

test('a picture is pasted anywhere but into a field, dropped on the photos, and chosen among files that are none', async ({
  arrive,
  holdfast,
}) => {
  const finding = await makeFinding(holdfast, 'Photo input: pump house')
  const mina = await arrive('mina')
  const { page } = mina
  const { promise: asked, resolve: tellAsked } = Promise.withResolvers<void>()
  const { promise: pasted, resolve: tellPasted } = Promise.withResolvers<void>()
  await page.route('**/rest/v1/photos*', async (route) => {
    tellAsked()
    await pasted
    await route.continue()
  })
  await page.goto(`${mina.home}/t/findings/r/${finding.id}`)
  await expect(page.getByRole('heading', { level: 1, name: finding.title })).toBeVisible()

  const problem = page.getByRole('region', { name: /^Photos/ }).getByRole('alert')
  // While the server is asked whether she may.
  await asked
  await expect(page.getByText('Of a photo only the picture is kept: where it was taken is not.')).toBeVisible()
  await give(page, 'paste', 'h1')
  await expect(tiles(page)).toHaveCount(1)
  await expect(problem).toHaveCount(0)
  tellPasted()
  await give(page, 'drop', 'section:has([data-testid=photo-files])')
  await expect(tiles(page)).toHaveCount(2)
  await expect(problem).toHaveText(
    'notes.txt: this browser cannot read it as a picture. Save as JPEG or PNG, and add again.',
  )
  // A text that is pasted into a field belongs to the field, pictures beside it as well.
  await give(page, 'paste', 'input:not([type=file])')
  await give(page, 'paste', 'h1')
  await expect(tiles(page)).toHaveCount(3)

  using foreign = await foreignFiles(page, (await takePicture(page)).buffer)
  await picker(page).setInputFiles([...foreign.unreadable, ...foreign.readable])
  await expect(tiles(page)).toHaveCount(3 + foreign.readable.length)
  await expect(problem).toHaveText(
    'broken.jpg: this browser cannot read it as a picture. Save as JPEG or PNG, and add again. ' +
      'empty.jpg: there is nothing in the file. Choose it again. clip.mp4: too large. A video has at most 50 MB, so that it gets over a slow network: film a shorter one, or in a lower quality.',
  )
  await expectSynced(mina)
  const stored = await holdfast.admin.query(sql`
    select p.media_type, o.metadata ->> 'mimetype' as stored_type, p.width, count(*)::int as photos
      from public.photos p join storage.objects o on o.bucket_id = 'record-photos' and o.name = p.path
     where p.finding_id = ${finding.id} group by p.media_type, stored_type, p.width order by p.width`)
  expect(stored).toEqual([
    { media_type: 'image/jpeg', stored_type: 'image/jpeg', width: 64, photos: foreign.readable.length },
    { media_type: 'image/jpeg', stored_type: 'image/jpeg', width: 1_365, photos: 3 },
  ])
})

interface Finger {
  readonly x: number
  readonly y: number
}

/** Moves fingers over the screen, as the browser gets it from a touch screen. */
async function drag(session: CDPSession, from: readonly Finger[], to: readonly Finger[]): Promise<void> {
  const steps = 8
  const at = (step: number): { x: number; y: number; id: number }[] =>
    from.map((finger, id) => ({
      x: finger.x + (((to[id]?.x ?? finger.x) - finger.x) * step) / steps,
      y: finger.y + (((to[id]?.y ?? finger.y) - finger.y) * step) / steps,
      id,
    }))
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0) })
  for (let step = 1; step <= steps; step++) {
    await session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(step) })
  }
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

test('on a phone a swipe goes on, two fingers zoom, and a zoomed photo is moved', async ({ arrive, holdfast }) => {
  const finding = await makeFinding(holdfast, 'Photo input: reservoir')
  const mina = await arrive('mina', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  const { page } = mina
  await page.goto(`${mina.home}/t/findings/r/${finding.id}`)
  await expect(page.getByRole('heading', { level: 1, name: finding.title })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Take a photo' })).toBeVisible()
  const picture = await takePicture(page)
  await picker(page).setInputFiles([picture, { ...picture, name: 'two.jpg' }])
  await expect(tiles(page)).toHaveCount(2)
  await expect(tiles(page).first()).toHaveAccessibleName(/^Open Photo 1 of 2/)
  await tiles(page).first().tap()
  const viewer = page.getByRole('dialog', { name: 'Photo' })
  const shown = viewer.getByRole('img')
  await expect(viewer.getByText('Photo 1 of 2')).toBeVisible()
  await expect(shown).toBeVisible()
  const session = await page.context().newCDPSession(page)
  const zoomOut = viewer.getByRole('button', { name: 'Zoom out' })

  await drag(session, [{ x: 300, y: 400 }], [{ x: 90, y: 410 }])
  await expect(viewer.getByText('Photo 2 of 2')).toBeVisible()
  await drag(session, [{ x: 90, y: 400 }], [{ x: 300, y: 410 }])
  await expect(viewer.getByText('Photo 1 of 2')).toBeVisible()

  await drag(
    session,
    [
      { x: 180, y: 400 },
      { x: 210, y: 400 },
    ],
    [
      { x: 90, y: 400 },
      { x: 300, y: 400 },
    ],
  )
  await expect(zoomOut).toBeEnabled()
  let before = await shown.boundingBox()
  await expect
    .poll(async () => {
      const last = before
      before = await shown.boundingBox()
      return before?.x === last?.x && before?.width === last?.width
    }, 'the zoom has come to rest')
    .toBe(true)
  await drag(session, [{ x: 200, y: 400 }], [{ x: 140, y: 350 }])
  await expect.poll(async () => Math.round((await shown.boundingBox())?.x ?? 0)).toBe(Math.round((before?.x ?? 0) - 60))
  // A zoomed photo is moved, and stays the same photo.
  await expect(viewer.getByText('Photo 1 of 2')).toBeVisible()
  await drag(
    session,
    [
      { x: 60, y: 400 },
      { x: 330, y: 400 },
    ],
    [
      { x: 190, y: 400 },
      { x: 200, y: 400 },
    ],
  )
  await expect(zoomOut).toBeDisabled()
})
