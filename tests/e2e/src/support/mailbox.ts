import { expect, type BrowserContext, type Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'

/** A mail that the server has captured, because no mail server is set up. */
export interface CapturedMail {
  readonly kind: string
  readonly body: string
}

const WAIT_MS = 10_000

/** The newest mail to an address; waits for one, because mails leave after the answer. */
export async function nextMail({ admin }: Holdfast, recipient: string): Promise<CapturedMail> {
  for (const endMs = Date.now() + WAIT_MS; Date.now() < endMs;) {
    const [mail] = await admin.query<CapturedMail>(
      sql`select kind, body from auth.messages where recipient = ${recipient} order by created_at desc limit 1`,
    )
    if (mail) return mail
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`no mail to ${recipient} within ${WAIT_MS} ms`)
}

/** The page of the mail to an address in the mailbox of the server, where its developer reads it: opened in another tab. */
export async function openMail(context: BrowserContext, { url }: Holdfast, recipient: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${url}/mailbox`)
  await page.getByRole('navigation', { name: 'Messages' }).getByRole('link', { name: recipient }).first().click()
  await expect(page.getByText(recipient).last()).toBeVisible()
  return page
}

/** The six digits that a person types. */
export function codeOf({ body }: CapturedMail): string {
  const code = /^Code: (\d{6})$/m.exec(body)?.[1]
  if (code === undefined) throw new Error(`no code in: ${body}`)
  return code
}

/** The link that a person follows; the page behind it asks for a press. */
export function linkOf({ body }: CapturedMail): string {
  const link = /https?:\/\/\S+\/auth\/confirm\?\S+/.exec(body)?.[0]
  if (link === undefined) throw new Error(`no link in: ${body}`)
  return link
}
