import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'
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
    await session.send('Emulation.setDataSaverOverride', { dataSaverEnabled })
    await page.reload()
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
    await expectSynced(mina)
  })
})
