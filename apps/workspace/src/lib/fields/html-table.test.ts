import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseHtmlTable, renderHtmlTable } from './html-table.ts'

const CELLS_MAX = 50_000
const textsOf = (html: string) => parseHtmlTable(html, CELLS_MAX)?.map((row) => row.map(({ text }) => text))

/** Two rows as Excel 365 for Windows copies them: conditional comments, styles, and the number behind a rounded one. */
const EXCEL = `<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:x="urn:schemas-microsoft-com:office:excel">
<head><meta http-equiv=Content-Type content="text/html; charset=utf-8"><meta name=Generator content="Microsoft Excel 15">
<style><!--table {mso-displayed-decimal-separator:"\\.";} .xl65 {mso-number-format:"Short Date";}--></style></head>
<body link="#0563C1"><table border=0 cellpadding=0 cellspacing=0 width=256 style='border-collapse:collapse;width:192pt'>
<!--StartFragment--> <col width=64 span=4 style='width:48pt'>
 <tr height=20 style='height:15.0pt'>
  <td height=20 width=64 style='height:15.0pt;width:48pt'>Valve &amp; pump</td>
  <td class=xl65 align=right width=64>03/11/2026</td>
  <td align=right width=64 x:num="12.3456">12.35</td>
  <td width=64>two<br>
    lines</td>
 </tr>
 <tr height=20><td colspan=2>merged</td><td></td><td>&#233;&nbsp;x</td></tr>
<!--EndFragment--></table></body></html>`

/** As Google Sheets copies them: with a marker and underlying values. */
const SHEETS = `<meta charset='utf-8'><google-sheets-html-origin><style type="text/css"><!--td {border: 1px solid #cccccc;}br {mso-data-placement:same-cell;}--></style><table xmlns="http://www.w3.org/1999/xhtml" cellspacing="0" dir="ltr" data-sheets-root="1"><colgroup><col width="100"/><col width="100"/></colgroup><tbody><tr style="height:21px;"><td data-sheets-value="{&quot;1&quot;:2,&quot;2&quot;:&quot;a &lt;b&gt;&quot;}">a &lt;b&gt;</td><td style="text-align:right;" data-sheets-value="{&quot;1&quot;:3,&quot;3&quot;:0.125}" data-sheets-numberformat="{&quot;1&quot;:3,&quot;2&quot;:&quot;0%&quot;}">13%</td></tr><tr><td rowspan="2">x</td><td>1</td></tr><tr><td>2</td></tr></tbody></table>`

describe('a table on the clipboard', () => {
  test('is read as Excel writes it', () => {
    expect(textsOf(EXCEL)).toEqual([
      ['Valve & pump', '03/11/2026', '12.35', 'two\nlines'],
      ['merged', '', '', 'é x'],
    ])
    expect(parseHtmlTable(EXCEL, CELLS_MAX)?.[0]?.[2]?.number).toBe('12.3456')
  })

  test('is read as Google Sheets writes it', () => {
    expect(textsOf(SHEETS)).toEqual([
      ['a <b>', '13%'],
      ['x', '1'],
      ['', '2'],
    ])
    expect(parseHtmlTable(SHEETS, CELLS_MAX)?.[0]?.[1]?.number).toBe('0.125')
    expect(parseHtmlTable(SHEETS, CELLS_MAX)?.[0]?.[0]?.number).toBeUndefined()
  })

  test('is none where there is no table, or one that is too large', () => {
    expect(textsOf('<p>words</p>')).toBeUndefined()
    expect(textsOf('<table></table>')).toBeUndefined()
    expect(parseHtmlTable(`<table><tr>${'<td>'.repeat(100)}</tr></table>`, 50)).toBeUndefined()
    expect(parseHtmlTable(`<table><tr>${'<td colspan=9999>'.repeat(9)}</tr></table>`, 5_000)).toBeUndefined()
  })

  test('comes back as it was written, and no cell is a formula', () => {
    const text = fc.string({ unit: fc.constantFrom(...`a1'"=<>&;\n é`) }).map((one) =>
      one
        .replace(/ *\n */g, '\n')
        .replace(/ +/g, ' ')
        .trim(),
    )
    fc.assert(
      fc.property(fc.array(fc.array(text, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 4 }), (rows) => {
        expect(textsOf(renderHtmlTable(rows))).toEqual(rows)
      }),
    )
    expect(renderHtmlTable([['=1+1', '12,5']])).toBe(
      `<table><tr><td style="mso-number-format:'\\@'">=1+1</td><td>12,5</td></tr></table>`,
    )
  })

  test('takes time by its length, whatever is in it', () => {
    for (const hostile of [
      '<td '.repeat(50_000),
      `<table><tr><td ${'a="'.repeat(50_000)}`,
      '<!--'.repeat(50_000),
      '&#'.repeat(100_000),
    ]) {
      expect(parseHtmlTable(hostile, CELLS_MAX)).toBeUndefined()
    }
  })
})
