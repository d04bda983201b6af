import type { Locator, Page } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { makeActions } from './support/actions.ts'
import { expect, test } from './support/fixtures.ts'
import { actionsThat, gridOf } from './support/grid.ts'

test(
  'two people see each other on a table and a record, and others see neither',
  { tag: '@core' },
  async ({ arrive, holdfast }) => {
    const [action] = await makeActions(holdfast, ['Who is here: an action of the North'])
    const number = action?.number ?? ''
    const sam = await arrive('sam')
    const refusals = refusedJoins(sam.page)
    const [dana, mina] = await Promise.all([arrive('dana'), arrive('mina')])
    await Promise.all([dana, mina, sam].map((person) => person.openTable('actions', actionsThat('Who is here'))))

    await test.step('both see each other, and neither sees the contractor', async () => {
      await expect(alsoHere(dana.page)).toHaveAccessibleName('Also here: Mina Kaya')
      await expect(alsoHere(mina.page)).toHaveAccessibleName('Also here: Dana Okafor')
      await expect.poll(() => refusals.length).toBeGreaterThan(0)
      await expect(alsoHere(sam.page)).toBeHidden()
      await alsoHere(dana.page).click()
      await expect(dana.page.getByRole('dialog', { name: 'Also here' }).getByRole('listitem')).toHaveText(['Mina Kaya'])
      await dana.page.keyboard.press('Escape')
    })

    await test.step('the cell that one is in is framed for the other, and marked while it is edited', async () => {
      await gridOf(dana.page).cell(number, 'Title').click()
      const cursor = mina.page.locator('[data-cursor="Dana Okafor"]')
      await expect(cursor).toBeVisible()
      await expect.poll(() => isOver(cursor, gridOf(mina.page).cell(number, 'Title'))).toBe(true)
      await expect(cursor.locator('svg')).toBeHidden()
      await dana.page.keyboard.press('Enter')
      await expect(cursor.locator('svg')).toBeVisible()
      await dana.page.keyboard.press('Escape')
      await expect(cursor.locator('svg')).toBeHidden()
      await expectAccessible(mina.page, 'grid with the cursor of another')
      await expect(sam.page.locator('[data-cursor]')).toHaveCount(0)
    })

    await test.step('the field of a record that one is in is marked for the other until they leave it', async () => {
      const record = `${dana.home}/t/actions/r/${action?.id}`
      await Promise.all([dana.page.goto(record), mina.page.goto(record)])
      await expect(alsoHere(mina.page)).toHaveAccessibleName('Also here: Dana Okafor')
      await dana.page.getByRole('textbox', { name: 'Title' }).click()
      const mark = mina.page.locator('[data-field="title"]').getByText('Dana Okafor is editing')
      await expect(mark).toBeVisible()
      await expect(mina.page.locator('[data-editors]')).toHaveCount(1)
      await expectAccessible(mina.page, 'record with a field that another is editing')
      await expect(dana.page.locator('[data-editors]')).toHaveCount(0)
      await dana.page.getByRole('textbox', { name: 'Title' }).blur()
      await expect(mark).toBeHidden()
    })

    await test.step('who writes a comment is named to the other until they stop', async () => {
      const record = `${dana.home}/t/actions/r/${action?.id}?tab=comments`
      await Promise.all([dana.page.goto(record), mina.page.goto(record)])
      await expect(alsoHere(mina.page)).toHaveAccessibleName('Also here: Dana Okafor')
      const comment = dana.page.getByRole('textbox', { name: 'Comment' })
      const mark = mina.page.getByText('Dana Okafor is typing …')
      // The first letter may be typed before the others have joined the channel, so typing is repeated.
      await expect(async () => {
        await comment.pressSequentially('ab')
        await expect(mark).toBeVisible({ timeout: 1_500 })
      }).toPass()
      await comment.fill('')
      await expect(mark).toBeHidden()
    })

    await test.step('offline, one is gone for the other and sees no one, and both come back', async () => {
      await dana.goOffline()
      await expect(alsoHere(mina.page)).toBeHidden()
      await expect(alsoHere(dana.page)).toBeHidden()
      await dana.goOnline()
      await expect(alsoHere(mina.page)).toHaveAccessibleName('Also here: Dana Okafor')
      await expect(alsoHere(dana.page)).toHaveAccessibleName('Also here: Mina Kaya')
    })

    await test.step('who goes elsewhere is gone', async () => {
      await dana.page.goto(dana.home)
      await expect(alsoHere(mina.page)).toBeHidden()
    })
  },
)

function alsoHere(page: Page): Locator {
  return page.getByRole('button', { name: /^Also here: / })
}

/** Whether the frame lies over the cell, to the pixel. */
async function isOver(cursor: Locator, cell: Locator): Promise<boolean> {
  const [frame, below] = [await cursor.locator('> div').boundingBox(), await cell.boundingBox()]
  if (!frame || !below) return false
  return (['x', 'y', 'width', 'height'] as const).every((side) => Math.abs(frame[side] - below[side]) <= 1)
}

/** Joins that the server has refused to this page. */
function refusedJoins(page: Page): readonly string[] {
  const refused: string[] = []
  page.on('websocket', (socket) => {
    socket.on('framereceived', ({ payload }) => {
      const text = String(payload)
      if (text.includes('Unauthorized')) refused.push(text)
    })
  })
  return refused
}
