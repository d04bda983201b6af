import { setTimeout as delay } from 'node:timers/promises'
import { createRandom, seedOf, type FaultyLink, type Random } from '@holdfast/test-support'
import { actionsThat, gridOf } from './support/grid.ts'
import { auditActions, auditedChanges, makeActions, storedAction } from './support/actions.ts'
import { expectConvergence } from './support/convergence.ts'
import { expect, test } from './support/fixtures.ts'
import { watchTexts } from './support/held-database.ts'
import { expectSynced } from './support/person.ts'

/** A dead line is noticed within 15 s; a busy machine takes longer for everything. Milliseconds. */
const NOTICE_MS = 40_000
/** How many edits are made on a line that breaks all the time. 500 at night. */
const EDITS = Number(process.env['HOLDFAST_FLAKY_EDITS'] ?? 20)
/** About what an edit takes on a busy machine, in milliseconds. */
const EDIT_MS = 6_000
/** One edit in this many has the line break while it is made, this many milliseconds after its start at most. */
const BREAK_EVERY = 2
const BREAK_MS_MAX = 500

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
  await gridOf(sam.page).type(action.number, 'Estimated hours', '7.5', '7.50')
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

/** Cuts the line, or loses the answer to the next upload. */
function breakLine(link: FaultyLink, random: Random): void {
  if (random.below(2) === 0) link.cut()
  else link.breakRequests({ head: 'POST /sync/v1/upload', at: 'answer', count: 1 })
}

test(`${EDITS} edits on a line that is cut all the time are in Postgres once each, in their order`, async ({
  arrive,
  holdfast,
}) => {
  test.setTimeout(300_000 + EDITS * EDIT_MS)
  const actions = await makeActions(holdfast, ['Flaky: one', 'Flaky: two'])
  await auditActions(holdfast)
  const sam = await arrive('sam')
  const grid = gridOf(sam.page)
  await sam.openTable('actions', actionsThat('Flaky:'))
  await expect(grid.row('Flaky:')).toHaveCount(2)
  sam.problems.expectCutLine()
  const random = createRandom(seedOf('HOLDFAST_SEED'))
  const edits = Array.from({ length: EDITS }, (_, place) => ({ action: actions[place % 2], hours: place + 3 }))
  for (const [place, { action, hours }] of edits.entries()) {
    // The line breaks by the number of edits, not by time: on a fast machine as often as on a slow one.
    const breaking =
      place % BREAK_EVERY === 0 ? delay(random.below(BREAK_MS_MAX)).then(() => breakLine(sam.link, random)) : undefined
    await grid.type(action?.number ?? '', 'Estimated hours', String(hours), hours.toFixed(2))
    await breaking
  }
  sam.link.breakRequests({ head: '', at: 'answer', count: 0 })
  await expectSynced(sam)

  for (const action of actions) {
    // The chip may not have counted the last edit yet when it is looked at.
    await expect
      .poll(async () => (await auditedChanges(holdfast, [action.id])).map(({ fields }) => fields['est_hours']))
      .toEqual(edits.filter((edit) => edit.action === action).map(({ hours }) => hours))
  }
  await expectConvergence(sam, ['actions'])
})
