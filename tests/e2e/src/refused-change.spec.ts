import type { Locator } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { makeActions, storedAction } from './support/actions.ts'
import { expectConvergence } from './support/convergence.ts'
import { expect, test } from './support/fixtures.ts'
import { actionsThat, gridOf } from './support/grid.ts'
import { readDevice } from './support/local-device.ts'
import { expectSynced } from './support/person.ts'

test(
  'a change that a policy refuses waits for the person with the reason, and what came after it is accepted',
  { tag: '@core' },
  async ({ arrive, holdfast }) => {
    const [verified, other] = await makeActions(holdfast, ['Refused: verified', 'Refused: other'], 'to_verify')
    if (!verified || !other) throw new Error('two actions were made')
    const sam = await arrive('sam', { knowsRules: false })
    const { page } = sam
    const grid = gridOf(page)
    await sam.openTable('actions', actionsThat('Refused:'))
    await expect(grid.row('Refused:')).toHaveCount(2)

    await test.step('a contractor verifies an action offline, and edits another', async () => {
      await sam.goOffline()
      await grid.choose(verified.number, 'State', 'Verified')
      await grid.type(other.number, 'Estimated hours', '7.5', '7.50')
      await expect(sam.chip).toHaveAccessibleName('Sync: Offline · 2 waiting')
    })

    await test.step('online, the first is refused and the second accepted', async () => {
      await sam.goOnline()
      await expect(sam.chip).toHaveAccessibleName('Sync: 1 needs attention')
      await expect.poll(async () => (await storedAction(holdfast, other.id)).est_hours).toBe(7.5)
      expect((await storedAction(holdfast, verified.id)).state).toBe('to_verify')
      await grid.expectCell(verified.number, 'State', 'To verify')
      await expect(grid.row(verified.number).getByRole('img', { name: 'not accepted' })).toBeVisible()
    })

    const card = page.getByRole('article', { name: 'Not accepted: action Refused: verified' })
    await test.step('home leads to it', async () => {
      await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Home' }).click()
      await page
        .getByRole('region', { name: 'Not accepted' })
        .getByRole('link', { name: /^Refused: verified/ })
        .click()
      await expect(card).toBeVisible()
      await page.goBack()
    })

    await test.step('the sync centre says who refused it and why, beside the server’s value', async () => {
      await sam.chip.click()
      await page.getByRole('dialog', { name: 'Sync' }).getByRole('link', { name: 'Sync centre' }).click()
      await expect(card).toBeVisible()
      await expect(card).toContainText('Only a lead')
      await card.getByRole('button', { name: /^Details: HF-SYNC-/ }).click()
      await expect(card).toContainText('verify_by_supervisor')
      await expect(card.getByRole('row', { name: /^State/ })).toContainText(/Verified.*To verify/)
      await expectAccessible(page, 'needs attention')
      const { rejected } = await readDevice(page)
      expect(rejected).toMatchObject([
        { verdict: { status: 'error', sqlstate: '42501', policies: ['verify_by_supervisor'] } },
      ])
    })

    await test.step('discarded, the record is as the server has it', async () => {
      await card.getByRole('button', { name: 'Discard' }).click()
      const dialog = page.getByRole('alertdialog', { name: 'Discard this change?' })
      await expectAccessible(page, 'discard dialog')
      await dialog.getByRole('button', { name: 'Discard' }).click()
      await expect(page.getByText('Nothing needs your attention')).toBeVisible()
      await expectSynced(sam)
      await sam.openTable('actions', actionsThat('Refused:'))
      await grid.expectCell(verified.number, 'State', 'To verify')
      await expect(grid.row(verified.number).getByRole('img', { name: 'not accepted' })).toBeHidden()
      await expectConvergence(sam, ['actions', 'findings', 'sites'])
    })

    await test.step('refused once more, edited and sent again it is accepted', async () => {
      await grid.choose(verified.number, 'State', 'Verified')
      await expect(sam.chip).toHaveAccessibleName('Sync: 1 needs attention')
      await sam.chip.click()
      await page.getByRole('dialog', { name: 'Sync' }).getByRole('link', { name: 'Sync centre' }).click()
      await card.getByRole('button', { name: 'Edit and send again' }).click()
      const dialog = page.getByRole('dialog', { name: 'Edit action “Refused: verified”' })
      await dialog.getByRole('button', { name: /State/ }).click()
      await page.getByRole('option', { name: 'Doing' }).click()
      await expectAccessible(page, 'edit and send again')
      await dialog.getByRole('button', { name: 'Send again' }).click()
      await expect(dialog).toBeHidden()
      await expectSynced(sam)
      await expect(page.getByText('Nothing needs your attention')).toBeVisible()
      await expect.poll(async () => (await storedAction(holdfast, verified.id)).state).toBe('doing')
      await expectConvergence(sam, ['actions'])
    })
  },
)

test('after a refused state, hours go up by themselves and the next state waits in plain sight, and is sent when the first is given up', async ({
  arrive,
  holdfast,
}) => {
  const [action] = await makeActions(holdfast, ['Waits: one'], 'to_verify')
  if (!action) throw new Error('an action was made')
  const sam = await arrive('sam', { knowsRules: false })
  const { page } = sam
  const grid = gridOf(page)
  await sam.openTable('actions', actionsThat('Waits:'))
  await expect(grid.row('Waits:')).toHaveCount(1)
  await sam.goOffline()
  await grid.choose(action.number, 'State', 'Verified')
  await grid.type(action.number, 'Estimated hours', '9', '9.00')
  await grid.choose(action.number, 'State', 'Doing')
  await sam.goOnline()
  await expect(sam.chip).toHaveAccessibleName('Sync: 1 needs attention')
  await expect.poll(() => storedAction(holdfast, action.id)).toMatchObject({ est_hours: 9, state: 'to_verify' })

  await sam.chip.click()
  await page.getByRole('dialog', { name: 'Sync' }).getByRole('link', { name: 'Sync centre' }).click()
  const card = page.getByRole('article', { name: 'Not accepted: action Waits: one' })
  await test.step('what waits is shown with its value', async () => {
    const waiting = card.getByRole('region', { name: '1 later change waits for your decision' })
    await expect(waiting).toContainText('Change State of action')
    await expect(waiting).toContainText('Doing')
    await expectAccessible(page, 'a change that waits')
  })

  await test.step('every field can be edited', async () => {
    await card.getByRole('button', { name: 'Edit and send again' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit action “Waits: one”' })
    await dialog.getByRole('button', { name: /other fields of the record/ }).click()
    const title = dialog.getByRole('textbox', { name: 'Title' })
    await expect(title).toHaveValue('Waits: one')
    await expectAccessible(page, 'edit every field')
    await title.fill('')
    await expect(title, 'what is emptied does not come back').toHaveValue('')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await expect(dialog).toBeHidden()
  })

  await test.step('giving up the first sends it', async () => {
    await card.getByRole('button', { name: 'Discard' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Discard this change?' })
    await expect(dialog).toContainText('1 later change that waits for it is sent.')
    await expectAccessible(page, 'discard, and send what waits')
    await dialog.getByRole('button', { name: 'Discard', exact: true }).click()
    await expect(page.getByText('Nothing needs your attention')).toBeVisible()
    await expect.poll(async () => (await storedAction(holdfast, action.id)).state).toBe('doing')
    await expectSynced(sam)
    await expectConvergence(sam, ['actions'])
  })
})

test('a conflict shows both sides, and the person keeps theirs or their own', async ({ arrive, holdfast }) => {
  const [first, second] = await makeActions(holdfast, ['Conflict: first', 'Conflict: second'])
  if (!first || !second) throw new Error('two actions were made')
  const dana = await arrive('dana')
  const { page } = dana
  const grid = gridOf(page)
  await dana.openTable('actions', actionsThat('Conflict:'))
  await expect(grid.row('Conflict:')).toHaveCount(2)
  await dana.goOffline()
  for (const { number } of [first, second]) await grid.choose(number, 'State', 'Doing')
  for (const { id } of [first, second])
    await holdfast.admin.execute(
      sql`update public.actions set state = 'blocked', blocked_reason = 'no parts' where id = ${id}`,
    )
  await dana.goOnline()
  await expect(dana.chip).toHaveAccessibleName('Sync: 2 need attention')
  await dana.chip.click()
  await page.getByRole('dialog', { name: 'Sync' }).getByRole('link', { name: 'Sync centre' }).click()
  const cardOf = (name: string): Locator =>
    page.getByRole('article', { name: `Not accepted: action Conflict: ${name}` })

  await test.step('both values are side by side', async () => {
    await expect(cardOf('first')).toContainText('Another person changed this record in the meantime')
    await expect(cardOf('first').getByRole('row', { name: /^State/ })).toContainText(/Doing.*Blocked/)
    await expectAccessible(page, 'conflict')
  })

  await test.step('mine is written, theirs stays', async () => {
    await cardOf('first').getByRole('button', { name: 'Keep mine' }).click()
    await expect(cardOf('first')).toBeHidden()
    await expect.poll(async () => (await storedAction(holdfast, first.id)).state).toBe('doing')
    await cardOf('second').getByRole('button', { name: 'Keep theirs' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click()
    await expectSynced(dana)
    expect((await storedAction(holdfast, second.id)).state).toBe('blocked')
  })
})
