import { readFile } from 'node:fs/promises'
import { sql } from '@holdfast/postgres'
import { openHoldfast } from '@holdfast/test-support'
import { expect, test } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { signIn } from './support/person.ts'
import { openStranger } from './support/stranger.ts'

/* The second week of an owner: a table that needs another field, without SQL. */

const SYNCED = { timeout: 120_000 }

test('an owner adds, edits, deletes and restores fields of a table', async ({ browser }) => {
  await using server = await openHoldfast()
  await using olga = await openStranger(browser, server)
  const { page } = olga
  const header = (name: string): ReturnType<typeof page.getByRole> =>
    page.getByRole('columnheader', { name: new RegExp(name) })

  await test.step('given a table', async () => {
    await page.goto((server.welcomeUrl ?? '').replace('127.0.0.1', 'localhost'))
    await page.getByLabel('Workspace name').fill('Water')
    await page.getByLabel('Your name').fill('Olga')
    await page.getByLabel('E-mail').fill('olga@example.org')
    await page.getByLabel('Password', { exact: true }).fill('a password of hers')
    await page.getByRole('button', { name: 'Create workspace' }).click()
    await page.getByRole('link', { name: 'Start empty' }).click(SYNCED)
    await page.getByLabel('Table name').fill('Pumps')
    await page.getByRole('button', { name: 'Create table' }).click()
    await page.getByRole('button', { name: 'New pump' }).last().click(SYNCED)
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('Pump 1')
    await name.press('Enter')
    await page.keyboard.press('Escape')
  })

  await test.step('a field is added from the header, with its SQL under Details', async () => {
    await page.getByRole('button', { name: 'Add field' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add field' }).click()
    await expect(dialog.getByText('Give the field a name')).toBeVisible()
    await dialog.getByLabel('Field name').fill('State')
    await dialog.getByRole('button', { name: /Type/ }).click()
    await page.getByRole('option', { name: 'Choice' }).click()
    await dialog.getByLabel('Options, one per line').fill('Running\nStopped')
    await dialog.getByRole('button', { name: 'Details' }).click()
    await expect(dialog.getByText(/alter table public.pumps add column state/)).toBeVisible()
    await expectAccessible(page, 'adding a field')
    await dialog.getByRole('button', { name: 'Add field' }).click()
    await expect(page.getByText('State added')).toBeVisible()
    await expect(header('State')).toBeVisible(SYNCED)
  })

  await test.step('it is renamed, gets other options and is deleted from its menu', async () => {
    await page.getByRole('button', { name: 'Menu of State' }).click()
    await page.getByRole('menuitem', { name: 'Edit field' }).click()
    await page.getByLabel('Field name').fill('Condition')
    await page.getByRole('textbox', { name: 'Option 2' }).fill('Off')
    await page.getByRole('button', { name: 'Add option' }).click()
    await page.getByRole('textbox', { name: 'Option 3' }).fill('Under repair')
    await page.getByRole('button', { name: 'Move Under repair up' }).click()
    await page.getByRole('button', { name: /Default/ }).click(SYNCED)
    await page.getByRole('option', { name: 'Running' }).click()
    await page.getByRole('button', { name: /Use as/ }).click()
    await page.getByRole('option', { name: 'State', exact: true }).click()
    await page.getByRole('checkbox', { name: 'Off' }).check({ force: true })
    await expectAccessible(page, 'editing a field')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(header('Condition')).toBeVisible(SYNCED)
    const options = async (): Promise<string | undefined> =>
      (
        await server.admin.query<{ text: string }>(
          sql`select pg_get_constraintdef(oid) as text from pg_constraint where conname = 'pumps_state_check'`,
        )
      )[0]?.text
    await expect.poll(options).toMatch(/Running.*Under repair.*Off/)
    expect(
      await server.admin.query(
        sql`select role, closed_choices from holdfast.fields where table_name = 'pumps' and role is not null`,
      ),
    ).toEqual([{ role: 'state', closed_choices: ['Off'] }])
    await page.getByRole('button', { name: 'Menu of Condition' }).click()
    await page.getByRole('menuitem', { name: 'Delete field' }).click()
    await expectAccessible(page, 'deleting a field')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete field' }).click()
    await expect(header('Condition')).toHaveCount(0, SYNCED)
  })

  await test.step('it is restored', async () => {
    await page.getByRole('button', { name: 'Add field' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Deleted fields' }).click()
    await page.getByRole('button', { name: 'Restore Condition' }).click()
    await expect(header('Condition')).toBeVisible(SYNCED)
    await expectAccessible(page, 'a grid whose fields can change')
    await page.getByRole('button', { name: 'Add field' }).click()
    await page.getByRole('dialog').getByLabel('Field name').fill('Twice')
    await page.getByRole('dialog').getByRole('button', { name: /Type/ }).click()
    await page.getByRole('option', { name: 'Formula' }).click()
    const computed = page.getByRole('dialog', { name: 'Computed field' })
    await expect(computed.getByLabel('Name', { exact: true })).toHaveValue('Twice')
    await computed.getByRole('button', { name: 'Cancel' }).click()
  })

  await test.step('the type of a field changes, and what does not convert is kept', async () => {
    await page
      .getByRole('gridcell', { name: /^Notes/ })
      .first()
      .dblclick()
    const notes = page.getByRole('textbox', { name: 'Edit Notes' })
    await notes.fill('12 m')
    await notes.press('Enter')
    await expect
      .poll(async () => (await server.admin.query(sql`select notes from public.pumps`))[0])
      .toEqual({ notes: '12 m' })
    await page.getByRole('button', { name: 'Menu of Notes' }).click()
    await page.getByRole('menuitem', { name: 'Change type' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /New type/ }).click()
    await page.getByRole('option', { name: 'Whole number' }).click()
    await expect(dialog.getByText('1 of 1 value does not convert')).toBeVisible(SYNCED)
    await expect(dialog.getByText('12 m')).toBeVisible()
    await expectAccessible(page, 'changing the type of a field')
    await dialog.getByRole('button', { name: 'Change type' }).click()
    await expect(header('Notes before')).toBeVisible(SYNCED)
    await expect
      .poll(async () => (await server.admin.query(sql`select notes::text, notes_text from public.pumps`))[0])
      .toEqual({ notes: null, notes_text: '12 m' })
  })

  const chooseInTableMenu = async (table: string, entry: string): Promise<void> => {
    await page.getByRole('button', { name: `Table menu of ${table}` }).click(SYNCED)
    await page.getByRole('menuitem', { name: entry }).click()
  }
  await test.step('the table is duplicated with its records, and the copy renamed', async () => {
    await chooseInTableMenu('Pumps', 'Duplicate table')
    await page.getByRole('dialog').getByText('Copy records').click()
    await expectAccessible(page, 'duplicating a table')
    await page.getByRole('dialog').getByRole('button', { name: 'Duplicate' }).click()
    await expect(page.getByRole('heading', { name: 'Pumps copy' })).toBeVisible(SYNCED)
    await expect(page.getByRole('gridcell', { name: /Pump 1/ }).first()).toBeVisible(SYNCED)
    await chooseInTableMenu('Pumps copy', 'Rename table')
    await page.getByLabel('Table name').fill('Spare pumps')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('heading', { name: 'Spare pumps' })).toBeVisible(SYNCED)
  })

  await test.step('the copy is deleted, and restored in the workspace settings', async () => {
    await chooseInTableMenu('Spare pumps', 'Delete table')
    await expectAccessible(page, 'deleting a table')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete table' }).click()
    await expect(page.getByText('Spare pumps deleted')).toBeVisible(SYNCED)
    await expect(page.getByRole('link', { name: /Spare pumps/ })).toHaveCount(0, SYNCED)
    await page.goto(new URL('/account/workspace', page.url()).href)
    await page.getByRole('button', { name: 'Restore Spare pumps' }).click(SYNCED)
    await expect(page.getByText('No deleted tables')).toBeVisible(SYNCED)
    await expectAccessible(page, 'workspace settings')
    await page.goto(new URL('/', page.url()).href)
    await expect(page.getByRole('link', { name: /Spare pumps/ }).first()).toBeVisible(SYNCED)
    await page
      .getByRole('link', { name: /^Pumps/ })
      .first()
      .click()
    await expect(header('Condition')).toBeVisible(SYNCED)
  })

  await test.step('fields with formats are rated and located in the record', async () => {
    for (const [name, kind] of [
      ['Quality', 'Rating'],
      ['Place', 'Location'],
    ] as const) {
      await page.getByRole('button', { name: 'Add field' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Field name').fill(name)
      await dialog.getByRole('button', { name: /Type/ }).click()
      await page.getByRole('option', { name: kind }).click()
      await dialog.getByRole('button', { name: 'Add field' }).click()
      await expect(header(name)).toBeVisible(SYNCED)
    }
    await page.getByRole('gridcell', { name: 'Name: Pump 1' }).press('Control+Enter')
    // The label, because the radio button is invisible. It is disabled until the rights to the record are known.
    await page
      .locator('label')
      .filter({ has: page.getByRole('radio', { name: '4 of 5' }) })
      .check()
    const place = page.getByRole('textbox', { name: 'Place' })
    // The format of a new field comes by sync, after its column.
    await expect(page.getByRole('button', { name: 'Use my position' })).toBeVisible(SYNCED)
    await place.fill('52,52; 13,405')
    await place.press('Enter')
    await expect(place).toHaveValue('52.52, 13.405')
    await expectAccessible(page, 'a record with formats')
    await expect
      .poll(async () => (await server.admin.query(sql`select quality::int, place::text from public.pumps`))[0])
      .toEqual({ quality: 4, place: '(13.405,52.52)' })
  })

  await test.step('a field is required under a condition, and options follow each other as the owner says', async () => {
    await page.goto(page.url().replace(/\/t\/pumps.*/, '/t/pumps/rules'))
    const required = page.getByRole('region', { name: 'Required fields' })
    await required.getByRole('button', { name: 'Add rule' }).click(SYNCED)
    await required.getByRole('button', { name: 'Save' }).click()
    await expect(required.getByText('Name is required when Condition is Running')).toBeVisible(SYNCED)
    const steps = page.getByRole('region', { name: 'Steps' })
    await steps.getByRole('button', { name: 'Limit steps' }).click()
    await steps
      .getByRole('group', { name: /^Running/ })
      .getByText('Off')
      .click()
    await steps.getByRole('button', { name: 'Save' }).click()
    await expect(steps.getByRole('button', { name: 'Allow every step' })).toBeVisible(SYNCED)
    await expectAccessible(page, 'rules of fields')
    const kept = server.admin.query<{ after: string }>(
      sql`select string_agg(to_value, ',') as after from holdfast.transitions where from_value = 'Running'`,
    )
    expect(await kept).toEqual([{ after: 'Under repair' }])
  })
  const logged = server
    .log()
    .split('\n')
    .filter((line) => /error|failed/i.test(line))
  expect(olga.problems.found, logged.slice(-20).join('\n')).toEqual([])
})

const SITES = {
  name: 'sites',
  label: 'Sites',
  access: { kind: 'members' },
  fields: [
    { name: 'name', label: 'Name', kind: 'text' },
    { name: 'region', label: 'Region', kind: 'text' },
  ],
}
const JOBS = {
  name: 'jobs',
  label: 'Jobs',
  access: { kind: 'members' },
  fields: [
    { name: 'title', label: 'Title', kind: 'text' },
    { name: 'hours', label: 'Hours', kind: 'number' },
    { name: 'site', label: 'Site', kind: 'link', table: 'sites' },
  ],
}

test('computed fields made in the app are right without a connection and in an exported template', async ({
  browser,
}) => {
  await using server = await openHoldfast()
  await using olga = await openStranger(browser, server)
  await olga.withAccount()
  const [made] = await server.admin.query<{ id: string }>(
    sql`select holdfast.create_workspace('Water', ${olga.email}) as id`,
  )
  const client = await server.supabase({ email: olga.email, password: olga.password })
  for (const definition of [SITES, JOBS])
    await client.schema('holdfast').rpc('create_table', { workspace: made?.id, definition }).throwOnError()
  const { data: site } = await client
    .from('sites')
    .insert({ name: 'Works', region: 'North' })
    .select('id')
    .single()
    .throwOnError()
  await client.from('jobs').insert({ title: 'Weld', hours: 3, site: site.id }).throwOnError()
  const { page } = olga
  const cell = (name: string): ReturnType<typeof page.getByRole> => page.getByRole('gridcell', { name, exact: true })
  const openTable = (name: string): Promise<void> =>
    page
      .getByRole('link', { name: new RegExp(`^${name}`) })
      .first()
      .click(SYNCED)
  const addField = async (label: string, kind: string, complete: () => Promise<void>): Promise<void> => {
    await page.getByRole('button', { name: 'Add field' }).click(SYNCED)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Field name').fill(label)
    await dialog.getByRole('button', { name: /Type/ }).click()
    await page.getByRole('option', { name: kind, exact: true }).click()
    await complete()
    await page.getByRole('button', { name: 'Save field' }).click()
    await expect(page.getByRole('dialog')).toHaveCount(0, SYNCED)
  }
  const choose = async (select: RegExp, option: string): Promise<void> => {
    await page.getByRole('dialog').getByRole('button', { name: select }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }

  await test.step('the owner adds a formula, a lookup and a rollup', async () => {
    await page.goto('/sign-in')
    await signIn(page, olga.email, olga.password)
    await openTable('Jobs')
    await addField('Cost', 'Formula', () => page.getByRole('textbox', { name: 'Formula' }).fill('{Hours} * 20'))
    await addField('Zone', 'Lookup', async () => {
      await page.getByRole('button', { name: 'Save field' }).click()
      await expect(page.getByText('A lookup needs a field of the linked record.')).toBeVisible()
      await choose(/Field/, 'Region')
    })
    await expect(cell('Cost: 60')).toBeVisible(SYNCED)
    await expect(cell('Zone: North')).toBeVisible(SYNCED)
    await openTable('Sites')
    await addField('All hours', 'Rollup', async () => {
      await choose(/Calculation/, 'Sum')
      await choose(/Field/, 'Hours')
    })
    await expect(cell('All hours: 3')).toBeVisible(SYNCED)
  })

  await test.step('they follow what is entered without a connection, and Postgres computes the same', async () => {
    olga.problems.expectCutLine()
    await page.context().setOffline(true)
    await openTable('Jobs')
    await cell('Hours: 3').dblclick()
    const hours = page.getByRole('textbox', { name: 'Edit Hours' })
    await hours.fill('5')
    await hours.press('Enter')
    await expect(cell('Cost: 100')).toBeVisible()
    await openTable('Sites')
    await expect(cell('All hours: 5')).toBeVisible()
    await page.context().setOffline(false)
    const computed = (): Promise<unknown> =>
      server.admin.query(
        sql`select j.cost::int, j.zone, s.all_hours::int as hours from public.jobs j join public.sites s on s.id = j.site`,
      )
    await expect.poll(computed, SYNCED).toEqual([{ cost: 100, zone: 'North', hours: 5 }])
  })

  await test.step('the workspace is exported as a template, which is loaded with its computed fields', async () => {
    const sites = page.url()
    await page.goto(new URL('/account/workspace', sites).href)
    await page.getByText('Include records').click(SYNCED)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    const file = await readFile(await (await download).path())
    await page.goto(sites.replace(/\/t\/.*/, '/templates'))
    await page.getByRole('heading', { name: 'From a file' }).waitFor(SYNCED)
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'water.template.json', mimeType: 'application/json', buffer: file })
    await page.getByRole('button', { name: 'Use template Water' }).click()
    await expect(page).toHaveURL(/\/t\/(jobs|sites)_2/, SYNCED)
    await page.goto(page.url().replace(/\/t\/.*/, '/t/jobs_2'))
    await expect(cell('Cost: 100')).toBeVisible(SYNCED)
    await expect(cell('Zone: North')).toBeVisible(SYNCED)
  })
  expect(olga.problems.found).toEqual([])
})
