import type { Page } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import type { Person } from '../support/person.ts'
import { picker, tiles } from '../support/photos.ts'
import { openView, PHONE, picture as pictureBelowDocs } from '../support/pictures.ts'

const DESKTOP = { width: 1280, height: 800 }

const picture = (page: Page, name: string): Promise<void> => pictureBelowDocs(page, `images/${name}`)

const VALVES = [
  'valve ref,size (mm),state,last service,serviced by',
  ...Array.from({ length: 48 }, (_, at) =>
    [
      `V-${String(at + 1).padStart(5, '0')}`,
      50 + (at % 6) * 25,
      ['in store', 'ordered', 'scrapped'][at % 3],
      at === 20 ? 'unknown' : `${(at % 28) + 1}/09/2026`,
      ['North', 'North', ''][at % 3],
    ].join(),
  ),
].join('\n')

test('at a desk', async ({ arrive }) => {
  const mina = await arrive('mina', { viewport: DESKTOP })
  await mina.page.goto(mina.home)
  await expect(mina.page.getByRole('region', { name: 'My work' }).getByRole('link').first()).toBeVisible()
  // It comes late, as the last part of the side bar.
  await expect.soft(mina.page.getByRole('link', { name: /^Inbox ?, \d+ unread$/ })).toBeVisible()
  await picture(mina.page, 'home')

  const dana = await arrive('dana', { viewport: DESKTOP })
  const { page, home } = dana
  await openView(dana, 'Overdue – my region')
  await expect(
    page
      .getByRole('treegrid')
      .or(page.getByRole('grid'))
      .getByText(/ACT-\d+/)
      .first(),
  ).toBeVisible()
  await picture(page, 'grid')
  await openView(dana, 'By state')
  await expect(page.getByText('Doing').first()).toBeVisible()
  await expect(page.getByText(/ACT-\d+/).first()).toBeVisible()
  await picture(page, 'board')
  await openView(dana, 'Schedule')
  await expect(page.getByText(/INS-\d+/).first()).toBeVisible()
  await picture(page, 'calendar')
  await openView(dana, 'Map')
  await expect(page.getByText('20 sites')).toBeVisible()
  await picture(page, 'map')

  const client = await dana.supabase()
  const idOf = async (table: string, number: string): Promise<string> => {
    const { data } = await client.from(table).select('id').eq('number', number).single()
    return (data as { id: string }).id
  }
  await page.goto(`${home}/t/actions/r/${await idOf('actions', 'ACT-02223')}`)
  await expect(page.getByRole('region', { name: 'Progress' })).toBeVisible()
  await expect(page.getByText('On this device and on the server')).toBeVisible()
  await picture(page, 'record')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Arrange the fields' }).click()
  await expect(page.getByRole('dialog', { name: 'Fields of Actions' })).toBeVisible()
  await picture(page, 'arrange-fields')
  await page.keyboard.press('Escape')

  await page.goto(`${home}/inbox`)
  await expect(page.getByText(/commented/).first()).toBeVisible()
  await picture(page, 'inbox')

  await page.goto(`${home}/import?new=true`)
  await page.locator('input[type=file]').setInputFiles({
    name: 'spare-valves.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(VALVES),
  })
  await expect(page.getByRole('button', { name: /^Make the table/ })).toBeVisible()
  await picture(page, 'new-table')

  await page.evaluate(() => localStorage.setItem('hf-language', 'de'))
  await page.goto(`${home}/t/actions`)
  await expect(page.getByRole('grid').getByText('Geprüft').first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Auf dem neuesten Stand' })).toBeVisible()
  await picture(page, 'german')
})

/** The finding with the most photos of those that a person sees, and where their bytes are. */
async function findPhotos(person: Person): Promise<{ readonly finding: string; readonly paths: readonly string[] }> {
  const client = await person.supabase()
  const { data } = await client.from('photos').select('finding_id, path').not('finding_id', 'is', null).order('id')
  const byFinding = Map.groupBy((data ?? []) as { finding_id: string; path: string }[], (row) => row.finding_id)
  const [most] = [...byFinding].toSorted((a, b) => b[1].length - a[1].length)
  if (!most) throw new Error('the sample has findings with photos')
  const [finding, rows] = most
  return { finding, paths: rows.map(({ path }) => path) }
}

test('photos', async ({ arrive }) => {
  const dana = await arrive('dana', { viewport: DESKTOP })
  const { finding, paths } = await findPhotos(dana)
  await dana.page.goto(`${dana.home}/t/findings/r/${finding}`)
  await expect(tiles(dana.page).locator('img')).toHaveCount(paths.length)
  await tiles(dana.page).first().click()
  await expect(dana.page.getByRole('dialog').getByRole('img').first()).toBeVisible()
  await picture(dana.page, 'photo-viewer')
  await dana.page.keyboard.press('Escape')

  const phone = await arrive('dana', { ...PHONE })
  const { page } = phone
  await page.goto(`${phone.home}/t/findings/r/${finding}`)
  await expect(tiles(page).locator('img')).toHaveCount(paths.length)
  const { data: bytes } = await (await phone.supabase()).storage.from('record-photos').download(paths[0] ?? '')
  await phone.goOffline()
  const buffer = Buffer.from(bytes ? await bytes.arrayBuffer() : new ArrayBuffer(0))
  await picker(page).setInputFiles({ name: 'IMG_0042.jpg', mimeType: bytes?.type ?? '', buffer })
  await expect(tiles(page).locator('img')).toHaveCount(paths.length + 1)
  await expect(page.getByText('Waiting').first()).toBeVisible()
  await picture(page, 'photos-phone')
})

test('on a phone', async ({ arrive }) => {
  const mina = await arrive('mina', { ...PHONE })
  const { page, home } = mina
  await openView(mina, 'Overdue – my region')
  await expect(page.getByRole('list', { name: 'Actions, list' }).getByRole('button').first()).toBeVisible()
  await picture(page, 'list-phone')

  await page.goto(`${home}/capture`)
  await page.getByRole('link', { name: 'Pump condition', exact: true }).tap()
  await expect(page.getByRole('heading', { level: 1, name: 'Pump condition' })).toBeVisible()
  await picture(page, 'capture-phone')
})
