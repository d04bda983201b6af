import { createHash } from 'node:crypto'
import type { Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'
import { expect } from './fixtures.ts'

export const OPERATOR_PASSWORD = 'four words of an operator'

/** Returns the link that a fresh server prints. Journeys share a server, so those before may have used it: their operators are removed. */
export async function firstOperatorLink({ internal, consoleUrl = '' }: Holdfast): Promise<string> {
  const key = new URLSearchParams(new URL(consoleUrl).hash.slice(1)).get('key') ?? ''
  await internal.execute(sql`delete from holdfast_console.operators`)
  await internal.execute(sql`
    insert into holdfast_console.invitations (key_hash, role, expires_at)
    values (${createHash('sha256').update(key).digest()}, 'owner', now() + interval '1 hour') on conflict do nothing`)
  return consoleUrl
}

/** Enters name and password of a new operator. */
export async function acceptInvitation(page: Page, name: string): Promise<void> {
  await page.getByLabel('Your name').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(OPERATOR_PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
}

/** Opens the console as its first operator. */
export async function openConsole(page: Page, holdfast: Holdfast, name: string): Promise<void> {
  await page.goto(await firstOperatorLink(holdfast))
  await page.getByLabel('Email address').fill(`${name.split(' ')[0]?.toLowerCase() ?? ''}@ops.example`)
  await acceptInvitation(page, name)
}

/** Opens a screen of the console by its navigation. */
export async function openScreen(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name, exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeFocused()
}
