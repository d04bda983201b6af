import type { Page } from '@playwright/test'
import { actionsThat, gridOf } from './support/grid.ts'
import { makeActions } from './support/actions.ts'
import { expect, test } from './support/fixtures.ts'
import { holdDatabaseFile } from './support/held-file.ts'
import { readRows } from './support/local-device.ts'

/** How often a tab is closed in the middle of its queries. 200 at night. */
const CLOSED_TABS = Number(process.env['HOLDFAST_CLOSED_TABS'] ?? 3)
/** About what it takes to open a tab, to let it read, and to close it, on a busy machine. Milliseconds. */
const TAB_MS = 15_000
/** How long a tab may take to show its rows, on a machine that does other things as well. Milliseconds. */
const OPEN_MS = 60_000
/** Enough that some of them are under way when the tab goes. */
const QUERIES = 4

test('a query waits for a file that the browser has not taken from a closed tab yet', async ({ arrive, holdfast }) => {
  const [action] = await makeActions(holdfast, ['Held: one'])
  if (!action) throw new Error('an action was made')
  const sam = await arrive('sam')
  await sam.openTable('actions', actionsThat('Held:'))

  const held = await holdDatabaseFile(sam, { afterLockMs: 1_500 })
  expect(held.files).toHaveLength(1)
  const grid = gridOf(sam.page)
  await grid.type(action.number, 'Estimated hours', '7.5', '7.50')
  // The cell shows what was typed while the change waits for the file, too.
  await expect
    .poll(() => readRows(sam.page, 'select est_hours from actions where id = ?', [action.id]))
    .toEqual([{ est_hours: '7.50' }])
  await held.isFree
})

test(`${CLOSED_TABS} tabs are closed in the middle of their queries, and no query of the tab that stays fails`, async ({
  arrive,
}) => {
  test.setTimeout(120_000 + CLOSED_TABS * TAB_MS)
  const sam = await arrive('sam')
  // A closed tab's worker that was loading SQLite says that its request was cut. What the tab that stays asks is judged below.
  sam.problems.expect(/^(wasm streaming compile failed: TypeError: Failed to fetch|falling back to ArrayBuffer)/)
  await sam.openTable('actions')
  let stays = sam.page
  for (let closed = 0; closed < CLOSED_TABS; closed++) {
    const next = await sam.newTab()
    await next.goto(`${sam.home}/t/actions`)
    await expect(next.getByRole('grid'), `tab ${closed + 1}`).toBeVisible({ timeout: OPEN_MS })
    const leaves = stays
    stays = next
    // What the closed tab asked ends with it.
    const lost = askOften(leaves).catch(() => undefined)
    const answers = askOften(stays)
    await leaves.waitForTimeout(closed % 25)
    await leaves.close()
    expect(new Set(await answers).size, `answers after tab ${closed + 1} was closed`).toBe(1)
    await lost
    await expect(stays.getByRole('grid').getByRole('row').nth(1)).toBeVisible()
  }
})

/** Many questions to the local database at once. */
async function askOften(page: Page): Promise<readonly string[]> {
  const answers = Array.from({ length: QUERIES }, () => readRows(page, 'select count(*) as rows from ps_crud'))
  return (await Promise.all(answers)).map((rows) => JSON.stringify(rows))
}
