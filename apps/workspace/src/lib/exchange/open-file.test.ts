import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import type { CellValue } from 'hucre'
import { writeXlsx } from 'hucre/xlsx'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { TEST_FIELDS, testField } from '../fields/test-fields.test-support.ts'
import type { FieldValue } from '../fields/field.ts'
import { FILE_BYTES_MAX, ROWS_MAX } from './file-limits.ts'
import { exactNumber } from './exported-text.ts'
import { fileColumnsOf } from './file-columns.ts'
import { openFile } from './open-file.ts'
import type { ReadAs } from './opened-file.ts'
import { cellText, type ExportedRecord, renderRecords } from './render-records.ts'

afterEach(() => vi.unstubAllGlobals())

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

async function read(bytes: Uint8Array, readAs?: ReadAs): Promise<readonly (readonly string[])[]> {
  const opened = await openFile(bytes, readAs)
  const rows: (readonly string[])[] = [opened.header]
  for await (const { cells } of opened.rows) rows.push(cells)
  return rows
}

function utf16(text: string, isLittle: boolean): Uint8Array {
  const bytes = new Uint8Array(text.length * 2)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < text.length; at += 1) view.setUint16(at * 2, text.charCodeAt(at), isLittle)
  return bytes
}

describe('a text', () => {
  const rows = [
    ['Nummer', 'Größe'],
    ['V-1', '12,5'],
    ['V-2', 'groß; "breit"'],
  ]
  const text = 'Nummer;Größe\r\nV-1;12,5\r\nV-2;"groß; ""breit"""\r\n'

  test.each([
    ['UTF-8', utf8(text), 'utf-8'],
    ['UTF-8 with a mark', utf8(`\uFEFF${text}`), 'utf-8'],
    ['UTF-16, as Excel saves Unicode text', utf16(`\uFEFF${text}`, true), 'utf-16le'],
    ['UTF-16 with the large end first and no mark', utf16(text, false), 'utf-16be'],
    ['Windows-1252', Uint8Array.from(text, (letter) => letter.charCodeAt(0)), 'windows-1252'],
  ])('is read in %s', async (_, bytes, encoding) => {
    expect((await openFile(bytes)).text).toEqual({ encoding, delimiter: ';' })
    expect(await read(bytes)).toEqual(rows)
  })

  test.each([
    [
      'a comma',
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a tab',
      'a\tb\n1,5\t2\n',
      [
        ['a', 'b'],
        ['1,5', '2'],
      ],
    ],
    [
      'what its first line says',
      'sep=|\r\na|b;c\r\n1|2\r\n',
      [
        ['a', 'b;c'],
        ['1', '2'],
      ],
    ],
  ])('has cells that are separated by %s', async (_, content, expected) => {
    expect(await read(utf8(content))).toEqual(expected)
  })

  test('may be read otherwise than it looks', async () => {
    expect(await read(utf8('a,b;c\n1,5;2\n'), { delimiter: ';' })).toEqual([
      ['a,b', 'c'],
      ['1,5', '2'],
    ])
  })

  test('may end its lines in any way, have empty ones, headers that are empty or alike, and rows of any length', async () => {
    expect(await read(utf8('\n a ,,A,a\r\n\r\n1,2\r3,4,5,6,7\n,,\n'))).toEqual([
      ['a', '', 'A', 'a'],
      ['1', '2'],
      ['3', '4', '5', '6', '7'],
    ])
  })

  test('counts its rows as spreadsheets do', async () => {
    const { rows: opened } = await openFile(utf8('a\n\n1\n\n\n"2\n3"\n4\n'))
    const numbers: number[] = []
    for await (const { row } of opened) numbers.push(row)
    expect(numbers).toEqual([3, 6, 7])
  })

  test('says that a quotation mark is never closed', async () => {
    const opened = await openFile(utf8('a,b\n1,"x\n2,y\n3,z\n'))
    for await (const _ of opened.rows) continue
    expect(opened.notes.hasOpenQuote).toBe(true)
    const closed = await openFile(utf8('a,b\n1,"x\n2"\n3,5" pipe\n'))
    for await (const _ of closed.rows) continue
    expect(closed.notes.hasOpenQuote).toBe(false)
  })
})

describe('the names of the columns', () => {
  test.each([
    ['in the first row', 'Ref,Depth\nP-1,3\nP-2,4\n', { row: 1, lines: 1 }, ['Ref', 'Depth']],
    [
      'below a title, a note and an empty row',
      'Valves 2026;;\nPrinted on;3.3.2026;\n\nRef;Depth;State;Site\nP-1;3,5;open;North\nP-2;4,5;;\n',
      { row: 4, lines: 1 },
      ['Ref', 'Depth', 'State', 'Site'],
    ],
    [
      'in two rows, the first with gaps',
      'Ref,Contact,,Depth\n,Name,Phone,\nP-1,Dana,+49 1,3\nP-2,Sam,+49 2,4\nP-3,Ada,+49 3,5\n',
      { row: 1, lines: 2 },
      ['Ref', 'Contact Name', 'Contact Phone', 'Depth'],
    ],
    [
      'in years, which are numbers',
      'Region,2024,2025\nNorth,1,2\nSouth,3,4\n',
      { row: 1, lines: 1 },
      ['Region', '2024', '2025'],
    ],
    [
      'missing over a column that most rows fill',
      'Ref,Depth\nP-1,3,tight\nP-2,4,loose\nP-3,4,loose\nP-4,1\n',
      { row: 1, lines: 1 },
      ['Ref', 'Depth', ''],
    ],
  ])('are %s', async (_, content, head, header) => {
    const opened = await openFile(utf8(content))
    expect({ head: opened.head, header: opened.header }).toEqual({ head, header })
  })

  test('are those of the chosen row, or none', async () => {
    const content = utf8('Valves\nRef,Depth\nP-1,3\nP-2,4\n')
    expect(await read(content, { head: { row: 1, lines: 1 } })).toEqual([
      ['Valves', ''],
      ['Ref', 'Depth'],
      ['P-1', '3'],
      ['P-2', '4'],
    ])
    expect(await read(content, { head: { row: 0, lines: 0 } })).toEqual([
      ['', ''],
      ['Valves'],
      ['Ref', 'Depth'],
      ['P-1', '3'],
      ['P-2', '4'],
    ])
  })
})

describe('a text with difficulties', () => {
  test('stays UTF-8 though a byte is broken, and the row is told', async () => {
    const bytes = utf8('Größe;Ort\n1;Köln\n2;M?nchen\n')
    bytes[bytes.indexOf(0x3f)] = 0xfc
    const opened = await openFile(bytes)
    const rows: (readonly string[])[] = []
    for await (const { cells } of opened.rows) rows.push(cells)
    expect(opened.text?.encoding).toBe('utf-8')
    expect(opened.header).toEqual(['Größe', 'Ort'])
    expect(rows).toEqual([
      ['1', 'Köln'],
      ['2', 'M\uFFFDnchen'],
    ])
    expect(opened.notes.brokenRow).toBe(3)
  })

  test.each([
    ['decimal commas in each row', 'Länge, m;Breite, m\n1,5;2,5\n3,5;4,5\n', ';'],
    ['a title with a comma', 'Valves, North\n\nRef;Depth\nP-1;1,5\nP-2;2,5\n', ';'],
    ['many columns and lists with semicolons', 'a,b,c,d,e;f\n1,2,3,4,x;y\n1,2,3,4,x;z\n', ','],
    ['decimal commas between tabs', 'a\tb\n1,5\t2,5\n3,5\t4,5\n', '\t'],
  ])('is split rightly with %s', async (_, content, delimiter) => {
    expect((await openFile(utf8(content))).text?.delimiter).toBe(delimiter)
  })

  test('has no empty cells and rows at its end, however many there are', async () => {
    const wide = `${';'.repeat(10_000)}\n`
    expect(await read(utf8(`a;b\n1;2${wide}${wide.repeat(500)}3;4\n${wide}`))).toEqual([
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
    ])
  })

  test('has errors of formulas as empty cells, and says how many', async () => {
    const opened = await openFile(utf8('a;b\n1;#N/A\n#DIV/0!;#NV\n#1;#ok\n'))
    const rows: (readonly string[])[] = []
    for await (const { cells } of opened.rows) rows.push(cells)
    expect(rows).toEqual([['1'], ['#1', '#ok']])
    expect(opened.notes.errors).toBe(3)
  })
})

describe('an XLSX', () => {
  const day = (text: string): Date => new Date(`${text}Z`)
  const xlsx = (...cells: readonly CellValue[]): Promise<Uint8Array> =>
    writeXlsx({ sheets: [{ name: 'a', rows: [cells.map((_, at) => `c${at}`), [...cells]] }] })

  test('has times of day and durations as they are shown, not as moments of the year 1900', async () => {
    const cells = await xlsx(
      day('1899-12-31T14:30:00'),
      day('1899-12-31T06:05:09'),
      day('1900-01-01T13:30:00'),
      day('2026-11-20T14:30:00'),
      day('2026-11-20T00:00:00'),
    )
    const [, row] = await read(cells)
    expect(row).toEqual(['14:30', '06:05:09', '37:30', '2026-11-20T14:30:00', '2026-11-20'])
  })

  test('says which cells are numbers with a fraction, whatever signs its texts have', async () => {
    const { rows } = await openFile(await xlsx(1.234, '1.234', null, 7, day('2026-11-20T00:00:00')))
    for await (const { cells, fractions } of rows) {
      expect(cells.slice(0, 4)).toEqual(['1.234', '1.234', '', '7'])
      expect(fractions).toEqual([0])
    }
  })
})

describe('a file is refused', () => {
  const problemOf = async (bytes: Uint8Array): Promise<unknown> => {
    try {
      await read(bytes)
      return undefined
    } catch (error) {
      return (error as { code?: unknown }).code
    }
  }

  test.each([
    ['that has nothing in it', utf8(' \n\n'), 'empty'],
    [
      'with ten thousand columns',
      utf8(`${Array.from({ length: 10_000 }, (_, at) => `c${at}`).join(',')}\n1\n`),
      'too_many_columns',
    ],
    ['with too many rows', utf8(`a\n${'1\n'.repeat(ROWS_MAX + 1)}`), 'too_many_rows'],
    ['with rows of too many cells', utf8(`a\n${`${','.repeat(100_000)}1\n`.repeat(41)}`), 'too_many_cells'],
    ['of old Excel', Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0), 'old_excel'],
    [
      'with a password',
      Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, ...utf16('EncryptionInfo EncryptedPackage', true)),
      'password',
    ],
    ['that is a web page called .xls', utf8('\n<html><table><tr><td>1'), 'web_page'],
    ['that only begins like an XLSX', utf8('PK\x03\x04 and nothing else'), 'broken_xlsx'],
  ])('%s', async (_, bytes, code) => {
    expect(await problemOf(bytes)).toBe(code)
  })

  test('that is too large, before it is read', async () => {
    const large = { length: FILE_BYTES_MAX + 1 } as Uint8Array
    expect(await problemOf(large)).toBe('too_large')
  })

  test('that unpacks to more than it may, whether it says so or not', async () => {
    const bytes = await writeXlsx({ sheets: [{ name: 'a', rows: [['a'], ['b'.repeat(20_000)]] }] })
    const stating = (size: number): Uint8Array => {
      const copy = Uint8Array.from(bytes)
      const view = new DataView(copy.buffer)
      for (let at = 0; at < copy.length - 46; at += 1) {
        if (view.getUint32(at, true) === 0x0201_4b50) view.setUint32(at + 24, size, true)
      }
      return copy
    }
    expect(await problemOf(bytes)).toBeUndefined()
    expect(await problemOf(stating(2 ** 30))).toBe('unpacks_too_large')
    expect(await problemOf(stating(0))).toBe('broken_xlsx')
    expect(await problemOf(stating(50))).toBe('broken_xlsx')
  })
})

describe('what is exported', () => {
  const columns = fileColumnsOf(TEST_FIELDS)
  const text = fc.string({ unit: fc.constantFrom(...`a'"=+-@,;\t\r\n_x000D\u0001 é漢\u{1F600}`) })
  const valueOf: Readonly<Record<string, fc.Arbitrary<FieldValue>>> = {
    integer: fc.integer(),
    number: fc.oneof(
      fc.bigInt().map(String),
      fc.tuple(fc.bigInt({ min: 0n }), fc.stringMatching(/^\d{1,20}$/)).map(([whole, rest]) => `${whole}.${rest}`),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    ),
    boolean: fc.constantFrom(0, 1),
    date: fc
      .date({ min: new Date('1850-01-01'), max: new Date('2300-01-01'), noInvalidDate: true })
      .map((at) => at.toISOString().slice(0, 10)),
    datetime: fc
      .date({ noInvalidDate: true, min: new Date('1950-01-01'), max: new Date('2100-01-01') })
      .map((at) => at.toISOString().replace('Z', '123Z')),
    choice: fc.constantFrom('open', 'doing', 'to_verify'),
    json: fc.json(),
    link: fc.uuid(),
    uuid: fc.uuid(),
  }
  const record: fc.Arbitrary<ExportedRecord> = fc.record({
    values: fc.record(
      Object.fromEntries(TEST_FIELDS.map(({ name, kind }) => [name, fc.option(valueOf[kind] ?? text, { nil: null })])),
    ),
    titles: fc.record({ site_id: text }),
  })
  async function* once(records: readonly ExportedRecord[]): AsyncGenerator<readonly ExportedRecord[]> {
    yield records
  }

  test.each(['csv', 'xlsx'] as const)('comes back from %s as it was', async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 5 }), async (records) => {
        const kept = records.filter((one) => columns.some((column) => cellText(column, one).trim() !== ''))
        const file = await renderRecords(format, columns, once(records), 'Tasks: [all]')
        const [header, ...rows] = await read(new Uint8Array(await file.arrayBuffer()))
        expect(header).toEqual(columns.map((column) => column.header))
        expect(rows).toHaveLength(kept.length)
        kept.forEach((one, row) => {
          columns.forEach((column, at) => {
            const written = cellText(column, one)
            const number =
              format === 'xlsx' && /integer|number/.test(column.field.kind) ? exactNumber(written) : undefined
            expect(rows[row]?.[at] ?? '').toBe(number === undefined ? written : String(number))
          })
        })
      }),
      { numRuns: runsOf(60) },
    )
  })

  test('never runs as a formula in a spreadsheet', async () => {
    const site = { values: { site_id: 's1', title: '=HYPERLINK("x")' }, titles: { site_id: '+cmd' } }
    const two = fileColumnsOf(TEST_FIELDS, [testField('title'), testField('site_id')])
    const csv = await (await renderRecords('csv', two, once([site]), 'Tasks')).text()
    expect(csv).toContain(`"'=HYPERLINK(""x"")",'+cmd,s1`)
    const xlsx = new Uint8Array(await (await renderRecords('xlsx', two, once([site]), 'Tasks')).arrayBuffer())
    expect(await read(xlsx)).toEqual([
      ['Title', 'Site', 'Site ID'],
      ['=HYPERLINK("x")', '+cmd', 's1'],
    ])
    const { readXlsx } = await import('hucre/xlsx')
    const [sheet] = (await readXlsx(xlsx)).sheets
    expect([...(sheet?.cells?.values() ?? [])].filter(({ formula }) => formula !== undefined)).toEqual([])
  })

  test('names the field whose text no cell of XLSX holds, also where a browser only says that the body failed', async () => {
    class OpaqueResponse extends Response {
      override blob(): Promise<Blob> {
        return super.blob().catch(() => Promise.reject(new TypeError('Failed to fetch')))
      }
    }
    vi.stubGlobal('Response', OpaqueResponse)
    const long = { values: { title: 'x'.repeat(32_768) }, titles: {} }
    const title = fileColumnsOf(TEST_FIELDS, [testField('title')])
    await expect(renderRecords('xlsx', title, once([long]), 'Tasks')).rejects.toMatchObject({ header: 'Title' })
  })

  test('is JSON with values as the REST API has them, and links by id and title', async () => {
    const values = {
      id: 't1',
      title: 'a',
      site_id: 's1',
      cost: '12.50',
      ratio: 0.5,
      urgent: 1,
      tags: '["x"]',
      due_on: null,
    }
    const names = ['title', 'site_id', 'cost', 'ratio', 'urgent', 'tags', 'due_on']
    const some = fileColumnsOf(TEST_FIELDS, names.map(testField))
    const json = await (await renderRecords('json', some, once([{ values, titles: { site_id: 'Elm' } }]), '')).text()
    expect(json).toContain('"cost":12.50')
    expect(JSON.parse(json)).toEqual([
      {
        title: 'a',
        site_id: { id: 's1', title: 'Elm' },
        cost: 12.5,
        ratio: 0.5,
        urgent: true,
        tags: ['x'],
        due_on: null,
      },
    ])
    expect(JSON.parse(await (await renderRecords('json', some, once([]), '')).text())).toEqual([])
  })

  test('a file without ids names linked records by their title alone', async () => {
    const columns = fileColumnsOf(TEST_FIELDS, ['title', 'site_id'].map(testField), false)
    const records = [{ values: { title: 'a', site_id: 's1' }, titles: { site_id: 'Elm' } }]
    expect(columns.map(({ header }) => header)).toEqual(['Title', 'Site'])
    expect(JSON.parse(await (await renderRecords('json', columns, once(records), '')).text())).toEqual([
      { title: 'a', site_id: 'Elm' },
    ])
    expect(await (await renderRecords('csv', columns, once(records), '')).text()).toContain('a,Elm')
  })
})
