import { expectAccessible } from './support/accessibility.ts'
import { auditActions, auditedChanges, makeActions, storedAction } from './support/actions.ts'
import { expectConvergence } from './support/convergence.ts'
import { damageDatabase } from './support/damage.ts'
import { expect, test } from './support/fixtures.ts'
import { actionsThat, gridOf } from './support/grid.ts'
import { changeDevice } from './support/local-device.ts'
import { expectSynced } from './support/person.ts'

test(
  'edits made offline survive a cold start, reach the other person, and are in Postgres exactly once',
  { tag: '@core' },
  async ({ arrive, holdfast }) => {
    const actions = await makeActions(
      holdfast,
      ['first', 'second', 'third', 'fourth'].map((name) => `Offline day: ${name}`),
    )
    await auditActions(holdfast)
    const [dana, mina] = await Promise.all([arrive('dana'), arrive('mina')])
    const [hers, minas] = [gridOf(dana.page), gridOf(mina.page)]
    await Promise.all([dana, mina].map((person) => person.openTable('actions', actionsThat('Offline day'))))
    await expect(hers.row('Offline day')).toHaveCount(4)
    await expect(minas.row('Offline day')).toHaveCount(4)
    await expectAccessible(dana.page, 'grid')
    const numberOf = (place: number): string => actions[place]?.number ?? ''

    await test.step('an edit of one is seen by the other without a reload', async () => {
      await hers.type(numberOf(0), 'Title', 'Offline day: seen by both')
      await minas.expectCell(numberOf(0), 'Title', 'Offline day: seen by both')
      await expectSynced(dana)
    })

    await test.step('offline, edits are on the device at once and counted as waiting', async () => {
      await dana.goOffline()
      await hers.type(numberOf(1), 'Title', 'Offline day: written without a line')
      await hers.choose(numberOf(2), 'State', 'Doing')
      await expect(dana.chip).toHaveAccessibleName('Sync: Offline · 2 waiting')
      await expect(hers.row(numberOf(1)).getByRole('img', { name: 'not sent yet' })).toBeVisible()
      await expectAccessible(dana.page, 'grid with waiting changes')
    })

    await test.step('a cold start without a connection shows them, and more edits join them', async () => {
      await dana.page.reload()
      await hers.expectCell(numberOf(1), 'Title', 'Offline day: written without a line')
      await hers.expectCell(numberOf(2), 'State', 'Doing')
      await hers.expectCell(numberOf(0), 'Title', 'Offline day: seen by both')
      await hers.type(numberOf(3), 'Priority', '1')
      await expect(dana.chip).toHaveAccessibleName('Sync: Offline · 3 waiting')
      await minas.expectCell(numberOf(1), 'Title', 'Offline day: second')
    })

    await test.step('the sync centre lists what waits', async () => {
      await dana.chip.click()
      const menu = dana.page.getByRole('dialog', { name: 'Sync' })
      await expect(menu).toContainText('Offline · 3 waiting')
      await expectAccessible(dana.page, 'sync menu')
      await menu.getByRole('link', { name: 'Sync centre' }).click()
      await expect(dana.page.getByRole('tabpanel', { name: /^Waiting to send/ })).toContainText(
        '3 changes are on this device',
      )
      await expectAccessible(dana.page, 'sync centre, outbox')
      await dana.page.getByRole('tab', { name: 'This device' }).click()
      await expect(dana.page.getByText('This needs a connection.')).toBeVisible()
      await expect(dana.page.getByRole('button', { name: 'Check this device' })).toBeDisabled()
      await dana.page.goBack()
      await expect(hers.row('Offline day')).toHaveCount(4)
    })

    await test.step('a database that was damaged meanwhile is replaced, and what waits is kept', async () => {
      const address = dana.page.url()
      await damageDatabase(dana, '"verified"')
      // Two tabs come back, as when a browser is started again: one of them replaces it.
      const other = await dana.newTab()
      await Promise.all([dana.page.goto(address), other.goto(address)])
      await expect(other.getByRole('button', { name: /^Sync: / })).toHaveAccessibleName('Sync: Offline · 3 waiting')
      await other.close()
      const banner = dana.page.getByRole('status').filter({ hasText: 'The data of this device was damaged.' })
      await expect(banner).toContainText('The 3 changes that were not sent are kept.')
      await expect(dana.chip).toHaveAccessibleName('Sync: Offline · 3 waiting')
      await expectAccessible(dana.page, 'a device whose data was damaged')
      await banner.getByRole('button', { name: 'Dismiss' }).click()
      await expect(banner).toHaveCount(0)
    })

    await test.step('with the line back the other person sees everything', async () => {
      await dana.goOnline()
      await expectSynced(dana)
      await hers.expectCell(numberOf(1), 'Title', 'Offline day: written without a line')
      await minas.expectCell(numberOf(1), 'Title', 'Offline day: written without a line')
      await minas.expectCell(numberOf(2), 'State', 'Doing')
      await minas.expectCell(numberOf(3), 'Priority', '1')
    })

    await test.step('the device compares itself with the server and says that it has everything', async () => {
      await dana.chip.click()
      await dana.page.getByRole('dialog', { name: 'Sync' }).getByRole('link', { name: 'Sync centre' }).click()
      await dana.page.getByRole('tab', { name: 'This device' }).click()
      await dana.page.getByRole('button', { name: 'Check this device' }).click()
      await expect(dana.page.getByText('This device has exactly what the server has for you')).toBeVisible({
        timeout: 60_000,
      })
      await expectAccessible(dana.page, 'a checked device')
    })

    await test.step('rows that a fault changed on the device are found, and fetched again once nothing waits', async () => {
      const [changed, gone, waits] = actions.map(({ id }) => id)
      await changeDevice(dana.page, [
        `update ps_data__actions set data = json_set(data, '$.title', 'Damaged') where id = '${changed}'`,
        `delete from ps_data__actions where id = '${gone}'`,
        `insert into ps_data__sites (id, data) values ('nobody', '{"id":"nobody","name":"Nowhere"}')`,
      ])
      await dana.page.getByRole('button', { name: 'Check again' }).click()
      const found = dana.page.getByRole('status').filter({ hasText: '3 rows on this device differ from the server' })
      await expect(found).toContainText('Actions: 1 missing here, 1 with other values', { timeout: 60_000 })
      await expect(found).toContainText('Sites: 1 only here')
      await expectAccessible(dana.page, 'a device that differs')

      await dana.goOffline()
      await changeDevice(dana.page, [`update actions set priority = 2 where id = '${waits}'`])
      const repair = found.getByRole('button', { name: 'Repair' })
      await expect(found).toContainText('1 change must be sent or discarded first.')
      await expect(repair).toBeDisabled()
      await dana.goOnline()
      await repair.click()
      await expectSynced(dana)
    })

    expect(
      await auditedChanges(
        holdfast,
        actions.map(({ id }) => id),
      ),
    ).toEqual([
      { title: 'Offline day: first', fields: { title: 'Offline day: seen by both' } },
      { title: 'Offline day: second', fields: { title: 'Offline day: written without a line' } },
      { title: 'Offline day: third', fields: { state: 'doing' } },
      { title: 'Offline day: fourth', fields: { priority: 1 } },
      { title: 'Offline day: third', fields: { priority: 2 } },
    ])
    expect(await storedAction(holdfast, actions[2]?.id ?? '')).toMatchObject({ state: 'doing' })
    await expectConvergence(dana, ['actions', 'sites'])
    await expectConvergence(mina, ['actions'])

    await test.step('who leaves a shared device leaves neither their choices nor where they looked at a map', async () => {
      await dana.page.evaluate(async () => {
        localStorage.setItem('hf-lists', '{"actions":true}')
        await (await caches.open('holdfast-map')).put('/a-tile', new Response('tile'))
      })
      await dana.page.getByRole('button', { name: 'Sign out and remove' }).click()
      await dana.page.getByRole('alertdialog').getByRole('button', { name: 'Sign out and remove' }).click()
      await expect(dana.page).toHaveURL(/\/sign-in/)
      const left = (): Promise<readonly (string | null | boolean)[]> =>
        dana.page.evaluate(async () => [localStorage.getItem('hf-lists'), await caches.has('holdfast-map')])
      await expect.poll(left).toEqual([null, false])
    })
  },
)
