import { expectAccessible } from './support/accessibility.ts'
import { auditActions, auditedChanges, makeActions, storedAction } from './support/actions.ts'
import { expectConvergence } from './support/convergence.ts'
import { expect, test } from './support/fixtures.ts'
import { actionsThat, gridOf } from './support/grid.ts'
import { expectSynced } from './support/person.ts'

test('edits made offline survive a cold start, reach the other person, and are in Postgres exactly once', async ({
  arrive,
  holdfast,
}) => {
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

  await test.step('with the line back the other person sees everything', async () => {
    await dana.goOnline()
    await expectSynced(dana)
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
  ])
  expect(await storedAction(holdfast, actions[2]?.id ?? '')).toMatchObject({ state: 'doing' })
  await expectConvergence(dana, ['actions'])
  await expectConvergence(mina, ['actions'])
})
