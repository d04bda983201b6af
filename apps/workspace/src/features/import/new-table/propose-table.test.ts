import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { column, Schema, Table } from '@powersync/common'
import { PowerSyncDatabase } from '@powersync/node'
import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toTableInfo } from '../../../lib/data/tables.ts'
import type { Field } from '../../../lib/fields/field.ts'
import { testColumn, testTable } from '../../../lib/fields/test-fields.test-support.ts'
import { exportedText } from '../../../lib/exchange/exported-text.ts'
import { openFile } from '../../../lib/exchange/open-file.ts'
import type { FileRow } from '../../../lib/exchange/opened-file.ts'
import { nameColumns, type ParsedFile } from '../parse-file.ts'
import { planImport } from '../plan-import.ts'
import { readCell } from '../read-cell.ts'
import { proposeTable } from './propose-table.ts'
import {
  type Becomes,
  type DraftField,
  settled,
  type TableDraft,
  toLabel,
  toNewTable,
  toProvisional,
} from './table-draft.ts'

const SITES = testTable('sites', [testColumn('name', 'text'), testColumn('code', 'text')])
const TEAMS = { ...testTable('hf_teams', [testColumn('name', 'text')]), schema: 'holdfast', table: 'teams' }
const schema = { version: '1', tables: [SITES, TEAMS] }
const tables = [toTableInfo(SITES)]
const NOTHING_SPECIAL = {
  text: undefined,
  sheets: undefined,
  head: { row: 1, lines: 1 },
  top: [],
  notes: {
    hasOpenQuote: false,
    brokenRow: undefined,
    errors: 0,
    unsaved: 0,
    mergedCells: 0,
    hiddenRows: 0,
    hiddenColumns: 0,
  },
} as const
const folder = mkdtempSync(join(tmpdir(), 'holdfast-new-table-'))
let database: PowerSyncDatabase

beforeAll(async () => {
  database = new PowerSyncDatabase({
    schema: new Schema({
      sites: new Table({ name: column.text, code: column.text }),
      hf_teams: new Table({ name: column.text }),
    }),
    database: {
      dbFilename: 'device.db',
      dbLocation: folder,
      implementation: { type: 'node:sqlite' },
      readWorkerCount: 1,
    },
  })
  await database.init()
  for (const [id, name, code] of [
    ['0190c0de-0000-7000-8000-000000000001', 'Elmcroft', 'E-1'],
    ['0190c0de-0000-7000-8000-000000000002', 'Oakridge', 'O-1'],
  ]) {
    await database.execute('insert into sites (id, name, code) values (?, ?, ?)', [id, name, code])
  }
  await database.execute(`insert into hf_teams (id, name) values (uuid(), 'North')`)
})
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

async function fileOf(content: string, name = 'things.csv'): Promise<ParsedFile> {
  const opened = await openFile(new TextEncoder().encode(content))
  const rows: FileRow[] = []
  for await (const row of opened.rows) rows.push(row)
  return { ...opened, name, header: nameColumns(opened.header), rows }
}
const propose = async (content: string, name?: string): Promise<TableDraft> =>
  proposeTable({ database, file: await fileOf(content, name), schema, tables })
/** Returns the proposed kind of a column with these cells. */
const kindOf = async (header: string, cells: readonly string[]): Promise<Becomes | undefined> =>
  (await propose([`${header};x`, ...cells.map((cell) => `${cell};`)].join('\n'))).fields[0]?.becomes
const times = (count: number, ...cells: readonly string[]): readonly string[] =>
  Array.from({ length: count }, () => cells).flat()

describe('what a column becomes', () => {
  test.each<readonly [string, string, readonly string[], string]>([
    ['whole numbers', 'n', ['1', '-20', '3000'], 'integer'],
    ['codes with zeros before them', 'n', ['00012', '00013'], 'text'],
    ['numbers of cards, which no number holds', 'n', ['4000123412341234567', '4000123412341234568'], 'text'],
    ['numbers with points', 'n', ['1.5', '2', '3.25'], 'number'],
    ['numbers with commas', 'n', ['1,5', '2', '3,25'], 'number'],
    ['ones and zeros', 'n', ['1', '0', '1'], 'integer'],
    ['yes and no', 'n', ['yes', 'no', 'yes'], 'boolean'],
    ['yes in two spellings, which would become one', 'n', ['yes', 'no', 'Yes'], 'text'],
    ['yes, y and 1, which would become one', 'n', ['yes', 'y', '1', 'no'], 'text'],
    ['numbers in groups of digits', 'n', ['1,000', '12,345,678'], 'integer'],
    ['numbers with and without groups, which would become one', 'n', ['1,000', '1000'], 'text'],
    ['numbers with exponents and without, which would become one', 'n', ['1000', '1E+3'], 'text'],
    ['WAHR and FALSCH', 'n', ['WAHR', 'FALSCH', 'WAHR'], 'boolean'],
    ['vrai and faux', 'n', ['vrai', 'faux'], 'boolean'],
    ['checkmarks', 'n', ['x', '', 'x'], 'boolean'],
    ['yes and no with one doubt', 'n', [...times(10, 'yes', 'no'), 'perhaps'], 'choice'],
    ['yes of two languages', 'n', times(4, 'yes', 'nein'), 'choice'],
    ['f and m, which are no yes and no', 'n', [...times(30, 'f'), 'm'], 'choice'],
    ['only f', 'n', times(9, 'f'), 'choice'],
    ['addresses in two spellings', 'n', ['a@b.example', 'A@b.example'], 'email'],
    ['days as Germans write them', 'n', ['3. März 2026', '4. Mrz. 2026'], 'date'],
    ['days as the French write them', 'n', ['1er février 2026', '3 août 2026'], 'date'],
    ['days with their weekday', 'n', ['Tuesday, March 3, 2026', 'Wed, March 4, 2026'], 'date'],
    ['days as Excel writes them', 'n', ['03-Mar-26', '04-Dec-26'], 'date'],
    ['days without a year', 'n', ['3 March', '4 March'], 'text'],
    ['words for days', 'n', ['today', 'tomorrow', '+3'], 'text'],
    ['moments with more digits than a device keeps', 'n', ['2026-03-03 10:00:00.123456'], 'text'],
    ['numbers with a plus', 'n', ['+1', '2', '3'], 'text'],
    [
      'numbers, and one code after thousands of rows',
      'n',
      [...Array.from({ length: 2_500 }, (_, n) => String(n)), '007'],
      'text',
    ],
    ['amounts in euros', 'n', ['1.234,50 €', '12,00 €', '-7,25 €'], 'currency'],
    ['amounts of full thousands in euros', 'n', ['1.000 €', '25.000 €', '1.234.000 €'], 'currency'],
    ['amounts in dollars', 'n', ['$1,234.50', '$12.00', '-$7.25'], 'currency'],
    ['amounts with the code of the currency', 'n', ['EUR 12.00', 'EUR 7.25'], 'currency'],
    ['amounts in pounds', 'n', ['£3', '£4.50'], 'currency'],
    ['amounts, and one in another currency', 'n', [...Array.from({ length: 20 }, (_, at) => `$${at}`), '€5'], 'text'],
    ['amounts, and one without a currency', 'n', ['5 €', '6 €', '7'], 'text'],
    ['amounts with the sign in two places', 'n', ['5 €', '€ 6', '7 €'], 'text'],
    ['amounts with and without groups of digits', 'n', ['1.000,00 €', '2000,00 €'], 'text'],
    ['amounts with two signs', 'n', ['$5 USD', '$6 USD'], 'text'],
    ['numbers of something else', 'n', ['5 kg', '6 kg'], 'text'],
    ['percentages', 'n', ['12 %', '7,5 %', '-3 %'], 'percent'],
    ['percentages without a space', 'n', ['12%', '7.5%'], 'percent'],
    ['percentages, and one number', 'n', ['12%', '7.5%', '3'], 'text'],
    ['percentages with and without a space', 'n', ['12%', '7.5 %'], 'text'],
    ['amounts with their zeros', 'n', ['1.50', '1.5', '2.25'], 'number'],
    ['telephone numbers without a header that says so', 'n', ['+49 30 1234567', '+1 (212) 555-0100'], 'phone'],
    ['one state in three spellings', 'n', times(6, 'Open', 'open', 'OPEN'), 'text'],
    ['days', 'n', ['31/12/2026', '01/02/2026'], 'date'],
    ['days of a machine', 'n', ['2026-12-31', '2026-01-02'], 'date'],
    ['days with a month by name', 'n', ['31 Dec 2026', '1 Feb 2026'], 'date'],
    ['days of years of two digits', 'n', ['31.12.26', '1.2.98'], 'date'],
    ['days with points that could be read either way', 'n', ['1.2.2026', '3.4.2026'], 'date'],
    ['codes that could be days of some year', 'n', ['1-2', '3-4', '10-12'], 'text'],
    ['moments', 'n', ['2026-12-31 14:02', '2026-01-02 00:00'], 'datetime'],
    ['addresses', 'n', ['a@b.example', 'c@d.example'], 'email'],
    ['web addresses', 'n', ['https://a.example', 'http://b.example/c'], 'url'],
    ['telephone numbers', 'Telefon', ['+49 30 1', '(030) 22'], 'phone'],
    ['long texts', 'n', ['x'.repeat(300), 'y'], 'long_text'],
    ['a few words again and again', 'n', times(4, 'open', 'shut'), 'choice'],
    ['different words', 'n', ['a', 'b', 'c'], 'text'],
    ['nothing', 'n', ['', ''], 'text'],
    ['a word in capitals that SQLite does not know', 'n', ['ÄÖÜ', 'ß'], 'text'],
  ])('%s', async (_, header, cells, kind) => {
    expect((await kindOf(header, cells))?.kind).toBe(kind)
  })

  test('text where a few values are no days, so that no row is left out, and said to be days but for the first of them', async () => {
    const proposed = async (...cells: readonly string[]): Promise<DraftField | undefined> =>
      (await propose(['n;x', ...cells.map((cell) => `${cell};`)].join('\n'))).fields[0]
    const days = Array.from({ length: 19 }, (_, at) => `${at + 1}/12/2026`)
    expect(await proposed(...days, 'soon')).toMatchObject({
      becomes: { kind: 'text' },
      almost: { kind: 'date', misfit: 'soon' },
    })
    expect((await proposed(...days.slice(0, 6), 'soon', 'later'))?.almost).toBeUndefined()
    expect(await proposed(...times(9, 'Elmcroft', 'Oakridge'), 'Elmcorft')).toMatchObject({
      becomes: { kind: 'choice' },
    })
    expect(await proposed('Elmcroft', ...times(9, 'Oakridge'))).toMatchObject({ becomes: { kind: 'link' } })
  })

  test('amounts keep their currency, and are read as the file writes them', async () => {
    const draft = await propose('n;x\n1.234,50 €;a\n1.000 €;b\n-0,05 €;c')
    expect(draft.fields[0]?.becomes).toMatchObject({ kind: 'currency', settings: { code: 'EUR' } })
    const planned = toNewTable(draft, new Set())
    expect(planned.definition.fields).toContainEqual({ name: 'n', label: 'n', kind: 'currency', code: 'EUR' })
    const { fields } = toProvisional(draft, planned, schema)
    const field = fields.find(({ name }) => name === 'n')
    const values = ['1.234,50 €', '1.000 €', '-0,05 €'].map((text) => field && readCell(field, text, draft.writing))
    expect(values).toEqual(['1234.50', '1000', '-0.05'].map((value) => ({ isValid: true, value })))
  })

  test('days with points have the day first, whatever the reader writes', async () => {
    expect((await propose('n;x\n1.2.2026;a\n3.4.2026;b')).writing.dayFirst).toBe(true)
  })

  test('names of records lead there, by what the column is called when there are several', async () => {
    expect(await kindOf('where', ['Elmcroft', 'oakridge', 'Elmcroft'])).toEqual({ kind: 'link', table: 'sites' })
    expect(await kindOf('where', ['E-1', 'O-1'])).toEqual({ kind: 'link', table: 'sites' })
    expect(await kindOf('where', ['North', 'north'])).toEqual({ kind: 'link', table: 'hf_teams' })
    expect((await kindOf('where', ['Elmcroft', 'Berlin', 'Paris']))?.kind).toBe('text')
  })

  test('of an export the ids stay the ids, and of a link its name is enough', async () => {
    const id = '0190c0de-0000-7000-8000-000000000001'
    const { fields } = await propose(`Title,Site,Site ID,ID\nA,Elmcroft,${id},0190c0de-0000-7000-8000-0000000000aa`)
    expect(fields.map(({ becomes }) => becomes.kind)).toEqual(['text', 'link', 'left_out', 'id'])
  })
})

test('records are named by a text where there is one, though other records are called so', async () => {
  const { fields, title } = await propose('site,depth\nElmcroft,1\nOakridge,2')
  expect(fields.map(({ becomes }) => becomes.kind)).toEqual(['text', 'integer'])
  expect(title).toBe(0)
  const visits = await propose('site,depth\nElmcroft,1\nOakridge,2\nElmcroft,3')
  expect(visits.fields[0]?.becomes.kind).toBe('link')
})

describe('the table', () => {
  test('is called as the file, and records by the first text that tells them apart', async () => {
    const draft = await propose('kind,ref,n\npump,P-1,1\npump,P-2,2\npump,P-3,3', 'spare-parts_2026.csv')
    expect(draft.label).toBe('Spare parts 2026')
    expect(draft.title).toBe(1)
  })

  test('has names for the database, those of the server left free, and the column that names a record first', async () => {
    const draft = await propose('n,Created at,Valve ref.,Valve ref\n1,2026-01-01,A,a\n2,2026-01-02,B,b')
    const { definition, names } = toNewTable(draft, new Set(['things']))
    expect(definition.name).toBe('things_2')
    expect(names).toEqual(['n', 'created_at_2', 'valve_ref', 'valve_ref_2'])
    expect(definition.fields[0]).toEqual({ name: 'valve_ref', label: 'Valve ref', kind: 'text' })
  })

  test('a column with a usual name for titles does not take the place of the one that was chosen', async () => {
    const draft = await propose('ref,name\nP-1,pump\nP-2,pump')
    const { names } = toNewTable({ ...draft, title: 0 }, new Set())
    expect(names).toEqual(['title', 'name'])
  })

  test('texts that are no addresses are not called like some', async () => {
    const draft = await propose('E-mail,Link\nnobody,see above\nsomebody,see below')
    expect(toNewTable(draft, new Set()).names).toEqual(['e_mail_value', 'link_value'])
  })

  test('a title and a team that are none any more are chosen again', async () => {
    const draft = await propose('ref,team\nP-1,North\nP-2,North')
    const teamed = settled({ ...draft, access: { kind: 'team', field: 1 } })
    expect(teamed.access).toEqual({ kind: 'team', field: 1 })
    const [ref, team] = draft.fields
    if (!ref || !team) throw new Error('two columns')
    const changed = settled({ ...teamed, fields: [ref, { ...team, becomes: { kind: 'text' } }] })
    expect(changed.access).toEqual({ kind: 'members' })
  })
})

test('whatever a file has, the description is one that the server takes, and each row fits or is listed', async () => {
  const cell = fc.oneof(
    fc.constantFrom(
      '',
      'yes',
      '1,5',
      '31/12/2026',
      'Elmcroft',
      'a.b',
      '"',
      "'; drop table x; --",
      '\\',
      '\u0000',
      '😀',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc
        .integer({ min: 1, max: 4 })
        .chain((width) =>
          fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 2, maxLength: 8 }),
        ),
      async (grid) => {
        const [header = [], ...rows] = grid
        const file: ParsedFile = {
          name: `${header[0] ?? ''}.csv`,
          header: header.map((text, at) => `${text}${at}`),
          rows: rows.map((cells, at) => ({ row: at + 2, cells })),
          ...NOTHING_SPECIAL,
        }
        const draft = await proposeTable({ database, file, schema, tables })
        const planned = toNewTable(draft, new Set())
        for (const { label } of draft.fields) {
          expect(label).toBe(toLabel(label))
          expect(label).not.toBe('')
        }
        expect(new Set(planned.names).size).toBe(file.header.length)
        const provisional = toProvisional(draft, planned, schema)
        const plan = await planImport({
          ...provisional,
          database,
          judge: async () => [],
          tables,
          rows: file.rows,
          signal: new AbortController().signal,
          onProgress: () => undefined,
        })
        expect(plan.inserted + plan.refusedRows).toBe(rows.length)
      },
    ),
    { numRuns: runsOf(60) },
  )
})

describe('no text of a file is lost in the proposed table', () => {
  const words = [
    '1|-20|3000|007|00012|1.0|1,5|1.5|1,000|1.000|1E+3|+49 30 1|+1|-0|.5|5.|1e400',
    '4000123412341234567|0.1|0.10|1 000|12,345,678|1.234,5|−5|٣|½|0x10|NaN|Infinity',
    'yes|no|Yes|y|n|ja|nein|WAHR|FALSCH|true|false|on|x|✓|t|f|0|1',
    'Open|open|OPEN|m3|M3|m³|to do|to_do|ß|SS|é|e\u0301',
    '2026-03-03|3.3.2026|03/04/2026|3. März 2026|3 mars 2026|today|+3|3.3.|2026-03-03 10:00|31/12/1850|2026-02-30',
    '5 €|6,50 €|1.234,50 €|-5 €|€ 5|€5|5|1.000 €|0,125 €|-€5|€-5|5.50 €|007 €|-0 €|1e3 €|(5) €|1234 €|4000123412341234567 €|5 EUR',
    '$5|$1,234.50|-$5|$-5|$1234.5|£5|USD 5|5 USD|$5.50|$.5|$5.|$1.000|$ 5|5',
    '5 %|5%|7,5 %|7.5%|-3 %|100 %|1.000 %|1,000%|%5|5|0,05 %|+5 %',
    "a@b.example|A@B.example|https://a.example|HTTPS://a.example/|a|=1+1|'a|#N/A!|Elmcroft|elmcroft",
  ].map((list) => list.split('|'))
  const column = fc
    .uniqueArray(fc.constantFrom(...words.keys()), { minLength: 1, maxLength: 2 })
    .chain((lists) =>
      fc.array(fc.constantFrom(...lists.flatMap((list) => words[list] ?? [])), { minLength: 2, maxLength: 9 }),
    )

  test('whatever its columns mix', async () => {
    await fc.assert(
      fc.asyncProperty(column, fc.integer({ min: 1, max: 4 }), async (cells, repeats) => {
        const file: ParsedFile = {
          ...NOTHING_SPECIAL,
          name: 'a.csv',
          header: ['n'],
          rows: times(repeats, ...cells).map((cell, at) => ({ row: at + 2, cells: [cell] })),
        }
        const draft = await proposeTable({ database, file, schema, tables })
        const { fields, settings } = toProvisional(draft, toNewTable(draft, new Set()), schema)
        const field = fields.find(({ name }) => name === settings.targets[0]?.field.name)
        if (!field || field.link) return
        const from = new Map<unknown, string>()
        for (const text of new Set(cells)) {
          const read = readCell(field, text, settings.writing)
          // The review lists it, and the file of refused rows has it.
          if (!read.isValid) continue
          const isDay = field.kind === 'date' || field.kind === 'datetime'
          // The server keeps the words of choices as they are written.
          const shown = field.kind === 'choice' ? String(read.value) : exportedText(field, read.value)
          if (isDay) expect(readCell(field, shown, settings.writing)).toEqual(read)
          else expect([text, from.get(read.value) ?? text]).toEqual([text, text])
          from.set(read.value, text)
          if (field.format) expect(rendered(field, shown, cells, settings.writing.decimal)).toContain(text.trim())
          else if (field.kind === 'integer' || field.kind === 'number') expect(digitsOf(shown)).toBe(digitsOf(text))
          else if (!isDay && field.kind !== 'boolean') expect(shown).toBe(text)
        }
      }),
      { numRuns: runsOf(1_000) },
    )
  })
})

/** The digits of a number without its separators. */
function digitsOf(text: string): string {
  return text.replaceAll(/[^\d-]/g, '')
}

/** An amount or a percentage in the one form that the cells have, with and without groups of digits. */
function rendered({ format }: Field, value: string, cells: readonly string[], decimal: string): readonly string[] {
  const marks = format?.format.kind === 'percent' ? ['%'] : ['€', '$', '£', 'EUR', 'USD']
  const [sign, digits] = value.startsWith('-') ? ['-', value.slice(1)] : ['', value]
  const [whole = '', fraction] = digits.split('.')
  const isGrouped = cells.some((cell) => (decimal === ',' ? /\d\.\d{3}/ : /\d,\d{3}/).test(cell))
  const grouped = isGrouped ? whole.replaceAll(/\B(?=(\d{3})+$)/g, decimal === ',' ? '.' : ',') : whole
  const bare = fraction === undefined ? grouped : `${grouped}${decimal}${fraction}`
  const forms = new Set(
    cells
      .map((cell) => cell.trim().replace(/\d.*\d|\d/, '#'))
      .filter((form) => marks.some((mark) => form.includes(mark)) && form.includes('-') === (sign === '-')),
  )
  return [...forms].map((form) => form.replace('#', bare))
}
