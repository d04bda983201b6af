import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'
import { setDeviceFull } from './support/full-device.ts'
import { gridOf } from './support/grid.ts'
import { readDevice } from './support/local-device.ts'
import { expectSynced } from './support/person.ts'
import { makeFinding, picker, takePicture, tiles } from './support/photos.ts'

/*
 * What photos cost: a network that is paid for, a device that is full, and space that is given back.
 */

test('photos wait on a network that costs, a full device says so, and space is given back', async ({
  arrive,
  holdfast,
}) => {
  const finding = await makeFinding(holdfast, 'Photo space: intake')
  const mina = await arrive('mina')
  const { page } = mina
  const address = `${mina.home}/t/findings/r/${finding.id}`
  await page.goto(address)
  await expect(page.getByRole('heading', { level: 1, name: finding.title })).toBeVisible()
  const picture = await takePicture(page)
  const session = await page.context().newCDPSession(page)
  // Chromium on a desktop does not tell what kind of network it has; that a person saves data it tells everywhere.
  const setSavesData = async (dataSaverEnabled: boolean): Promise<void> => {
    // Without the app meanwhile: a photo that begins to go up before the page is loaded again goes up twice, and the console tells of the second time.
    await page.goto('about:blank')
    await session.send('Emulation.setDataSaverOverride', { dataSaverEnabled })
    await page.goto(address)
    await expect(page.getByRole('region', { name: /^Photos/ })).toBeVisible()
  }

  await test.step('where data is saved the photo waits, and its row does not', async () => {
    await setSavesData(true)
    await picker(page).setInputFiles([picture])
    await expect(tiles(page)).toHaveAccessibleName(
      'Open Photo 1 of 1. On this device, waits for a network that costs nothing',
    )
    await expect(page.getByRole('button', { name: /^Sync: 1 file waiting/ })).toBeVisible()
  })

  await test.step('the person may send it all the same', async () => {
    await expect
      .poll(() => holdfast.admin.query(sql`select uploaded_at from public.photos where finding_id = ${finding.id}`))
      .toEqual([{ uploaded_at: null }])
    await page.goto(`${mina.home}/sync?tab=files`)
    await expect(page.getByText('This network may cost. They wait for another one.')).toBeVisible()
    await expectAccessible(page, 'files that wait for a network')
    await page.getByRole('button', { name: 'Send anyway' }).click()
    await expect(page.getByText('All files have been sent')).toBeVisible()
    await expectSynced(mina)
  })

  await test.step('freed, the photo leaves this device and comes again when it is asked for', async () => {
    await page.getByRole('button', { name: 'Free up space' }).click()
    await expect(page.getByText(/ freed$/)).toBeVisible()
    await mina.openTable('findings', `?q=${encodeURIComponent(finding.title)}`)
    // Its row shows a small picture of it, made by the server.
    const cell = page.getByRole('gridcell', { name: /Photo space: intake, 1 photo/ })
    await expect(cell.locator('[data-photo-state=evicted] img')).toBeVisible()
    await expectAccessible(page, 'a row with a photo')
    // It is there without the server too, after a reload.
    await expect
      .poll(async () => (await readDevice(page, 'select count(*) as kept from hf_local_pictures')).rows)
      .toEqual([{ kept: 1 }])
    await mina.goOffline()
    await page.reload()
    await expect(cell.locator('[data-photo-state=evicted] img')).toBeVisible()
    await mina.goOnline()
    await page.goto(address)
    await expect(tiles(page)).toHaveAccessibleName('Photo 1 of 1. Not on this device. Tap to load')
    await tiles(page).click()
    await expect(tiles(page)).toHaveAccessibleName('Open Photo 1 of 1')
    await expect(tiles(page).locator('img')).toBeVisible()
  })

  await test.step('a device without room adds nothing and says what to do', async () => {
    // SQLite prints what its own file was refused meanwhile.
    mina.problems.expect(/short write|QuotaExceededError/)
    const { origin } = new URL(page.url())
    await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1_000 })
    await picker(page).setInputFiles([picture])
    const problem = page.getByRole('region', { name: /^Photos/ }).getByRole('alert')
    await expect(problem).toContainText('This device is full. Free up space in the Sync centre')
    await expect(tiles(page)).toHaveCount(1)
    await expectAccessible(page, 'a finding on a full device')
    await session.send('Storage.overrideQuotaForOrigin', { origin })
    await picker(page).setInputFiles([picture])
    await expect(tiles(page)).toHaveCount(2)
    // Only what the server has as well can be freed below.
    await setSavesData(false)
    await expect(tiles(page).nth(1)).toHaveAccessibleName('Open Photo 2 of 2')
    await expect
      .poll(() =>
        holdfast.admin.query(
          sql`select id from public.photos where finding_id = ${finding.id} and uploaded_at is not null`,
        ),
      )
      .toHaveLength(2)
    await expectSynced(mina)
    // The app has already removed photos that the server has, before it told the user that there is no space.
    await expect(tiles(page).first()).toHaveAccessibleName('Photo 1 of 2. Not on this device. Tap to load')
    await tiles(page).first().click()
    await expect(tiles(page).first()).toHaveAccessibleName('Open Photo 1 of 2')
  })

  const storedTitles = async (): Promise<readonly string[]> =>
    (
      await holdfast.admin.query<{ title: string }>(sql`select title from public.findings where id = ${finding.id}`)
    ).map(({ title }) => title)
  const note = 'Not stored: this device is full. Free up space, then'

  await test.step('a field that cannot be stored keeps its text, says why, and is stored once there is room', async () => {
    await setDeviceFull(page, session, true)
    const field = page.getByRole('textbox', { name: 'Title' })
    await field.fill('Photo space: outlet')
    await field.press('Enter')
    await expect(page.getByText(`${note} enter it again.`)).toBeVisible()
    await expect(field).toHaveValue('Photo space: outlet')
    const banner = page.getByRole('status').filter({ hasText: 'Not stored: change of Title.' })
    await expect(banner).toContainText('This device is full.')
    await expectAccessible(page, 'a change that was not stored')
    await setDeviceFull(page, session, false)
    await field.press('Enter')
    await expect(page.getByText(note)).toHaveCount(0)
    await expect(banner).toHaveCount(0)
    await expect.poll(storedTitles).toEqual(['Photo space: outlet'])
  })

  await test.step('so does a cell, and the banner makes room', async () => {
    await mina.openTable('findings', `?q=${encodeURIComponent('Photo space:')}`)
    const grid = gridOf(page)
    await expect(grid.cell('Photo space: outlet', 'Title')).toBeVisible()
    await setDeviceFull(page, session, true)
    await grid.cell('Photo space: outlet', 'Title').dblclick()
    const editor = page.getByRole('textbox', { name: 'Edit Title' })
    await editor.fill('Photo space: weir')
    await editor.press('Enter')
    await expect(page.getByRole('alert').filter({ hasText: `${note} press Enter.` })).toBeVisible()
    await expect(editor).toHaveValue('Photo space: weir')
    await page.getByRole('button', { name: /^Free up .* of photos$/ }).click()
    await expect(page.getByText('This device is still full.')).toBeVisible()
    await setDeviceFull(page, session, false)
    await editor.press('Enter')
    await expect.poll(storedTitles).toEqual(['Photo space: weir'])
    await expectSynced(mina)
  })
})
