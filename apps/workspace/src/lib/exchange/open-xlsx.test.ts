import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openFile } from './open-file.ts'
import type { FileRow, OpenedFile, ReadAs } from './opened-file.ts'
import { paddedFormat, padNumber } from './padded-numbers.ts'

async function read(bytes: Uint8Array, readAs?: ReadAs): Promise<readonly (readonly string[])[]> {
  const opened = await openFile(bytes, readAs)
  const rows: (readonly string[])[] = [opened.header]
  for await (const { cells } of opened.rows) rows.push(cells)
  return rows
}

async function rowsOf({ rows }: OpenedFile): Promise<readonly FileRow[]> {
  const read: FileRow[] = []
  for await (const row of rows) read.push(row)
  return read
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
  /** A file as Excel packs it, of the XML of sheets; style 1 is a day, 2 a zip code, 3 a phone number. */
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
        `<styleSheet ${MAIN}><numFmts count="2"><numFmt numFmtId="164" formatCode="00000"/><numFmt numFmtId="165" formatCode="000\\-0000"/></numFmts>
          <cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`,
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

  test('gives the value of vertically merged cells to each of their rows that has more, and tells so', async () => {
    const bytes = workbook([
      {
        name: 'a',
        xml: `${table(
          row(1, say('A1', 'Region') + say('B1', 'Site') + say('C1', 'Cost')),
          row(2, say('A2', 'North') + say('B2', 'Elm') + '<c r="C2"><v>1.5</v></c>'),
          row(3, say('B3', 'Oak')),
          row(5, say('B5', 'Ash')),
          row(6, ''),
          row(7, say('B7', 'Yew')),
          row(8, say('A8', 'South') + say('B8', 'Fir')),
          row(9, say('B9', 'Ivy')),
        )}<mergeCells><mergeCell ref="A8:A9"/><mergeCell ref="A2:A6"/><mergeCell ref="C2:C3"/><mergeCell ref="B2:B2"/></mergeCells>`,
      },
    ])
    expect(await read(bytes)).toEqual([
      ['Region', 'Site', 'Cost'],
      ['North', 'Elm', '1.5'],
      ['North', 'Oak', '1.5'],
      ['North', 'Ash'],
      ['', 'Yew'],
      ['South', 'Fir'],
      ['South', 'Ivy'],
    ])
    const opened = await openFile(bytes)
    const rows = await rowsOf(opened)
    expect(rows[1]?.fractions).toEqual([2])
    expect(opened.notes.mergedCells).toBe(4)
  })

  test('reads numbers with a fixed number of digits as the texts that they show', async () => {
    const bytes = workbook([
      {
        name: 'a',
        xml: table(
          row(1, say('A1', 'Zip') + say('B1', 'Phone') + say('C1', 'Count')),
          row(2, '<c r="A2" s="2"><v>1067</v></c><c r="B2" s="3"><v>5550123</v></c><c r="C2"><v>1067</v></c>'),
          row(3, '<c s="2"><v>80331</v></c><c s="3"><v>15550123</v></c>'),
          row(4, '<c r="A4" s="2" t="str"><v>A-1010</v></c>'),
          row(5, '<c r="A5" s="2"><v>-12</v></c><c r="B5" s="2"><v>1.5</v></c>'),
        ),
      },
    ])
    expect(await read(bytes)).toEqual([
      ['Zip', 'Phone', 'Count'],
      ['01067', '555-0123', '1067'],
      ['80331', '1555-0123'],
      ['A-1010'],
      ['-12', '1.5'],
    ])
    const rows = await rowsOf(await openFile(bytes))
    expect(rows.map(({ texts }) => texts)).toEqual([[0, 1], [0, 1], undefined, undefined])
  })

  test.each([
    ['00000', 7, '00007'],
    ['00000-0000', 12_345_678, '01234-5678'],
    [String.raw`\(000\)" "000`, 12_345, '(012) 345'],
    ['[$-409]000;-000', 5, '005'],
    ['0', 5, undefined],
    ['0.00', 5, undefined],
    ['#,##0', 5, undefined],
    ['00.0', 5, undefined],
    ['yyyy', 5, undefined],
    ['00E+00', 5, undefined],
  ])('of the number format %s shows %i as %s', (code, value, expected) => {
    const format = paddedFormat(code)
    expect(format && padNumber(value, format)).toBe(expected)
  })

  test('tells what its rows do not show: formulas without results, errors, hidden rows and columns', async () => {
    const bytes = workbook([
      {
        name: 'a',
        xml: `<cols><col min="2" max="2" hidden="1"/><col min="4" max="16384" hidden="1"/></cols>${table(
          row(1, say('A1', 'Ref') + say('B1', 'Depth') + say('C1', 'Sum')),
          row(
            2,
            `${say('A2', 'P-1')}<c r="B2"><v>3</v></c><c r="C2"><f>B2*2</f></c><c r="D2"><f>1</f><v/></c><c r="E2"><f>1</f><v></v></c>`,
          ),
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
      unsaved: 3,
      hiddenRows: 1,
      hiddenColumns: 1,
      mergedCells: 0,
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
