import { sql } from '@holdfast/postgres'
import { openHoldfast } from '@holdfast/test-support'
import { expect, test } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { openStranger } from './support/stranger.ts'

/* The first hour of an owner: from the link that an empty server prints to a table with a record, without SQL. */

const PASSWORD = 'a password of hers'
const SYNCED = { timeout: 120_000 }

test('the link of an empty server leads to a workspace with a table; a later user is told how to get in', async ({
  browser,
}) => {
  await using server = await openHoldfast()
  const link = (server.welcomeUrl ?? '').replace('127.0.0.1', 'localhost')
  await using olga = await openStranger(browser, server)
  const { page } = olga

  await test.step('the owner names the workspace and gets an account', async () => {
    await page.goto(link)
    await expect(page.getByRole('heading', { level: 1, name: 'Create your workspace' })).toBeVisible()
    expect(new URL(page.url()).hash).toBe('')
    await expectAccessible(page, 'create your workspace')
    await page.getByRole('button', { name: 'Create workspace' }).click()
    await expect(page.getByText('Enter a name for the workspace')).toBeVisible()
    await page.getByLabel('Workspace name').fill('Müller & Sons')
    await page.getByLabel('Your name').fill('Olga Müller')
    await page.getByLabel('E-mail').fill('olga@example.org')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Create workspace' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Müller & Sons' })).toBeVisible(SYNCED)
  })

  await test.step('home offers the next step, from a spreadsheet or empty', async () => {
    await expect(page.getByRole('link', { name: 'Start from a spreadsheet' })).toBeVisible(SYNCED)
    await expectAccessible(page, 'home without tables')
    await page.getByRole('link', { name: 'Start from a spreadsheet' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'New table from a file' })).toBeVisible()
    await page.goBack()
    await page.getByRole('link', { name: 'Start empty' }).click()
  })

  await test.step('an empty table is set up and opens', async () => {
    await page.getByRole('button', { name: 'Create table' }).click()
    await expect(page.getByText('Give the table a name')).toBeVisible()
    await page.getByLabel('Table name').fill('Pumps')
    await page.getByRole('button', { name: 'Add field' }).click()
    await page.getByLabel('Name of field 3').fill('State')
    await page.getByRole('button', { name: /Type of field 3/ }).click()
    await page.getByRole('option', { name: 'Choice' }).click()
    await page.getByRole('button', { name: 'Create table' }).click()
    await expect(page.getByText('Enter at least one option')).toBeVisible()
    await page.getByLabel('Options of field 3, one per line').fill('Running\nStopped')
    await page.getByRole('button', { name: 'Remove Notes' }).click()
    await expectAccessible(page, 'a new empty table')
    await page.getByRole('button', { name: 'Create table' }).click()
    await expect(page.getByText('No pumps here yet')).toBeVisible(SYNCED)
  })

  await test.step('home lists first steps, which complete themselves', async () => {
    const coach = page.getByRole('region', { name: 'Get started' })
    await page.getByRole('link', { name: 'Home' }).first().click()
    await expect(coach.getByText('0 of 4 done')).toBeVisible(SYNCED)
    await expectAccessible(page, 'home with first steps')
    await coach.getByRole('button', { name: 'Show code' }).click()
    // Dark modules on white, in any theme: cameras read nothing else.
    await expect(page.getByRole('img', { name: 'QR code of this server' })).toHaveCSS(
      'background-color',
      'rgb(255, 255, 255)',
    )
    await page.keyboard.press('Escape')
    await coach.getByRole('link', { name: 'Add record' }).click()
    await page.getByRole('button', { name: 'New pump' }).last().click()
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('Pump 1')
    olga.problems.expectCutLine()
    await page.context().setOffline(true)
    await name.press('Enter')
    await page.getByRole('link', { name: 'Home' }).first().click()
    await expect(coach.getByText('2 of 4 done')).toBeVisible()
    await expect(coach.getByText('Work offline (Done)')).toBeVisible()
    await page.context().setOffline(false)
    await coach.getByRole('button', { name: 'Hide these steps' }).click({ timeout: 20_000 })
    await expect(coach).toHaveCount(0)
  })

  await test.step('a template opens its board, and its sample records can be removed', async () => {
    await page.getByRole('link', { name: 'Home' }).first().click()
    await page.getByRole('link', { name: 'From a template' }).click()
    await expectAccessible(page, 'the gallery of templates')
    await page.getByRole('button', { name: 'Use template Work orders' }).click()
    await expect(page.getByText('Burst pipe under the sink')).toBeVisible(SYNCED)
    await expect(page.getByRole('region', { name: /Scheduled/ }).first()).toBeVisible()
    await page.getByRole('link', { name: 'Home' }).first().click()
    await expect(page.getByText('This workspace contains sample data')).toBeVisible(SYNCED)
    await expectAccessible(page, 'home with sample data')
    await page.getByRole('button', { name: 'Remove sample records of Work orders' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove sample records' }).click()
    await expect(page.getByText('13 sample records removed')).toBeVisible()
    await expect(page.getByText('This workspace contains sample data')).toBeHidden(SYNCED)
  })

  await test.step('a second workspace has its own tables, and the user switches between the two', async () => {
    await server.admin.query(sql`select holdfast.create_workspace('Second home', 'olga@example.org')`)
    await page.getByRole('button', { name: 'Switch workspace' }).click({ timeout: 60_000 })
    await page.getByRole('menuitemradio', { name: 'Second home' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Second home' })).toBeVisible()
    await expect(page.getByText('Add your first table')).toBeVisible(SYNCED)
    await expect(page.getByRole('link', { name: /^Pumps/ })).toHaveCount(0)
    await page.goto(`${new URL(page.url()).pathname}/t/pumps`)
    await page.getByRole('button', { name: 'Open Müller & Sons' }).click()
    await expect(page.getByRole('gridcell', { name: 'Name: Pump 1' })).toBeVisible(SYNCED)
  })

  await test.step('a device of a user who is in no workspace does not learn the names of its tables', async () => {
    const { data } = await (await server.supabase({ email: 'olga@example.org', password: PASSWORD })).auth.getSession()
    const tablesOf = async (token: string | undefined): Promise<readonly string[]> => {
      const answer = await fetch(`${server.url}/sync/v1/schema`, { headers: { authorization: `Bearer ${token}` } })
      return ((await answer.json()) as { tables: readonly { name: string }[] }).tables.map(({ name }) => name)
    }
    expect(await tablesOf(data.session?.access_token)).toContain('pumps')
    const guest = await (await server.supabase()).auth.signInAnonymously()
    const token = guest.data.session?.access_token
    if (token !== undefined) expect(await tablesOf(token)).not.toContain('pumps')
  })

  await test.step('the link is worthless now, and a new account needs an invitation', async () => {
    await using nina = await openStranger(browser, server)
    nina.problems.expect(/status of 410.*\/app\/v1\/owner/)
    await nina.page.setViewportSize({ width: 390, height: 844 })
    await nina.page.goto(link)
    await nina.page.getByLabel('Workspace name').fill('Mine')
    await nina.page.getByLabel('Your name').fill('Nina')
    await nina.page.getByLabel('E-mail').fill('nina@example.org')
    await nina.page.getByLabel('Password', { exact: true }).fill('another password')
    await nina.page.getByRole('button', { name: 'Create workspace' }).click()
    await expect(nina.page.getByText('This server has a workspace already.')).toBeVisible()
    await nina.withAccount()
    await nina.page.goto('/sign-in/password')
    await nina.page.getByLabel('E-mail').fill(nina.email)
    await nina.page.getByLabel('Password', { exact: true }).fill(nina.password)
    await nina.page.getByRole('button', { name: 'Sign in' }).click()
    await expect(nina.page.getByText('You are not in a workspace yet')).toBeVisible(SYNCED)
    await expect(nina.page.getByText(`Ask the owner of a workspace to invite ${nina.email}.`)).toBeVisible()
    await expectAccessible(nina.page, 'home without a workspace')
    expect(nina.problems.found).toEqual([])
  })
  expect(olga.problems.found).toEqual([])
})
