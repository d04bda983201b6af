import { sql } from '@holdfast/postgres'
import { expect, test } from './support/fixtures.ts'
import { readRows } from './support/local-device.ts'
import { expectSynced, type Person } from './support/person.ts'
import { type Finding, isOfBytes, makeFinding, picker, takePicture, tiles } from './support/photos.ts'

/*
 * The space that photos of others take on a device: it is never more than the person chose.
 */

/** Puts a photo on the server, as another device would. */
async function putPhoto(person: Person, finding: Finding, bytes: Buffer): Promise<void> {
  const client = await person.supabase()
  const { data } = await client.auth.getUser()
  const id = crypto.randomUUID()
  const path = `${data.user?.id}/${id}.jpg`
  const row = { id, finding_id: finding.id, path, media_type: 'image/jpeg', size: bytes.length }
  const { error } = await client.from('photos').insert(row)
  if (error) throw error
  const stored = await client.storage.from('record-photos').upload(path, bytes, { contentType: 'image/jpeg' })
  if (stored.error) throw stored.error
  const sent = await client.from('photos').update({ uploaded_at: new Date().toISOString() }).eq('id', id)
  if (sent.error) throw sent.error
}

test('photos of others take no more space than was chosen: the one opened longest ago goes, what was not sent stays', async ({
  arrive,
  holdfast,
}) => {
  const findings = await Promise.all(['A', 'B', 'C', 'mine'].map((name) => makeFinding(holdfast, `Limit: ${name}`)))
  const [a, b, c, mine] = findings
  if (!a || !b || !c || !mine) throw new Error('findings were made')
  const mina = await arrive('mina')
  const { page } = mina
  const { buffer } = await takePicture(page)
  for (const finding of [a, b, c]) await putPhoto(mina, finding, buffer)
  const open = async ({ id, title }: Finding): Promise<void> => {
    await page.goto(`${mina.home}/t/findings/r/${id}`)
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
  }
  const load = async (finding: Finding, isAsked = false): Promise<void> => {
    await open(finding)
    if (isAsked) {
      await expect(tiles(page)).toHaveAccessibleName('Photo 1 of 1. Not on this device. Tap to load')
      await tiles(page).click()
    }
    await expect(tiles(page)).toHaveAccessibleName('Open Photo 1 of 1')
    await expect(tiles(page).locator('img')).toBeVisible()
  }
  /** The photos whose bytes are on this device, by the last word of their findings. */
  const here = async (): Promise<readonly unknown[]> => {
    const rows = await readRows(
      page,
      `select f.title from hf_local_files l join photos p on p.id = l.id join findings f on f.id = p.finding_id
        where l.bytes_name is not null and f.title like 'Limit: %' order by f.title`,
    )
    return rows.map(({ title }) => title)
  }

  await test.step('a photo that cannot go up is taken first', async () => {
    await mina.context.route(isOfBytes, (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    mina.problems.expectCutLine()
    await open(mine)
    await picker(page).setInputFiles([{ name: 'IMG_0042.jpg', mimeType: 'image/jpeg', buffer }])
    await expect(tiles(page)).toHaveAccessibleName(/^Open Photo 1 of 1\. On this device/)
  })

  await test.step('with room for two, the third takes the place of the one that was opened longest ago', async () => {
    await page.evaluate(
      (bytes) => localStorage.setItem('hf-photo-space', String(bytes)),
      Math.round(buffer.length * 2.5),
    )
    await load(a)
    await load(b)
    await expect.poll(here).toEqual([a.title, b.title, mine.title])
    await load(c)
    await expect.poll(here).toEqual([b.title, c.title, mine.title])
    // A photo that is loaded again counts as new, which makes B the oldest. Removed photos come back only on request.
    await load(a, true)
    await expect.poll(here).toEqual([a.title, c.title, mine.title])
  })

  await test.step('what was taken here can be opened all the same, and goes up in the end', async () => {
    await open(mine)
    await expect(tiles(page).locator('img')).toBeVisible()
    await mina.context.unrouteAll()
    await page.evaluate(() => globalThis.dispatchEvent(new Event('online')))
    await expect
      .poll(() =>
        holdfast.admin.query(sql`
          select o.name is not null as is_stored from public.photos p
            left join storage.objects o on o.bucket_id = 'record-photos' and o.name = p.path where p.finding_id = ${mine.id}`),
      )
      .toEqual([{ is_stored: true }])
    await expectSynced(mina)
  })

  await test.step('the Sync centre says what is taken, and another limit is chosen there', async () => {
    await page.goto(`${mina.home}/sync?tab=files`)
    await page.getByRole('button', { name: /At most kept here/ }).click()
    await page.getByRole('option', { name: '100 MB' }).click()
    await expect(page.getByRole('button', { name: /At most kept here/ })).toContainText('100 MB')
    expect(await page.evaluate(() => localStorage.getItem('hf-photo-space'))).toBe('100000000')
  })
})
