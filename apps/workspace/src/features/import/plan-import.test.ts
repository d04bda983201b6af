import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Judgement, PlannedWrite, RejectedChanges } from '@holdfast/client'
import { column, Schema, Table } from '@powersync/common'
import { PowerSyncDatabase } from '@powersync/node'
import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { writeXlsx } from 'hucre/xlsx'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { toTableInfo } from '../../lib/data/tables.ts'
import { fileColumnsOf } from '../../lib/exchange/file-columns.ts'
import { openFile } from '../../lib/exchange/open-file.ts'
import type { FileRow } from '../../lib/exchange/opened-file.ts'
import { renderRecords } from '../../lib/exchange/render-records.ts'
import { TEST_FIELDS, TEST_SITES, TEST_TASKS } from '../../lib/fields/test-fields.test-support.ts'
import type { FieldValue } from '../../lib/fields/field.ts'
import type { Command } from '../../lib/records/record-change.ts'
import { detectWriting, proposeSettings } from './import-settings.ts'
import { nameColumns } from './parse-file.ts'
import { type ImportPlan, planImport } from './plan-import.ts'
import { renderIssues } from './render-issues.ts'
import { createImportLog, PAST_IMPORTS_SQL, type PastImport, pastImportsSince, readPastImport } from './past-imports.ts'
import { countKept, runImport, undoImport } from './run-import.ts'

const columns = { integer: column.integer, real: column.real, text: column.text }
const toTable = ({ columns: own }: typeof TEST_TASKS): Table =>
  new Table(
    Object.fromEntries(own.filter(({ name }) => name !== 'id').map(({ name, local }) => [name, columns[local]])),
    { trackMetadata: true },
  )
const IMPORTS = Table.createLocalOnly({
  import_id: column.text,
  seq: column.integer,
  file_name: column.text,
  table_name: column.text,
  records: column.integer,
  imported_at: column.text,
  changes: column.text,
})
const folder = mkdtempSync(join(tmpdir(), 'holdfast-import-'))
let database: PowerSyncDatabase

beforeAll(async () => {
  database = new PowerSyncDatabase({
    schema: new Schema({ tasks: toTable(TEST_TASKS), sites: toTable(TEST_SITES), hf_local_imports: IMPORTS }),
    database: {
      dbFilename: 'device.db',
      dbLocation: folder,
      implementation: { type: 'node:sqlite' },
      readWorkerCount: 1,
    },
  })
  await database.init()
})
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  await database.disconnectAndClear()
  for (const [id, name] of [
    [ELM, 'Elmcroft'],
    [OAK_1, 'Oakridge'],
    [OAK_2, 'Oakridge'],
  ]) {
    await database.execute('insert into sites (id, name) values (?, ?)', [id, name])
  }
})

const idOf = (last: number): string => `0190c0de-0000-7000-8000-${String(last).padStart(12, '0')}`
const [ELM, OAK_1, OAK_2] = [idOf(91), idOf(92), idOf(93)]
const tasks = toTableInfo(TEST_TASKS)
const tables = [tasks, toTableInfo(TEST_SITES)]
const goOn = new AbortController().signal
const allowAll = async (writes: readonly PlannedWrite[]): Promise<readonly Judgement[]> =>
  writes.map(() => ({ kind: 'unknown' }) as unknown as Judgement)

const addTask = (values: Readonly<Record<string, FieldValue>>): Promise<unknown> => {
  const names = Object.keys(values)
  return database.execute(
    `insert into tasks (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
    Object.values(values),
  )
}

async function readFile(content: string | Uint8Array): Promise<{ header: readonly string[]; rows: FileRow[] }> {
  const opened = await openFile(typeof content === 'string' ? new TextEncoder().encode(content) : content)
  const rows: FileRow[] = []
  for await (const row of opened.rows) rows.push(row)
  return { header: nameColumns(opened.header), rows }
}

async function plan(
  content: string | Uint8Array,
  judge: (writes: readonly PlannedWrite[]) => Promise<readonly Judgement[]> = allowAll,
  key?: string,
): Promise<ImportPlan> {
  const { header, rows } = await readFile(content)
  const proposed = proposeSettings(header, rows, TEST_FIELDS, tasks.codeColumn)
  const settings = key === undefined ? proposed : { ...proposed, key: TEST_FIELDS.find(({ name }) => name === key) }
  const options = { database, judge, table: tasks, tables, fields: TEST_FIELDS, rows, settings, signal: goOn }
  return planImport({ ...options, onProgress: () => undefined })
}

const reasonsOf = ({ issues }: ImportPlan): readonly string[] =>
  issues.map(({ row, column: at, reason }) => `${row.row}/${at ?? ''} ${reason}`)

describe('the rows of a file', () => {
  test('are checked without keeping the page from reacting, though nothing has to be looked up', async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => ({
      row: at + 2,
      cells: [`task ${at}`, '12,50', '3.11.2026'],
    }))
    const settings = proposeSettings(['title', 'cost', 'due on'], rows, TEST_FIELDS, undefined)
    const options = { database, table: tasks, tables, fields: TEST_FIELDS, rows, settings, signal: goOn }
    let turns = 0
    const turning = setInterval(() => (turns += 1), 1)
    await planImport({ ...options, judge: async () => [], onProgress: () => undefined })
    clearInterval(turning)
    expect(turns).toBeGreaterThan(3)
  })

  test('become records by fields that are called like their columns, read as the file writes them', async () => {
    const { changes, issues } = await plan(
      'TITLE;Site;points;Cost;Due;urgent;Unknown\nValve;elmcroft;1.200;12,50;3.11.2026;yes;x\n',
    )
    expect(issues).toEqual([])
    const values = { title: 'Valve', site_id: ELM, points: 1200, cost: '12.50', due_on: '2026-11-03', urgent: 1 }
    expect(changes).toMatchObject([{ kind: 'insert', table: 'tasks', values }])
  })

  test('are left out whole, with row, column and reason, when a cell does not fit, and the others stay', async () => {
    const content =
      'Title,Site,Points,Due\nA,Elmcroft,1,2026-01-02\nB,Nowhere,x,2026-02-30\n,Elmcroft,2,\nC,Oakridge,3,\nD,,4,,,more\nE\0,,,\nF,,,\n'
    const planned = await plan(content)
    expect(reasonsOf(planned)).toEqual([
      '3/1 No record is called “Nowhere”',
      expect.stringMatching(/^3\/2 /),
      expect.stringMatching(/^3\/3 /),
      '4/0 A value is required',
      '5/1 2 records are called “Oakridge”',
      '6/ The row has more cells than the header',
      '7/0 Contains a NUL character',
    ])
    expect(planned).toMatchObject({ inserted: 2, updated: 0, refusedRows: 5 })
    expect(planned.fits[1]).toEqual({ filled: 4, fit: 2 })
    const { header } = await readFile(content)
    const csv = renderIssues(header, planned.issues)
    expect(csv.split('\r\n')[0]).toBe('\uFEFFRow,Why,Title,Site,Points,Due')
    const mended = await readFile(csv.replace('Nowhere', 'Elmcroft'))
    expect(mended.rows).toHaveLength(5)
  })

  test('change the records that have their ids, or their numbers where the person chose so, and only what is other', async () => {
    await addTask({ id: idOf(1), title: 'A', state: 'open', points: 1, cost: '2.50', site_id: ELM })
    const { changes, same, inserted } = await plan(
      `ID,Title,Points,Cost\n${idOf(1)},A,2,2.5\n${idOf(2)},New,1,\n,Newer,,\n`,
    )
    expect(changes).toMatchObject([
      { kind: 'update', id: idOf(1), values: { points: 2 }, before: { points: 1 } },
      { kind: 'insert', id: idOf(2) },
      { kind: 'insert', values: { title: 'Newer' } },
    ])
    expect(Object.keys(changes[0]?.values ?? {})).toEqual(['points'])
    expect({ same, inserted }).toEqual({ same: 0, inserted: 2 })
    const twice = await plan(`ID,Title\n${idOf(1)},B\n${idOf(1)},C\n`)
    expect(reasonsOf(twice)).toEqual(['3/0 Row 2 is for the same record'])
    expect((await plan(`ID,Title\n${idOf(1)},\n`)).issues).toMatchObject([{ column: 1, reason: 'A value is required' }])
  })

  test('find their record by an address in any case, and by a number however it is written', async () => {
    await addTask({ id: idOf(1), title: 'A', contact_email: 'Dana@Northline.example', ratio: 12, cost: '12.50' })
    for (const [key, content] of [
      ['contact_email', 'Title,Contact email,Points\nA,Dana@Northline.example,3\n'],
      ['contact_email', 'Title,Contact email,Points\nA,dana@northline.example,3\n'],
      ['ratio', 'Title,Ratio,Points\nA,12,3\n'],
      ['ratio', 'Title,Ratio,Points\nA,12.0,3\n'],
      ['cost', 'Title,Cost,Points\nA,12.5,3\n'],
      ['cost', 'Title,Cost,Points\nA,012.500,3\n'],
    ] as const) {
      const { changes, issues } = await plan(content, allowAll, key)
      expect(issues).toEqual([])
      expect(changes, content).toMatchObject([{ kind: 'update', id: idOf(1), values: { points: 3 } }])
    }
    const other = await plan('Title,Cost\nB,12.51\n', allowAll, 'cost')
    expect(other.changes).toMatchObject([{ kind: 'insert' }])
    const twice = await plan('Title,Cost\nC,13.5\nD,13.50\n', allowAll, 'cost')
    expect(reasonsOf(twice)).toEqual(['3/1 Row 2 is for the same record'])
  })

  test('that would be new do not fit with the id of a record that is there, or of another row', async () => {
    await addTask({ id: idOf(1), title: 'A', points: 1 })
    const content = `ID,Title,Points\n${idOf(1)},B,2\n${idOf(2)},C,3\n${idOf(2).toUpperCase()},D,4\n,E,5\n`
    for (const key of ['none', 'points']) {
      const planned = await plan(content, allowAll, key)
      expect(reasonsOf(planned)).toEqual(['2/0 A record with this ID exists', '4/0 Row 3 is for the same record'])
      const written: Command[] = []
      const options = { database, fileName: 'a.csv', signal: goOn, onProgress: () => undefined }
      if (key === 'none') await runImport({ ...options, changes: planned.changes }, written)
      if (key === 'none') await database.execute('delete from tasks where id <> ?', [idOf(1)])
    }
    expect(await database.getAll('select title from tasks')).toEqual([{ title: 'A' }])
  })

  test('name a link by its id when it has one; a title beside it that is of another record does not fit', async () => {
    const planned = await plan(
      `Title,Site,Site ID\nA,Oakridge,${OAK_2}\nB,Renamed since,${OAK_1}\nC,Elmcroft,${OAK_1}\nD,Elmcroft,\nE,,${ELM}\n`,
    )
    expect(planned.changes.map(({ values }) => values['site_id'])).toEqual([OAK_2, OAK_1, ELM, ELM])
    expect(reasonsOf(planned)).toEqual(['4/2 The name and the ID belong to different records'])
  })

  test('that the rules for writing refuse are said before anything is written', async () => {
    const refusal = { reason: 'grant' }
    const { changes, issues } = await plan('Title,Points\nA,1\nB,2\n', async (writes) =>
      writes.map(
        ({ after }) => (after?.['title'] === 'B' ? { kind: 'refused', refusal } : { kind: 'allowed' }) as Judgement,
      ),
    )
    expect(changes).toHaveLength(1)
    expect(issues).toMatchObject([{ row: { row: 3 }, column: undefined, reason: 'Your role may not change it.' }])
  })
})

test('a number of an XLSX is that number, also where texts beside it have a comma', async () => {
  const cells = [
    ['Title', 'Ratio', 'Cost'],
    ['A', 1.234, '12,5'],
    ['B', 1234.5, '0,25'],
  ]
  const { changes } = await plan(await writeXlsx({ sheets: [{ name: 'a', rows: cells }] }))
  expect(changes.map(({ values }) => values)).toMatchObject([
    { title: 'A', ratio: 1.234, cost: '12.50' },
    { title: 'B', ratio: 1234.5, cost: '0.25' },
  ])
})

test('how numbers and days are written is told by those that can be read in one way only', () => {
  const cost = fileColumnsOf(TEST_FIELDS).filter(({ field }) => field.name === 'cost' || field.name === 'due_on')
  const writing = (...cells: string[][]) =>
    detectWriting(
      cost,
      cells.map((own, row) => ({ row, cells: own })),
    )
  const at = (name: string, text: string): string[] => cost.map(({ field }) => (field.name === name ? text : ''))
  expect(writing(at('cost', '1,5')).decimal).toBe(',')
  expect(writing(at('cost', '1.234,5')).decimal).toBe(',')
  expect(writing(at('cost', '1,234.5')).decimal).toBe('.')
  expect(writing(at('cost', '1.234')).decimal).toBe('.')
  expect(writing(at('due_on', '13/01/2026')).dayFirst).toBe(true)
  expect(writing(at('due_on', '01/13/2026')).dayFirst).toBe(false)
  expect(writing(at('due_on', '1.2.2026')).dayFirst).toBe(true)
})

test('an export that is imported again changes nothing, whatever is in it', async () => {
  const text = fc.string({ unit: fc.constantFrom(...`a'"=+-@,;\t\r\n é漢\u{1F600}`), maxLength: 8 })
  const day = fc.date({ min: new Date('1850-01-01'), max: new Date('2300-01-01'), noInvalidDate: true })
  const record = fc.record({
    title: text,
    state: fc.constantFrom('open', 'doing', 'to_verify'),
    site_id: fc.constantFrom(null, ELM, OAK_1, OAK_2),
    points: fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
    cost: fc.constantFrom(null, '0.10', '12.50', '-9999.99', '1234'),
    ratio: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
    due_on: fc.option(day.map((at) => at.toISOString().slice(0, 10))),
    seen_at: fc.option(day.map((at) => at.toISOString().replace('Z', '123Z'))),
    urgent: fc.constantFrom(null, 0, 1),
    tags: fc.option(fc.array(text).map((tags) => JSON.stringify(tags))),
    contact_email: fc.option(text),
    detail: fc.option(text),
  })
  const names = new Map([
    [ELM, 'Elmcroft'],
    [OAK_1, 'Oakridge'],
    [OAK_2, 'Oakridge'],
  ])
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('csv', 'xlsx'),
      async (records, format) => {
        await database.execute('delete from tasks')
        const rows = records.map((values, at) => ({ ...values, website: null, id: idOf(at) }))
        for (const values of rows) await addTask(values)
        async function* slices() {
          yield rows.map((values) => ({ values, titles: { site_id: names.get(values.site_id ?? '') ?? null } }))
        }
        const file = await renderRecords(format, fileColumnsOf(TEST_FIELDS), slices(), 'Tasks')
        const planned = await plan(new Uint8Array(await file.arrayBuffer()))
        expect(reasonsOf(planned)).toEqual([])
        expect(planned).toMatchObject({ changes: [], same: rows.length })
      },
    ),
    { numRuns: runsOf(40) },
  )
})

test('an import is written in parts, stops between them, and is taken back except what was changed since', async () => {
  await addTask({ id: idOf(0), title: 'before' })
  const lines = Array.from({ length: 600 }, (_, at) => `${idOf(at)},row ${at}`)
  const { changes } = await plan(`ID,Title\n${lines.join('\n')}\n`)
  const count = async (): Promise<number> => (await database.get<{ n: number }>('select count(*) as n from tasks')).n
  const options = { database, fileName: 'rows.csv', changes }
  const stop = new AbortController()
  const written: Command[] = []
  await runImport({ ...options, signal: stop.signal, onProgress: () => stop.abort() }, written)
  const first = await count()
  expect(first).toBeGreaterThan(1)
  expect(first).toBeLessThan(600)
  await runImport({ ...options, changes: changes.slice(first), signal: goOn, onProgress: () => undefined }, written)
  expect(await count()).toBe(600)
  await database.execute(`update tasks set title = 'mine' where id = ?`, [idOf(7)])
  const rejected = { list: async () => [], withdraw: async () => undefined } as unknown as RejectedChanges
  expect(await undoImport(database, rejected, written, () => undefined)).toBe(1)
  expect(await database.getAll('select title from tasks order by id')).toEqual([{ title: 'before' }, { title: 'mine' }])
})

describe('an import of a page that is gone', () => {
  const rejected = { list: async () => [], withdraw: async () => undefined } as unknown as RejectedChanges
  const past = (): Promise<readonly PastImport[]> =>
    database.getAll<PastImport>(PAST_IMPORTS_SQL, [pastImportsSince(new Date())])
  const run = async (fileName: string, csv: string): Promise<void> => {
    const { changes } = await plan(csv)
    await runImport({ database, fileName, changes, signal: goOn, onProgress: () => undefined }, [])
  }

  test('is undone as one step, except what was changed since, which is counted before', async () => {
    await addTask({ id: idOf(0), title: 'before', points: 1 })
    const lines = Array.from({ length: 600 }, (_, at) => `${idOf(at)},row ${at}`)
    await run('rows.csv', `ID,Title\n${lines.join('\n')}\n`)
    await database.execute(`update tasks set title = 'mine' where id in (?, ?)`, [idOf(7), idOf(8)])
    await database.execute('delete from tasks where id = ?', [idOf(9)])
    const [one] = await past()
    expect(one).toMatchObject({ fileName: 'rows.csv', table: 'tasks', records: 600 })
    const commands = await readPastImport(database, one as PastImport)
    expect(await countKept(database, commands)).toBe(2)
    expect(await undoImport(database, rejected, commands, () => undefined)).toBe(2)
    expect(await database.getAll('select title, points from tasks order by id')).toEqual([
      { title: 'before', points: 1 },
      { title: 'mine', points: null },
      { title: 'mine', points: null },
    ])
    expect(await past()).toEqual([])
    expect(await database.getAll('select id from hf_local_imports')).toEqual([])
  })

  test('is kept with the two before it, for seven days, and not if it is too large', async () => {
    for (const name of ['a', 'b', 'c', 'd']) {
      await run(`${name}.csv`, `Title\n${name}\n`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect((await past()).map(({ fileName }) => fileName)).toEqual(['d.csv', 'c.csv', 'b.csv'])
    await database.execute(`update hf_local_imports set imported_at = '2020-01-01' where file_name = 'd.csv'`)
    expect((await past()).map(({ fileName }) => fileName)).toEqual(['c.csv', 'b.csv'])
    const log = createImportLog('large.csv', { charsMax: 100 })
    const command = (title: string): Command => ({
      id: crypto.randomUUID(),
      label: '',
      changes: [{ kind: 'insert', table: 'tasks', id: idOf(1), values: { title } }],
    })
    for (const title of ['small', 'x'.repeat(100), 'small'])
      for (const { sql, parameters } of log.add(command(title))) await database.execute(sql, [...parameters])
    expect((await past()).map(({ fileName }) => fileName)).toEqual(['c.csv', 'b.csv'])
    expect(
      await database.getAll('select distinct import_id from hf_local_imports where import_id is not null'),
    ).toHaveLength(2)
  })
})
