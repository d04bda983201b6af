import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'
import { expectSynced } from './support/person.ts'

/*
 * A table of a file: what its columns are is proposed, who sees the records is chosen, and then it is on the devices of the workspace, with its records.
 */

const ROWS = 40
/** The days of one row, and the site of another, are none. */
const WRONG = 2

test(
  'an owner makes a table of a file, chooses who sees it, and it comes to the others without a reload',
  { tag: '@core' },
  async ({ arrive, holdfast }) => {
    const sites = await holdfast.admin.query<{ name: string }>(sql`
    select s.name from public.sites s join public.regions r on r.id = s.region_id
     where r.name = 'North' and s.status <> 'decommissioned' group by s.name having count(*) = 1 order by s.name limit 8`)
    const file = {
      name: 'spare-valves.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(valves(sites.map(({ name }) => name))),
    }
    const dana = await arrive('dana')
    const mina = await arrive('mina')
    const { page } = dana

    await test.step('the kinds of the columns are told from the values, and so are links', async () => {
      await page.keyboard.press('Control+k')
      await page.getByPlaceholder('Go to a table, find a record, run a command').fill('new table from')
      await page.getByRole('menuitem', { name: 'New table from a file' }).click()
      await expect(page.getByRole('heading', { level: 1, name: 'New table from a file' })).toBeVisible()
      await expectAccessible(page, 'new table')
      await choose(page, file)
      await expect(page.getByText(`spare-valves.csv: ${ROWS} rows, 10 columns`)).toBeVisible()
      await expect(page.getByText(`Add ${ROWS} spare valves`)).toBeVisible()
      await expect
        .poll(() => kinds(page))
        .toEqual({
          'valve ref': 'Text',
          'Größe (mm)': 'Whole number',
          Flow: 'Number',
          Open: 'Checkbox',
          'last service': 'Text',
          Seen: 'Date and time',
          State: 'Choice',
          Site: 'Choice',
          Contact: 'Email',
          Notes: 'Long text',
        })
      await expect(page.getByText('Date, except for “soon”')).toBeVisible()
      await expect(page.getByText('Link to Sites, except for “nowhere”')).toBeVisible()
    })

    await test.step('a kind that fits nearly all values can be chosen all the same', async () => {
      await chooseKind(page, 'last service', 'Date')
      await chooseKind(page, 'Site', 'Link to Sites')
      await expect(page.getByText(`Add ${ROWS - WRONG} spare valves`)).toBeVisible()
      await expect(page.getByText('97.5% (1 do not)')).toHaveCount(WRONG)
      await expectAccessible(page, 'a described table')
    })

    await test.step('what does not fit is listed, and can be mended later', async () => {
      const issues = page.getByRole('region', { name: 'Rows that do not fit' })
      await expect(issues).toContainText('soon')
      await expect(issues).toContainText('No record is called “nowhere”')
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download the rows that do not fit' }).click(),
      ])
      expect((await readFile(await download.path(), 'utf8')).trim().split('\r\n')).toHaveLength(1 + WRONG)
    })

    await test.step('the rules can be read before there is a table', async () => {
      await page.getByRole('textbox', { name: 'Field name of valve ref' }).fill('Valve')
      await page.getByRole('button', { name: 'Show SQL' }).click()
      const rules = page.locator('pre')
      await expect(rules).toContainText('create policy see_1 on public.spare_valves for select to authenticated')
      await expect(rules).toContainText("comment on column public.spare_valves.groesse_mm is 'Größe (mm).';")
      await page.getByRole('radiogroup').getByText('Only the creator').click()
      await expect(rules).toContainText('using (created_by = (select holdfast.user_id())')
      await page.getByRole('radiogroup').getByText('Everyone in this workspace').click()
      expect(await holdfast.admin.query(sql`select to_regclass('public.spare_valves') as made`)).toEqual([
        { made: null },
      ])
    })

    await test.step('made, it has its records, as the file says', async () => {
      await page.getByRole('button', { name: `Create table and import ${ROWS - WRONG} records` }).click()
      await expect(page.getByText(`${ROWS - WRONG} spare valves imported on this device`)).toBeVisible()
      await expectAccessible(page, 'a made table')
      await expectSynced(dana)
      const stored = await holdfast.admin.query(sql`
      select v.valve, v.groesse_mm::int as size, v.flow::float8 as flow, v.open, v.last_service::text as day, v.state, s.name as site, v.notes
        from public.spare_valves v left join public.sites s on s.id = v.site where v.valve = 'V-00003'`)
      expect(stored).toEqual([
        {
          valve: 'V-00003',
          size: 53,
          flow: 3.5,
          open: false,
          day: '2026-11-03',
          state: 'In store',
          site: sites[3]?.name,
          notes: 'Line one\nline two',
        },
      ])
    })

    await test.step('others have it in their list, with its records', async () => {
      await mina.page.getByRole('link', { name: `Spare valves ${ROWS - WRONG} rows` }).click()
      await expect(mina.page.getByRole('gridcell', { name: 'Valve: V-00003' })).toBeVisible()
      await expect(mina.page.getByRole('gridcell', { name: 'State: In store' }).first()).toBeVisible()
      // In the order of the file.
      for (const at of [0, 1, 2, 3, 4])
        await expect(mina.page.locator(`[data-row="${at}"]`)).toContainText(`V-0000${at}`)
    })

    await test.step('taken back without a connection, the table goes once the changes are sent, also from the others', async () => {
      await dana.goOffline()
      await page.getByRole('button', { name: 'Undo import' }).click()
      await expect(page.getByText('Import undone.')).toBeVisible()
      await expect(page.getByText('Sending your changes first')).toBeVisible()
      await dana.goOnline()
      await expect(page.getByText('Table deleted.')).toBeVisible()
      expect(await holdfast.admin.query(sql`select to_regclass('public.spare_valves') as made`)).toEqual([
        { made: null },
      ])
      await expect(mina.page.getByRole('link', { name: /^Spare valves/ })).toHaveCount(0)
    })
  },
)

test('only owners and admins make tables; whoever else imports has the tables that there are', async ({ arrive }) => {
  const { page, home } = await arrive('mina')
  await page.goto(`${home}/people`)
  await expect(page.getByText('Dana Okafor').first()).toBeVisible() // who is what in the workspace is on this device
  await page.goto(`${home}/import?new=true`)
  await expect(page.getByRole('heading', { level: 1, name: 'Import records' })).toBeVisible()
  await expect(page.getByText('Only owners and admins of the workspace can create tables.')).toBeVisible()
  await page.getByRole('button', { name: /Into table/ }).click()
  await expect(page.getByRole('option', { name: 'Actions' })).toBeVisible()
  await expect(page.getByRole('radio', { name: 'A new table' })).toHaveCount(0)
})

/** The type of each column, as the page shows it. */
async function kinds(page: Page): Promise<Readonly<Record<string, string>>> {
  const rows = await page.getByRole('region', { name: 'Fields' }).getByRole('row').all()
  const entries = await Promise.all(
    rows
      .slice(1)
      .map(async (row) => [await row.getByRole('rowheader').innerText(), await row.getByRole('button').innerText()]),
  )
  return Object.fromEntries(entries) as Record<string, string>
}

async function choose(page: Page, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
  await page.locator('input[type=file]').setInputFiles(file)
}

function valves(sites: readonly string[]): string {
  const rows = Array.from({ length: ROWS }, (_, at) => [
    `V-${String(at).padStart(5, '0')}`,
    50 + at,
    at + 0.5,
    at % 2 === 0 ? 'yes' : 'no',
    at === 7
      ? 'soon'
      : `${String(at % 28).padStart(2, '0') === '00' ? '28' : String(at % 28).padStart(2, '0')}/11/2026`,
    `${String((at % 27) + 1).padStart(2, '0')}/10/2026 14:02`,
    ['In store', 'Ordered', 'Scrapped'][at % 3 === 0 ? 0 : at % 3],
    at === 9 ? 'nowhere' : `"${sites[at % sites.length]}"`,
    `stores${at}@northline.example`,
    at === 3 ? '"Line one\nline two"' : '',
  ])
  return [
    'valve ref,Größe (mm),Flow,Open,last service,Seen,State,Site,Contact,Notes',
    ...rows.map((row) => row.join()),
  ].join('\r\n')
}

async function chooseKind(page: Page, column: string, kind: string): Promise<void> {
  await page.getByRole('button', { name: `Type of ${column}` }).click()
  await page.getByRole('option', { name: kind, exact: true }).click()
}
