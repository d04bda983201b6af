import { mkdir, writeFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'
import { comeToRest } from './accessibility.ts'
import { expectSynced, type Person } from './person.ts'

const DOCS = new URL('../../../../docs/', import.meta.url)
const BYTES_MAX = 150_000
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const

/**
 * Writes what the window shows; with less quality where it would be too large for a page.
 *
 * @param name - of the file below `docs`, without its ending
 */
export async function picture(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0)
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  await page.waitForFunction(() => [...document.images].every((image) => image.complete))
  await comeToRest(page)
  const session = await page.context().newCDPSession(page)
  for (const quality of [88, 75, 60]) {
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality })
    const bytes = Buffer.from(data, 'base64')
    if (bytes.length > BYTES_MAX && quality > 60) continue
    expect(bytes.length, `bytes of ${name}`).toBeLessThanOrEqual(BYTES_MAX)
    const file = new URL(`${name}.webp`, DOCS)
    await mkdir(new URL('.', file), { recursive: true })
    await writeFile(file, bytes)
    break
  }
  await session.detach()
}

/** Opens a saved view by its name. */
export async function openView({ page, home, ...person }: Person, name: string): Promise<void> {
  const client = await person.supabase()
  const { data } = await client.schema('holdfast').from('views').select('id, table_name').eq('name', name).single()
  const { id, table_name: table } = data as { id: string; table_name: string }
  await page.goto(`${home}/t/${table}/v/${id}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expectSynced({ page, home, ...person })
}
