import { actionsThat, gridOf } from './support/grid.ts'
import { makeActions, storedAction } from './support/actions.ts'
import { expect, test } from './support/fixtures.ts'
import { watchTexts } from './support/held-database.ts'
import { expectSynced } from './support/person.ts'

/** A dead line is noticed within 15 s; a busy machine takes longer for everything. Milliseconds. */
const NOTICE_MS = 40_000

test('the chip tells of a line that is open and passes nothing, and what was written meanwhile is sent', async ({
  arrive,
  holdfast,
}) => {
  const [action] = await makeActions(holdfast, ['Dead line: one'])
  if (!action) throw new Error('an action was made')
  const sam = await arrive('sam')
  await sam.openTable('actions', actionsThat('Dead line:'))
  await expectSynced(sam)

  sam.link.stall()
  await expect(sam.chip).toHaveAccessibleName('Sync: Checking…', { timeout: NOTICE_MS })
  await expect(sam.chip).toHaveAccessibleName(/^Sync: No answer since \d?\d:\d\d$/, { timeout: NOTICE_MS })
  await gridOf(sam.page).type(action.number, 'Estimated hours', '7.5')
  await sam.chip.click()
  await expect(sam.page.getByText('1 change on this device is not sent yet.')).toBeVisible()
  await sam.page.keyboard.press('Escape')

  sam.link.flow()
  await expectSynced(sam)
  await expect.poll(async () => (await storedAction(holdfast, action.id)).est_hours).toBe(7.5)
})

test('a first connection that is slow is being made, and not offline', async ({ arrive }) => {
  const sam = await arrive('sam')
  sam.link.stall()
  await sam.page.reload()
  await expect(sam.chip).toHaveAccessibleName('Sync: Connecting')
  const watched = await watchTexts(sam.page, /Offline|No answer/)
  // Nothing has come for so long that the app asks whether the server is there.
  await sam.page.waitForRequest((request) => request.url().endsWith('/health'), { timeout: NOTICE_MS })
  expect(await watched.seen()).toEqual([])
  await expect(sam.chip).toHaveAccessibleName('Sync: Connecting')
  sam.link.flow()
  await expectSynced(sam)
})
