import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from '@holdfast/postgres'
import { expect, test } from './support/fixtures.ts'
import { expectSynced } from './support/person.ts'
import { isOfBytes, makeFinding, picker, takePicture, tiles } from './support/photos.ts'

/** How many photos are taken. 100, the most that a record takes, at night. */
const PHOTOS = Number(process.env['HOLDFAST_PHOTOS'] ?? 6)
/** About what a photo takes on a busy machine, prepared and sent, in milliseconds. */
const PHOTO_MS = 15_000
/** A line on which the bytes of a photo take seconds, in bytes a second. */
const BAD_LINE = 100_000
/** The prepared bytes of the test's picture, at least. */
const PHOTO_BYTES_MIN = 50_000

test(`${PHOTOS} photos taken off line: their rows go at once on a bad line, their bytes after them`, async ({
  arrive,
  holdfast,
}) => {
  test.setTimeout(300_000 + PHOTOS * PHOTO_MS)
  const finding = await makeFinding(holdfast, 'Many photos: a whole station')
  const mina = await arrive('mina')
  const { page, link } = mina
  await page.goto(`${mina.home}/t/findings/r/${finding.id}`)
  await expect(page.getByRole('heading', { level: 1, name: finding.title })).toBeVisible()
  const { buffer } = await takePicture(page)
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-pictures-'))
  const paths = Array.from({ length: PHOTOS }, (_, index) => join(folder, `IMG_${index}.jpg`))
  for (const path of paths) writeFileSync(path, buffer)
  const onServer = async (): Promise<{ rows: number; sent: number; bytes: number } | undefined> =>
    (
      await holdfast.admin.query<{ rows: number; sent: number; bytes: number }>(sql`
        select count(*)::int as rows, count(p.uploaded_at)::int as sent, coalesce(sum((o.metadata->>'size')::int), 0)::int as bytes
          from public.photos p left join storage.objects o on o.bucket_id = 'record-photos' and o.name = p.path
         where p.finding_id = ${finding.id}`)
    )[0]

  await test.step('off line they are shown as they are prepared, one after the other', async () => {
    await mina.goOffline()
    await picker(page).setInputFiles(paths)
    await expect(tiles(page)).toHaveCount(PHOTOS, { timeout: 60_000 + PHOTOS * PHOTO_MS })
    await expect(tiles(page).locator('img')).toHaveCount(PHOTOS)
    rmSync(folder, { recursive: true })
  })

  await test.step('all rows reach the server while the bytes of not one photo can', async () => {
    await mina.context.route(isOfBytes, (route) => route.abort())
    link.limitRate(BAD_LINE, 'up')
    await mina.goOnline()
    await expect.poll(onServer, { timeout: 120_000 }).toEqual({ rows: PHOTOS, sent: 0, bytes: 0 })
    await mina.context.unroute(isOfBytes)
  })

  await test.step('then their bytes go up on the same line', async () => {
    await page.evaluate(() => globalThis.dispatchEvent(new Event('online')))
    await expect.poll(async () => (await onServer())?.sent, { timeout: 60_000 + PHOTOS * PHOTO_MS }).toBe(PHOTOS)
    expect((await onServer())?.bytes).toBeGreaterThan(PHOTOS * PHOTO_BYTES_MIN)
    await expectSynced(mina)
  })
})
