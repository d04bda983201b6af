import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { makeActions } from './support/actions.ts'
import { expect, test } from './support/fixtures.ts'
import { expectSynced } from './support/person.ts'

/** 20,000 by hand: each is a transaction of its own on the server. */
const ROWS = Number(process.env['HOLDFAST_IMPORT'] ?? 300)
/** Undone one after the other, and made again. */
const STEPS = 20
/** Seven cells each. */
const PASTED_ROWS = 286
/** One of so many does not fit: three of a hundred. */
const WRONG_EVERY = 33
/** What the server takes for all of them, on a machine that may be busy. Milliseconds. */
const LONG_MS = 120_000 + ROWS * 60

test('a view goes into a spreadsheet and comes back, off line, and a file of many rows becomes records', async ({
  arrive,
  holdfast,
}) => {
  test.setTimeout(2 * LONG_MS)
  await makeActions(holdfast, ['Files: =1+1', 'Files: two', 'Files: "three", of 3'])
  const [place] = await holdfast.admin.query<{ site: string; team: string }>(sql`
    select s.name as site, t.name as team from public.actions a
      join public.sites s on s.id = a.site_id join holdfast.teams t on t.id = a.team_id where a.title = 'Files: two'`)
  const dana = await arrive('dana')
  const { page } = dana
  await dana.openTable('actions', '?q=Files:&s=-title')
  await expect(page.getByText(/^3 of /)).toBeVisible()
  await dana.goOffline()

  const plain = await exportAs(page, 'CSV')
  const csv = await exportAs(page, 'CSV', true)
  const xlsx = await exportAs(page, 'XLSX', true)
  await test.step('the file has the view as it is shown, and ids beside what links are called', () => {
    const lines = csv.buffer.toString('utf8').split('\r\n')
    expect(lines[0]).toMatch(/^\uFEFFTitle,State,.*Site,Site ID,.*,ID$/)
    expect(plain.buffer.toString('utf8').split('\r\n')[0]).not.toMatch(/\bID\b/)
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^Files: two,Open,/),
      expect.stringMatching(/^Files: =1\+1,Open,/),
      expect.stringMatching(/^"Files: ""three"", of 3",Open,/),
      '',
    ])
    expect(xlsx.name).toMatch(/^Actions.*\.xlsx$/)
  })

  await test.step('imported again, neither changes anything; what was edited in it does', async () => {
    await page.getByRole('button', { name: 'Export and import' }).click()
    await page.getByRole('link', { name: 'Import records' }).click()
    for (const file of [csv, xlsx]) {
      await choose(page, file)
      await expect(page.getByText('3 rows unchanged')).toBeVisible()
      await expect(page.getByText('Nothing to change.')).toBeVisible()
      await page.getByRole('button', { name: 'Choose another file' }).click()
    }
    await choose(page, { ...csv, buffer: Buffer.from(csv.buffer.toString('utf8').replace('Files: two', 'Files: 2')) })
    await expect(page.getByText('Change 1 action')).toBeVisible()
    await expectAccessible(page, 'import')
    await page.getByRole('button', { name: 'Import 1 action' }).click()
    await expect(page.getByText('1 action imported on this device')).toBeVisible()
    await expectAccessible(page, 'imported')
    // An import can be undone later, too.
    await page.reload()
    await page.getByRole('button', { name: `Undo import of ${csv.name}` }).click()
    const undo = page.getByRole('alertdialog')
    await expect(undo.getByText('1 record gets its previous values back.')).toBeVisible()
    await expectAccessible(page, 'undoing an import')
    await undo.getByRole('button', { name: 'Undo import' }).click()
    await expect(page.getByText('Import undone.')).toBeVisible()
  })

  const wrong = Math.floor(ROWS / WRONG_EVERY)
  await test.step(`of ${ROWS} rows those that do not fit are listed with their reasons, and the others are imported`, async () => {
    await choose(page, { name: 'many.csv', mimeType: 'text/csv', buffer: Buffer.from(manyRows(), 'latin1') })
    await expect(page.getByText(`${wrong} rows do not fit and will be left out`)).toBeVisible()
    const issues = page.getByRole('region', { name: 'Rows that do not fit' })
    await expect(issues.getByRole('row').nth(1)).toContainText('34Sitenowhere 33No record is called “nowhere 33”')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the rows that do not fit' }).click(),
    ])
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
    expect(lines).toHaveLength(1 + wrong)
    expect(lines[1]).toMatch(/^34,Site: No record is called “nowhere 33”,Größe 33,/)
    const began = Date.now()
    await page.getByRole('button', { name: `Import ${(ROWS - wrong).toLocaleString('en-GB')} actions` }).click()
    await expect(
      page.getByText(`${(ROWS - wrong).toLocaleString('en-GB')} actions imported on this device`),
    ).toBeVisible({
      timeout: LONG_MS,
    })
    test.info().annotations.push({ type: 'written', description: `${Date.now() - began} ms` })
  })

  await test.step('all of them reach Postgres', async () => {
    const began = Date.now()
    await dana.goOnline()
    await expect
      .poll(
        async () =>
          (
            await holdfast.admin.query<{ n: number }>(
              sql`select count(*)::int as n from public.actions where title like 'Größe %' and est_hours = 1.5 and site_id is not null`,
            )
          )[0]?.n,
        { timeout: LONG_MS },
      )
      .toBe(ROWS - wrong)
    await expectSynced(dana)
    test.info().annotations.push({ type: 'sent', description: `${Date.now() - began} ms` })
  })

  await test.step('a block of a spreadsheet is pasted with the numbers behind what it shows, and asks what becomes of rows below the last record', async () => {
    await dana.openTable('actions', `?q=Files:&s=title&h=${OTHER_FIELDS}`)
    await page
      .getByRole('grid')
      .getByRole('row')
      .nth(1)
      .getByRole('gridcell', { name: /^Priority: / })
      .click()
    await page.evaluate(
      ([text = '', html = '']) => {
        const clipboardData = new DataTransfer()
        clipboardData.setData('text/plain', text)
        clipboardData.setData('text/html', html)
        const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
        document.activeElement?.dispatchEvent(event)
      },
      [SHEET.map((row) => `${row.join('\t')}\r\n`).join(''), excelHtml()],
    )
    const question = page.getByRole('alertdialog', { name: '1 row is below the last record' })
    await expectAccessible(page, 'rows below')
    await question.getByRole('button', { name: 'Leave them out' }).click()
    const stored = (): Promise<readonly object[]> =>
      holdfast.admin.query(sql`
        select priority, due_on::text as due, est_hours::float8 as hours, cost::float8 as cost
          from public.actions where title like 'Files: %' order by title collate "C"`)
    const row = { priority: 2, due: '2027-11-03', hours: 1.25, cost: 1200.5 }
    await expect.poll(stored).toEqual([row, { ...row, cost: null }, { ...row, priority: 1 }])
  })

  await test.step('2,000 cells are pasted, filled down, and taken back and made again, by keyboard alone', async () => {
    const { keyboard } = page
    await dana.openTable('actions', `?q=Größe&s=number&h=${OTHER_FIELDS.replace('detail,', '').replace(',detail', '')}`)
    const cell = (row: number, field: string): Locator =>
      page
        .getByRole('grid')
        .locator(`[data-row="${row}"]`)
        .getByRole('gridcell', { name: new RegExp(`^${field}: `) })
    await expect(cell(0, 'Title')).toBeVisible()
    await cell(0, 'Title').focus()
    const lines = Array.from({ length: PASTED_ROWS }, (_, at) => `Größe ${at}\tDoing\t2\t1/12/2027\t3\t4\tLine ${at}`)
    await page.evaluate((text) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', text)
      document.activeElement?.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      )
    }, lines.join('\r\n'))
    const count = async (hours: number): Promise<number | undefined> =>
      (
        await holdfast.admin.query<{ n: number }>(
          sql`select count(*)::int as n from public.actions where title like 'Größe %' and state = 'doing' and est_hours = ${hours}`,
        )
      )[0]?.n
    await expect.poll(() => count(3), { timeout: LONG_MS }).toBe(PASTED_ROWS)

    const hours = (): Promise<readonly (string | null)[]> =>
      Promise.all([0, 1, 2, 3].map((row) => cell(row, 'Estimated hours').getAttribute('aria-label')))
    const goToHours = async (): Promise<void> => {
      await keyboard.press('Control+Home')
      for (let step = 0; step < 4; step++) await keyboard.press('ArrowRight')
      await expect(cell(0, 'Estimated hours')).toBeFocused()
    }
    await goToHours()
    await keyboard.type('7.5')
    await keyboard.press('Enter')
    await keyboard.press('ArrowUp')
    for (let row = 1; row < 4; row++) await keyboard.press('Shift+ArrowDown')
    await keyboard.press('Control+d')
    await expect.poll(hours).toEqual(Array.from({ length: 4 }, () => expect.stringContaining('7.5')))

    await goToHours()
    for (let edit = 1; edit <= STEPS; edit++) {
      await keyboard.type(String(10 + edit))
      await keyboard.press('Enter')
      await expect(cell(0, 'Estimated hours')).toContainText(String(10 + edit))
      await keyboard.press('ArrowUp')
    }
    for (let back = STEPS; back >= 1; back--) {
      await expect(cell(0, 'Estimated hours')).toContainText(String(10 + back))
      await keyboard.press('Control+z')
    }
    await expect(cell(0, 'Estimated hours')).toContainText('7.5')
    for (let again = 1; again <= STEPS; again++) {
      await keyboard.press('Control+Shift+z')
      await expect(cell(0, 'Estimated hours')).toContainText(String(10 + again))
    }
    await expectSynced(dana)
    await expect.poll(() => count(10 + STEPS)).toBe(1)
  })

  function manyRows(): string {
    const rows = Array.from({ length: ROWS }, (_, at) => {
      const row = at + 1
      return `Größe ${row};${row % WRONG_EVERY === 0 ? `nowhere ${row}` : place?.site};${place?.team};1,5;31.12.2026`
    })
    return ['Title;Site;Team;Estimated hours;Due on', ...rows].join('\r\n')
  }
})

test('an export that cannot be made says why, and says it of its own table only', async ({ arrive, holdfast }) => {
  const [site] = await holdfast.admin.query<{ id: string; address: string | null }>(
    sql`select s.id, s.address from public.sites s join public.regions r on r.id = s.region_id where r.name = 'North' limit 1`,
  )
  const put = (address: string | null): Promise<unknown> =>
    holdfast.admin.execute(sql`update public.sites set address = ${address} where id = ${site?.id ?? null}`)
  await put('x'.repeat(40_000))
  const dana = await arrive('dana')
  const { page } = dana
  const form = page.getByRole('dialog', { name: 'Export and import' })
  const reason = form.getByText('A text in Address is too long for a cell of XLSX. Export as CSV or JSON.')
  await dana.openTable('sites')
  await page.getByRole('button', { name: 'Export and import' }).click()
  await form.getByText('XLSX', { exact: true }).click()
  await form.getByRole('button', { name: 'Export', exact: true }).click()
  await expect(reason).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: /^Findings/ }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Findings' })).toBeVisible()
  await page.getByRole('button', { name: 'Export and import' }).click()
  await expect(form.getByRole('button', { name: 'Export', exact: true })).toBeVisible()
  await expect(reason).toHaveCount(0)
  await put(site?.address ?? null)
})

/** The columns between those that are pasted into. */
const OTHER_FIELDS = 'number,finding_id,site_id,team_id,owner_id,contractor_id,verified_by,blocked_reason,detail'

/** As a spreadsheet shows it. */
const SHEET = [
  ['2', '03/11/2027', '1.3', '1,200.50'],
  ['2', '03/11/2027', '1.3', ''],
  ['1', '03/11/2027', '1.3', '1,200.50'],
  ['4', '03/11/2027', '9', '9'],
]

/** As Excel puts it on the clipboard, with the numbers that it rounds. */
function excelHtml(): string {
  const cell = (text: string): string =>
    `<td class=xl65 align=right${text === '1.3' ? ' x:num="1.25"' : ''}>${text}</td>`
  return `<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><style><!--td {padding:0;}--></style></head><body>
<table border=0 cellpadding=0><!--StartFragment--><col width=64 span=4>
${SHEET.map((row) => ` <tr height=20>${row.map(cell).join('')}</tr>`).join('\n')}
<!--EndFragment--></table></body></html>`
}

interface ChosenFile {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

async function choose(page: Page, file: ChosenFile): Promise<void> {
  await page.locator('input[type=file]').setInputFiles(file)
}

async function exportAs(page: Page, format: string, hasIds = false): Promise<ChosenFile> {
  await page.getByRole('button', { name: 'Export and import' }).click()
  const form = page.getByRole('dialog', { name: 'Export and import' })
  await form.getByText(format, { exact: true }).click()
  if (hasIds) await form.getByText(/^With IDs/).click()
  await expectAccessible(page, `export as ${format}`)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    form.getByRole('button', { name: 'Export', exact: true }).click(),
  ])
  await page.keyboard.press('Escape')
  const buffer = await readFile(await download.path())
  return { name: download.suggestedFilename(), mimeType: 'application/octet-stream', buffer }
}
