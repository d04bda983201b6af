import { writeFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { comeToRest } from '../support/accessibility.ts'
import { expect, test } from '../support/fixtures.ts'
import { expectSynced, type Person } from '../support/person.ts'

const FOLDER = new URL('../../../../docs/images/', import.meta.url)
const BYTES_MAX = 150_000
const DESKTOP = { width: 1280, height: 800 }
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const

/** Writes what the window shows; with less quality where it would be too large for a page. */
async function picture(page: Page, name: string): Promise<void> {
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
    await writeFile(new URL(`${name}.webp`, FOLDER), bytes)
    break
  }
  await session.detach()
}

/** Opens a saved view by its name. */
async function openView({ page, home, ...person }: Person, name: string): Promise<void> {
  const client = await person.supabase()
  const { data } = await client.schema('holdfast').from('views').select('id, table_name').eq('name', name).single()
  const { id, table_name: table } = data as { id: string; table_name: string }
  await page.goto(`${home}/t/${table}/v/${id}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expectSynced({ page, home, ...person })
}

test('at a desk', async ({ arrive }) => {
  const mina = await arrive('mina', { viewport: DESKTOP })
  await mina.page.goto(mina.home)
  await expect(mina.page.getByRole('region', { name: 'My work' }).getByRole('link').first()).toBeVisible()
  // It comes late, as the last part of the side bar.
  await expect.soft(mina.page.getByRole('link', { name: /^Inbox ?, \d+ unread$/ })).toBeVisible()
  await picture(mina.page, 'home')

  const dana = await arrive('dana', { viewport: DESKTOP })
  const { page, home } = dana
  await openView(dana, 'By state')
  await expect(page.getByText('Doing').first()).toBeVisible()
  await expect(page.getByText(/ACT-\d+/).first()).toBeVisible()
  await picture(page, 'board')
  await openView(dana, 'Schedule')
  await expect(page.getByText(/INS-\d+/).first()).toBeVisible()
  await picture(page, 'calendar')
  await openView(dana, 'Map')
  await expect(page.getByText('20 sites')).toBeVisible()
  await picture(page, 'map')

  const client = await dana.supabase()
  const idOf = async (table: string, number: string): Promise<string> => {
    const { data } = await client.from(table).select('id').eq('number', number).single()
    return (data as { id: string }).id
  }
  await page.goto(`${home}/t/actions/r/${await idOf('actions', 'ACT-02223')}`)
  await expect(page.getByRole('region', { name: 'Progress' })).toBeVisible()
  await expect(page.getByText('On this device and on the server')).toBeVisible()
  await picture(page, 'record')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Arrange the fields' }).click()
  await expect(page.getByRole('dialog', { name: 'Fields of Actions' })).toBeVisible()
  await picture(page, 'arrange-fields')
  await page.keyboard.press('Escape')

  await page.goto(`${home}/inbox`)
  await expect(page.getByText(/commented/).first()).toBeVisible()
  await picture(page, 'inbox')
})

test('on a phone', async ({ arrive }) => {
  const mina = await arrive('mina', { ...PHONE })
  const { page, home } = mina
  await openView(mina, 'Overdue – my region')
  await expect(page.getByRole('list', { name: 'Actions, list' }).getByRole('button').first()).toBeVisible()
  await picture(page, 'list-phone')

  await page.goto(`${home}/capture`)
  await page.getByRole('link', { name: 'Pump condition', exact: true }).tap()
  await expect(page.getByRole('heading', { level: 1, name: 'Pump condition' })).toBeVisible()
  await picture(page, 'capture-phone')
})
