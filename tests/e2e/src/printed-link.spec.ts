import { sql } from '@holdfast/postgres'
import { openHoldfast } from '@holdfast/test-support'
import { expect, test } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { openStranger } from './support/stranger.ts'

/*
 * What a user with a spreadsheet and the printed link does in a quarter of an hour, without SQL: a shared table with rules, and a form that a colleague fills in on a
 * phone without a network.
 */

const SYNCED = { timeout: 120_000 }
/** As a German Excel saves it: semicolons, Windows-1252, a title above the names of the columns. */
const FILE = Buffer.from(
  [
    'Wartungen Pumpwerk Süd;;;;;;',
    ';;;;;;',
    'Nr;Anlage;Status;Priorität;Fällig am;Baujahr;Kosten',
    ...[
      'Erledigt;hoch',
      'Offen;niedrig',
      'In Arbeit;mittel',
      'Offen;hoch',
      'Erledigt;niedrig',
      'In Arbeit;hoch',
    ].flatMap((words, at) =>
      [0, 1].map((half) => `0001${at}${half};Pumpe ${at}${half};${words};0${at + 1}.03.2026;199${at};1.20${at},50`),
    ),
  ].join('\r\n'),
  'latin1',
)

test('from the printed link and a spreadsheet to a form on the phone of a colleague, offline', async ({ browser }) => {
  await using server = await openHoldfast()
  await using olga = await openStranger(browser, server)
  await using piet = await openStranger(browser, server)
  const { page } = olga
  const phone = piet.page
  let invitation = ''

  await test.step('the owner makes a table of the file, with a glance at its fields', async () => {
    await page.goto((server.welcomeUrl ?? '').replace('127.0.0.1', 'localhost'))
    await page.getByLabel('Workspace name').fill('Nordfeld')
    await page.getByLabel('Your name').fill('Olga Müller')
    await page.getByLabel('E-mail').fill(olga.email)
    await page.getByLabel('Password', { exact: true }).fill('a password of hers')
    await page.getByRole('button', { name: 'Create workspace' }).click()
    await page.getByRole('link', { name: 'Start from a spreadsheet' }).click(SYNCED)
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'Maintenance.csv', mimeType: 'text/csv', buffer: FILE })
    await expect(page.getByRole('button', { name: /^Row 3: Nr, Anlage/ })).toBeVisible(SYNCED)
    await expect(page.getByRole('button', { name: 'Choice Type of Priorität' })).toBeVisible()
    await expectAccessible(page, 'a table of a file')
    await page.getByRole('button', { name: 'Create table and import 12 records' }).click()
    await page.getByRole('link', { name: 'Show Maintenance' }).click(SYNCED)
  })

  await test.step('the grid shows the values as the file has them, and what is late', async () => {
    await expect(page.getByRole('gridcell', { name: 'Nr: 000100' })).toBeVisible(SYNCED)
    await expect(page.getByRole('gridcell', { name: 'Baujahr: 1990' }).first()).toBeVisible()
    await expect(page.getByText('12 records').first()).toBeVisible()
    const choices = await server.admin.query<{ text: string }>(
      sql`select pg_get_constraintdef(oid) as text from pg_constraint where conname = 'maintenance_status_check'`,
    )
    expect(choices[0]?.text).toMatch(/Offen.*In Arbeit.*Erledigt/)
    await expectAccessible(page, 'a grid of an imported table')
  })

  await test.step('a rule is taken away without SQL', async () => {
    await page.getByRole('button', { name: 'Table menu of Maintenance' }).click(SYNCED)
    await page.getByRole('menuitem', { name: 'Access & rules' }).click()
    await page.getByRole('button', { name: 'Remove rule' }).last().click(SYNCED)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(page.getByText('Rules saved')).toBeVisible()
    await expectAccessible(page, 'access and rules')
  })

  await test.step('a form is made for everyone, and a colleague is invited with a link', async () => {
    await page.getByRole('link', { name: /^Maintenance/ }).click()
    await page.getByRole('button', { name: /^View: / }).click()
    await page.getByRole('button', { name: 'New view' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Report')
    await page.getByRole('button', { name: /Type/ }).click()
    await page.getByRole('option', { name: 'Form' }).click()
    await expect(page.getByRole('button', { name: 'Everyone Visible to' })).toBeVisible()
    await page.getByRole('button', { name: 'Create view' }).click()
    await expect(page.getByRole('heading', { name: 'Report' })).toBeVisible(SYNCED)
    await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'People' }).click()
    await page.getByRole('button', { name: 'Invite with a link' }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    invitation = new URL(await page.getByRole('textbox', { name: 'Link' }).inputValue(SYNCED)).pathname
    await page.getByRole('button', { name: 'Done' }).click()
  })

  await test.step('the colleague joins on a phone and finds the form', async () => {
    await phone.setViewportSize({ width: 390, height: 844 })
    await phone.goto(invitation)
    await phone.getByRole('textbox', { name: 'E-mail address' }).fill(piet.email)
    await phone.getByRole('textbox', { name: 'Name', exact: true }).fill('Piet')
    await phone.getByRole('textbox', { name: 'Password' }).fill('a good one 9')
    await phone.getByRole('button', { name: 'Create account and join' }).click()
    await expect(phone.getByRole('heading', { level: 1, name: 'Nordfeld' })).toBeVisible(SYNCED)
    await phone.getByRole('link', { name: 'Capture' }).click()
    await phone.getByRole('link', { name: /Report/ }).click(SYNCED)
    // A form that is still being loaded when the line is cut comes only with the line.
    await expect(phone.getByRole('textbox', { name: 'Nr' })).toBeVisible(SYNCED)
    await expectAccessible(phone, 'a form on a phone')
  })

  await test.step('filled in offline, it reaches the owner', async () => {
    piet.problems.expectCutLine()
    await phone.context().setOffline(true)
    await phone.getByRole('textbox', { name: 'Nr' }).fill('00099')
    await phone.getByRole('button', { name: 'Save & next' }).click()
    await phone.context().setOffline(false)
    const stored = async (): Promise<readonly unknown[]> =>
      server.admin.query(sql`select nr from public.maintenance where nr = '00099'`)
    await expect.poll(stored, SYNCED).toEqual([{ nr: '00099' }])
    await expect(page.getByRole('link', { name: /^Maintenance 13/ })).toBeVisible(SYNCED)
  })

  await test.step('the owner sees what the colleague sees, also in the dark', async () => {
    await page.getByRole('link', { name: 'Maintenance', exact: true }).last().click()
    // The sections above arrive later and move the list of members, which closes it.
    await expect(page.getByText('Status can change from any option to any other.')).toBeVisible(SYNCED)
    await expect(page.getByText('No field is required under conditions')).toBeVisible(SYNCED)
    await page.getByRole('button', { name: 'Choose Member' }).click(SYNCED)
    await page.getByRole('option', { name: 'Piet' }).click()
    await page.getByRole('button', { name: 'Check' }).click()
    await expect(page.getByText('Sees 13 records, edits 13')).toBeVisible(SYNCED)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expectAccessible(page, 'what a member sees, in the dark')
  })
  expect(olga.problems.found).toEqual([])
  expect(piet.problems.found).toEqual([])
})
