import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, type Browser, type Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { openHoldfast } from '@holdfast/test-support'
import { findExample, projectOf, runExample } from './run-example.ts'

// The to-do lists of PowerSync's demo for the web, on the tables that the same repository has for them.

const DEMO = 'demos/react-supabase-todolist'

/** The demo has no SQL of its own; that of the other one for the web is of the same tables. */
const TABLES = 'demos/react-native-web-supabase-todolist'

const PASSWORD = 'a long password 1'

test('a list of the demo of PowerSync, made on one device, is on another, and what was done offline follows', async ({
  browser,
}) => {
  const folder = findExample(DEMO)
  const tables = findExample(TABLES)
  test.skip(folder === undefined || tables === undefined, `no checkout in HOLDFAST_EXAMPLES has ${DEMO} and ${TABLES}`)
  if (folder === undefined || tables === undefined) return
  using project = projectOf({ '1_database.sql': readFileSync(join(tables, 'database.sql'), 'utf8') })
  await using holdfast = await openHoldfast({ args: project.args })
  await using example = await runExample({
    folder,
    envFile: '.env.local',
    env: {
      VITE_SUPABASE_URL: holdfast.url,
      VITE_SUPABASE_ANON_KEY: holdfast.anonKey,
      VITE_POWERSYNC_URL: holdfast.url,
      VITE_USE_POWERSYNC_CHECKPOINT_REQUESTS: 'false',
    },
    devArgs: (port) => ['--host', '127.0.0.1', '--port', String(port), '--strictPort'],
  })
  console.log(`${DEMO}: ${example.versions}`)
  const email = `mara-${randomUUID().slice(0, 8)}@example.org`
  const first = await openDevice(browser, example.url)

  await test.step('a person registers, and what the database made for them is there', async () => {
    await first.page.getByRole('button', { name: 'Register' }).click()
    await enter(first.page, email, 'Register')
    await expect(first.page.getByText('Shopping list')).toBeVisible({ timeout: 120_000 })
  })

  await test.step('they make a list and a task', async () => {
    await add(first.page, 'List Name', 'Boat trip')
    await first.page.getByText('Boat trip').click()
    await add(first.page, 'Task Name', 'Life jackets')
    await expect(first.page.getByText('Life jackets')).toBeVisible()
  })

  const second = await openDevice(browser, example.url)
  await test.step('another device of theirs has both', async () => {
    await enter(second.page, email, 'Login')
    await second.page.getByText('Boat trip').click({ timeout: 120_000 })
    await expect(second.page.getByText('Life jackets')).toBeVisible()
  })

  await test.step('a task that is done there is done here', async () => {
    await second.page.getByText('Life jackets').click()
    await expect(first.page.getByTestId('CheckBoxIcon')).toBeVisible()
  })

  await test.step('what was added without a network follows once there is one', async () => {
    await first.context.setOffline(true)
    await add(first.page, 'Task Name', 'Sun cream')
    await expect(first.page.getByText('Sun cream')).toBeVisible()
    expect(await holdfast.admin.query(sql`select id from public.todos where description = 'Sun cream'`)).toEqual([])
    await first.context.setOffline(false)
    await expect(second.page.getByText('Sun cream')).toBeVisible({ timeout: 120_000 })
  })

  await test.step('nobody else has any of it', async () => {
    const other = await openDevice(browser, example.url)
    await other.page.getByRole('button', { name: 'Register' }).click()
    await enter(other.page, `lin-${randomUUID().slice(0, 8)}@example.org`, 'Register')
    await expect(other.page.getByText('Shopping list')).toBeVisible({ timeout: 120_000 })
    await expect(other.page.getByText('Boat trip')).toBeHidden()
  })

  const rows = await holdfast.admin.query(sql`
    select t.description, t.completed from public.todos t join public.lists l on l.id = t.list_id where l.name = 'Boat trip' order by 1`)
  expect(rows).toEqual([
    { description: 'Life jackets', completed: true },
    { description: 'Sun cream', completed: false },
  ])
})

async function openDevice(
  browser: Browser,
  url: string,
): Promise<{ readonly page: Page; readonly context: Awaited<ReturnType<Browser['newContext']>> }> {
  const context = await browser.newContext()
  const page = await context.newPage()
  // A page that does not begin is blank, and says nothing else.
  page.on('pageerror', (error) => console.log(error.message))
  await page.goto(url)
  return { page, context }
}

async function enter(page: Page, email: string, submit: string): Promise<void> {
  await page.getByRole('heading', { name: submit }).waitFor()
  await page.getByLabel('Email Address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.locator('[type=submit]', { hasText: submit }).click()
}

async function add(page: Page, label: string, text: string): Promise<void> {
  await page.getByTestId('AddIcon').click()
  await page.getByLabel(label).fill(text)
  await page.getByRole('button', { name: 'Create' }).click()
}
