import type { Page } from '@playwright/test'
import { countTaps, ownVisits } from '../support/checklists.ts'
import { expect, test } from '../support/fixtures.ts'
import { expectSynced, signIn, type Person } from '../support/person.ts'
import { tiles } from '../support/photos.ts'
import { openView, PHONE, picture } from '../support/pictures.ts'

/** What a finding is called whose words are left empty. */
const FINDING = 'Is the way in clear and safe? No'

const show = (page: Page, name: string): Promise<void> => picture(page, `tutorial/newcomers-minute/${name}`)

/** A photo of the sample, as a camera would give it. */
async function findPhoto(person: Person): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const { data, error } = await (await person.supabase()).storage.from('record-photos').download('northline/01.png')
  if (error) throw error
  return { name: 'IMG_0042.png', mimeType: 'image/png', buffer: Buffer.from(await data.arrayBuffer()) }
}

test("a newcomer's minute", async ({ arrive }) => {
  const mina = await arrive('mina', { ...PHONE, until: 'signed-out' })
  const { page } = mina

  await page.goto('/sign-in')
  await expect(page.getByRole('textbox', { name: 'E-mail' })).toBeVisible()
  await show(page, '1-sign-in')
  await signIn(page, mina.email)
  await expectSynced(mina)
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  await openView(mina, 'Overdue – my region')
  await expect(page.getByRole('list', { name: 'Actions, list' }).getByRole('button').first()).toBeVisible()
  await mina.goOffline()
  await expect(mina.chip).toHaveAccessibleName('Sync: Offline')
  await show(page, '2-overdue')

  const photo = await findPhoto(mina)
  const taps = countTaps()
  await taps.tap(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Capture' }))
  const visit = ownVisits(page).first()
  await expect(visit).toBeVisible()
  await show(page, '3-capture')
  await taps.tap(visit)
  await taps.tap(page.getByRole('radio', { name: 'No', exact: true }))
  await expect(page.getByRole('button', { name: 'Add finding' })).toBeVisible()
  await show(page, '4-question')
  await taps.tap(page.getByRole('button', { name: 'Add finding' }))
  const choosing = page.waitForEvent('filechooser')
  await taps.tap(page.getByRole('button', { name: 'Take photo' }))
  await (await choosing).setFiles([photo])
  await expect(page.getByText('1 photo on this device')).toBeVisible()
  await show(page, '5-finding')
  await taps.tap(page.getByRole('button', { name: 'Save finding' }))
  await expect(page.getByText(`Finding: ${FINDING}`)).toBeVisible()
  await expect(mina.chip).toHaveAccessibleName(/^Sync: Offline · \d+ waiting$/)
  await show(page, '6-saved-off-line')
  expect(taps.count).toBe(6)

  await mina.goOnline()
  await expectSynced(mina)
  await show(page, '7-sent')

  const dana = await arrive('dana', { viewport: { width: 1280, height: 800 } })
  const lead = await dana.supabase()
  const { data } = await lead
    .from('findings')
    .select('id')
    .eq('title', FINDING)
    .order('created_at', { ascending: false })
    .limit(1)
    .single()
  await dana.page.goto(`${dana.home}/t/findings/r/${(data as { id: string }).id}`)
  await expect(dana.page.getByRole('heading', { level: 1, name: FINDING })).toBeVisible()
  await expect(dana.page.getByText('On this device and on the server')).toBeVisible()
  await expect(tiles(dana.page).locator('img')).toHaveCount(1)
  await show(dana.page, '8-the-lead')
})
