import type { Page } from '@playwright/test'

/** The server tells this device nothing of the rules for writing, as one does that cannot: what they forbid is offered, and comes back. */
export async function withoutWriteRules(page: Page): Promise<void> {
  await page.route('**/sync/v1/write-rules', (route) => route.fulfill({ json: { version: '', tables: {}, facts: {} } }))
}
