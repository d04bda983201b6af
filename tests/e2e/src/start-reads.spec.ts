import type { Page } from '@playwright/test'
import { expect, test } from './support/fixtures.ts'
import { expectSynced } from './support/person.ts'

/**
 * How often a start takes the connection of SQLite until the first rows of a table are on the screen. Each time costs three round trips to its worker, one after
 * the other; there were 40 before reads went together (decision 129). 13 in November 2026, with room for a few more.
 */
const TURNS_MAX = 16

/** Requests for the connection that the page had made until its first row. */
async function turnsUntilRows(page: Page): Promise<number> {
  return page.evaluate(() => (globalThis as unknown as { readonly turns: number }).turns)
}

/** Counts in the page; the SDK asks its worker for the connection by a message. */
function countTurns(): void {
  const counted = globalThis as unknown as { turns: number }
  counted.turns = 0
  let hasRows = false
  const changes = new MutationObserver(() => {
    hasRows = document.querySelector('[role=grid] [role=gridcell]') !== null
    if (hasRows) changes.disconnect()
  })
  changes.observe(document, { childList: true, subtree: true })
  const post = MessagePort.prototype.postMessage
  MessagePort.prototype.postMessage = function (this: MessagePort, ...message: Parameters<typeof post>) {
    const [call] = message as unknown as [{ readonly path?: readonly string[] } | null | undefined]
    if (!hasRows && call?.path?.[0] === 'requestAccess') counted.turns += 1
    post.apply(this, message)
  } as typeof post
}

test('a start reads what a screen needs together, the rows in sight first', async ({ arrive }) => {
  const sam = await arrive('sam')
  const { page } = sam
  await sam.openTable('actions')
  await expectSynced(sam)
  await page.addInitScript(countTurns)
  await page.reload()
  await expect(page.getByRole('grid').getByRole('row').nth(1)).toBeVisible({ timeout: 120_000 })
  const turns = await turnsUntilRows(page)
  test.info().annotations.push({ type: 'turns until the first rows', description: String(turns) })
  expect(turns).toBeGreaterThan(0)
  expect(turns).toBeLessThanOrEqual(TURNS_MAX)
})
