import { crc32 } from 'node:zlib'
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

/** A zip of files that are not compressed. */
function zipOf(files: readonly (readonly [path: string, content: Uint8Array])[]): Uint8Array {
  const local: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [path, content] of files) {
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt32LE(crc32(content), 10)
    fields.writeUInt32LE(content.length, 14)
    fields.writeUInt32LE(content.length, 18)
    fields.writeUInt16LE(path.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(at, 10)
    local.push(Buffer.from('PK\x03\x04'), fields, Buffer.from(path), Buffer.from(content))
    directory.push(Buffer.from('PK\x01\x02\x14\0'), fields, place, Buffer.from(path))
    at += 30 + path.length + content.length
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(Buffer.concat(directory).length, 8)
  end.writeUInt32LE(at, 12)
  return new Uint8Array(Buffer.concat([...local, ...directory, Buffer.from('PK\x05\x06'), end]))
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

describe('an XLSX as people make them', () => {
  const text = (xml: string): Uint8Array => new TextEncoder().encode(`<?xml version="1.0" encoding="UTF-8"?>${xml}`)
  const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
  interface TestSheet {
    readonly name: string
    readonly type?: 'worksheet' | 'chartsheet'
    readonly state?: 'hidden' | 'veryHidden'
    readonly xml?: string
  }
  /** A file as Excel packs it, of the XML of sheets; style 1 is a day. */
  function workbook(sheets: readonly TestSheet[], properties = ''): Uint8Array {
    const entries: (readonly [path: string, content: Uint8Array])[] = []
    const add = (path: string, content: Uint8Array): void => void entries.push([path, content])
    const parts = sheets.map(({ type = 'worksheet' }, at) => ({ type, path: `${type}s/sheet${at + 1}.xml` }))
    const relations = [...parts, { type: 'styles', path: 'styles.xml' }]
    const xmlns = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
    add('[Content_Types].xml', text('<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'))
    add(
      '_rels/.rels',
      text(
        `<Relationships ${xmlns}><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="/xl/workbook.xml"/></Relationships>`,
      ),
    )
    add(
      'xl/_rels/workbook.xml.rels',
      text(
        `<Relationships ${xmlns}>${relations.map(({ type, path }, at) => `<Relationship Id="rId${at + 1}" Type="${RELATIONS}/${type}" Target="${path}"/>`).join('')}</Relationships>`,
      ),
    )
    const list = sheets.map(
      ({ name, state = 'visible' }, at) =>
        `<sheet name="${name}" sheetId="${at + 1}" state="${state}" r:id="rId${at + 1}"/>`,
    )
    add(
      'xl/workbook.xml',
      text(`<workbook ${MAIN} xmlns:r="${RELATIONS}">${properties}<sheets>${list.join('')}</sheets></workbook>`),
    )
    add(
      'xl/styles.xml',
      text(
        `<styleSheet ${MAIN}><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
      ),
    )
    sheets.forEach(({ xml = '<sheetData/>' }, at) =>
      add(`xl/${parts[at]?.path}`, text(`<worksheet ${MAIN}>${xml}</worksheet>`)),
    )
    return zipOf(entries)
  }
  const row = (number: number, cells: string, more = ''): string => `<row r="${number}"${more}>${cells}</row>`
  const say = (reference: string, words: string): string =>
    `<c r="${reference}" t="inlineStr"><is><t>${words}</t></is></c>`
  const table = (...rows: readonly string[]): string => `<sheetData>${rows.join('')}</sheetData>`

  test('offers its worksheets, hidden ones marked, and begins with the first visible one that has cells', async () => {
    const sheet = table(row(1, say('A1', 'Ref')), row(2, say('A2', 'P-1')))
    const bytes = workbook([
      { name: 'Chart', type: 'chartsheet' },
      { name: 'Old &amp; gone', state: 'hidden', xml: table(row(1, say('A1', 'Was')), row(2, say('A2', 'x'))) },
      { name: 'Empty' },
      { name: '2026', xml: sheet },
    ])
    expect((await openFile(bytes)).sheets).toEqual({
      all: [
        { name: 'Old & gone', isHidden: true },
        { name: 'Empty', isHidden: false },
        { name: '2026', isHidden: false },
      ],
      chosen: '2026',
    })
    expect(await read(bytes)).toEqual([['Ref'], ['P-1']])
    expect(await read(bytes, { sheet: 'Old & gone' })).toEqual([['Was'], ['x']])
    await expect(read(bytes, { sheet: 'Empty' })).rejects.toMatchObject({ code: 'empty' })
  })

  test('has names of columns in merged cells of two rows', async () => {
    const bytes = workbook([
      {
        name: 'a',
        xml: `${table(
          row(1, say('A1', 'Contacts of the north')),
          row(3, say('A3', 'Ref') + say('B3', 'Contact') + say('D3', 'Site') + say('E3', 'Note')),
          row(4, say('B4', 'Name') + say('C4', 'Phone') + say('D4', 'Town')),
          row(5, say('A5', 'P-1') + say('B5', 'Dana') + say('C5', '1') + say('D5', 'x') + say('E5', 'y')),
          row(6, say('A6', 'P-2') + say('B6', 'Sam') + say('C6', '2') + say('D6', 'x') + say('E6', 'y')),
        )}<mergeCells><mergeCell ref="A1:E1"/><mergeCell ref="A3:A4"/><mergeCell ref="B3:C3"/><mergeCell ref="E3:E4"/></mergeCells>`,
      },
    ])
    expect((await openFile(bytes)).head).toEqual({ row: 3, lines: 2 })
    expect((await read(bytes))[0]).toEqual(['Ref', 'Contact Name', 'Contact Phone', 'Site Town', 'Note'])
  })

  test('tells what its rows do not show: formulas without results, errors, hidden rows and columns', async () => {
    const bytes = workbook([
      {
        name: 'a',
        xml: `<cols><col min="2" max="2" hidden="1"/><col min="4" max="16384" hidden="1"/></cols>${table(
          row(1, say('A1', 'Ref') + say('B1', 'Depth') + say('C1', 'Sum')),
          row(2, `${say('A2', 'P-1')}<c r="B2"><v>3</v></c><c r="C2"><f>B2*2</f></c>`),
          row(3, `${say('A3', 'P-2')}<c r="B3"><v>4</v></c><c r="C3"><f>B3*2</f><v>8</v></c>`, ' hidden="1"'),
          row(4, `${say('A4', 'P-3')}<c r="B4" t="e"><v>#N/A</v></c><c r="C4" t="str"><f>""</f><v></v></c>`),
          row(5, '', ' hidden="1"'),
        )}`,
      },
    ])
    const opened = await openFile(bytes)
    const rows: (readonly string[])[] = []
    for await (const { cells } of opened.rows) rows.push(cells)
    expect(rows).toEqual([['P-1', '3'], ['P-2', '4', '8'], ['P-3']])
    expect(opened.notes).toEqual({
      hasOpenQuote: false,
      brokenRow: undefined,
      errors: 1,
      unsaved: 1,
      hiddenRows: 1,
      hiddenColumns: 1,
    })
  })

  test.each([
    ['1900', '', '2026-03-03'],
    ['1904', '<workbookPr date1904="1"/>', '2030-03-04'],
  ])('has days that count from %s', async (_, properties, day) => {
    const xml = table(row(1, say('A1', 'Day')), row(2, '<c r="A2" s="1"><v>46084</v></c>'))
    expect(await read(workbook([{ name: 'a', xml }], properties))).toEqual([['Day'], [day]])
  })

  test('has numbers as they are shown, without exponents, and texts of digits as they are', async () => {
    const numbers = ['1E+20', '1.5E-7', '0.30000000000000004', '-1.25E+21', '12', '1E+3']
    const cells = numbers.map((number, at) => row(at + 2, `<c r="A${at + 2}"><v>${number}</v></c>`))
    const xml = table(row(1, say('A1', 'n')), ...cells, row(9, say('A9', '00012')))
    expect((await read(workbook([{ name: 'a', xml }]))).flat()).toEqual([
      'n',
      '100000000000000000000',
      '0.00000015',
      '0.3',
      '-1250000000000000000000',
      '12',
      '1000',
      '00012',
    ])
  })

  test('is bounded though one cell stands at the end of each of many rows', async () => {
    const far = Array.from({ length: 400 }, (_, at) =>
      row(at + 2, `<c r="A${at + 2}"><v>1</v></c><c r="XFD${at + 2}"><v>1</v></c>`),
    )
    await expect(read(workbook([{ name: 'a', xml: table(row(1, say('A1', 'n')), ...far) }]))).rejects.toMatchObject({
      code: 'too_many_cells',
    })
    const styled = far.map((one) => one.replace('<v>1</v></c></row>', '</c></row>'))
    expect(await read(workbook([{ name: 'a', xml: table(row(1, say('A1', 'n')), ...styled) }]))).toHaveLength(401)
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
})
