import type { Locator, Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'
import { expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'
import { expectSynced } from './support/person.ts'
import { picker, takePicture, tiles } from './support/photos.ts'

/*
 * Photos of an inspection: those of the sample are stored files, one that is taken off line gets there, and what is drawn on it goes with its row.
 */

interface Inspected {
  readonly id: string
  readonly photos: number
}

/** An inspection of the North with one photo, of its own and drawn on. */
async function findInspection({ admin }: Holdfast): Promise<Inspected> {
  const [inspection] = await admin.query<Inspected>(sql`
    select p.inspection_id as id, count(*)::int as photos
      from public.photos p join public.inspections i on i.id = p.inspection_id
      join public.sites s on s.id = i.site_id join public.regions r on r.id = s.region_id
     where r.name = 'North' and s.status <> 'decommissioned'
     group by p.inspection_id
    having bool_and(p.finding_id is null) and count(*) = 1 and bool_or(p.annotation is not null)
     order by p.inspection_id limit 1`)
  if (!inspection) throw new Error('the sample has an inspection of the North with a photo that is drawn on')
  return inspection
}

/** Drags with the mouse, in parts of the picture's width and height. */
async function drag(page: Page, picture: Locator, from: readonly [number, number], to: readonly [number, number]) {
  const box = await picture.boundingBox()
  if (!box) throw new Error('the picture is on the screen')
  const at = ([x, y]: readonly [number, number]): readonly [number, number] => [
    box.x + box.width * x,
    box.y + box.height * y,
  ]
  await page.mouse.move(...at(from))
  await page.mouse.down()
  await page.mouse.move(...at(to), { steps: 6 })
  await page.mouse.up()
}

test('a photo of an inspection is taken and drawn on off line, and others of its region see both', async ({
  arrive,
  holdfast,
}) => {
  const inspection = await findInspection(holdfast)
  const mina = await arrive('mina')
  const dana = await arrive('dana')
  const { page } = mina
  const address = `${mina.home}/t/inspections/r/${inspection.id}`
  const viewer = page.getByRole('dialog', { name: 'Photo' })
  const marks = (of: Page, count: string): Locator => of.getByRole('img', { name: `${count} drawn on the photo` })

  await test.step('the photo of the sample is a stored picture, with what is drawn on it', async () => {
    await page.goto(address)
    await expect(tiles(page)).toHaveCount(inspection.photos)
    await expect(tiles(page).locator('img')).toBeVisible()
    await tiles(page).click()
    await expect(marks(page, '1 mark')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(viewer).toHaveCount(0)
    await dana.page.goto(address)
    await expect(tiles(dana.page).locator('img')).toBeVisible()
  })

  await test.step('off line a photo is added and drawn on; Escape ends the drawing, then closes', async () => {
    const picture = await takePicture(page)
    await mina.goOffline()
    await picker(page).setInputFiles([picture])
    await expect(tiles(page)).toHaveCount(inspection.photos + 1)
    await expect(tiles(page).last()).toHaveAccessibleName(/^Open Photo 2 of 2/)
    await tiles(page).last().click()
    const shown = viewer.getByRole('img', { name: 'Photo 2 of 2' })
    await expect(shown).toBeVisible()
    await viewer.getByRole('button', { name: 'Draw on the photo' }).click()
    await viewer.getByRole('radio', { name: 'Arrow' }).click()
    await drag(page, shown, [0.4, 0.5], [0.5, 0.25])
    await expect(marks(page, '1 mark')).toBeVisible()
    await viewer.getByRole('radio', { name: 'Line' }).click()
    await drag(page, shown, [0.45, 0.7], [0.55, 0.8])
    await expect(marks(page, '2 marks')).toBeVisible()
    await expectAccessible(page, 'a photo that is drawn on')
    await viewer.getByRole('button', { name: 'Undo' }).click()
    await expect(marks(page, '1 mark')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(viewer.getByRole('radio', { name: 'Arrow' })).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(viewer).toHaveCount(0)
  })

  await test.step('on line the other person gets the picture and the mark', async () => {
    await mina.goOnline()
    await expect(tiles(dana.page)).toHaveCount(inspection.photos + 1)
    await expect(tiles(dana.page).last().locator('img')).toBeVisible({ timeout: 60_000 })
    await tiles(dana.page).last().click()
    await expect(marks(dana.page, '1 mark')).toBeVisible()
    await expectSynced(mina)
  })

  await test.step('Postgres has one row of the inspection, and a contractor neither row nor bytes', async () => {
    const [row, ...more] = await holdfast.admin.query<{ path: string; annotation: { shapes: object[] } }>(sql`
      select path, annotation from public.photos
       where inspection_id = ${inspection.id} and path not like 'northline/%' and finding_id is null and uploaded_at is not null`)
    expect(more).toEqual([])
    const shapes = row?.annotation.shapes
    expect(shapes).toMatchObject([{ kind: 'arrow' }])
    // The picture stands in the middle of the viewer: up and down are as they were drawn.
    const [{ from, to }] = shapes as unknown as readonly [{ readonly from: number[]; readonly to: number[] }]
    expect(Math.round((from[1] ?? 0) / 5)).toBe(10)
    expect(Math.round((to[1] ?? 0) / 5)).toBe(5)
    const sam = await (await arrive('sam', { until: 'signed-out' })).supabase()
    expect((await sam.from('photos').select('id').eq('inspection_id', inspection.id)).data).toEqual([])
    const refused = await sam.storage.from('record-photos').download(row?.path ?? '')
    expect(refused.error).toMatchObject({ message: 'Object not found' })
  })
})
