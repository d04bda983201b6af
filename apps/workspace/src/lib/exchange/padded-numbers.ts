import { readXml } from 'hucre/xml'

/** A number format of a fixed number of digits, such as `00000` for zip codes or `00000-0000`. */
export interface PaddedFormat {
  /** Each `0` is a digit; other characters stand for themselves. */
  readonly pattern: string
}

/** Returns the cell styles of an XLSX whose numbers have a fixed number of digits, by index. */
export function readPaddedStyles(xml: string): ReadonlyMap<number, PaddedFormat> {
  const codes = new Map(
    rowsOf(xml, 'numFmts', 'numFmt').map((one) => [one['@numFmtId'] ?? '', one['@formatCode'] ?? '']),
  )
  const found = new Map<number, PaddedFormat>()
  for (const [index, style] of rowsOf(xml, 'cellXfs', 'xf').entries()) {
    const format = paddedFormat(codes.get(style['@numFmtId'] ?? '') ?? '')
    if (format) found.set(index, format)
  }
  return found
}

function rowsOf(xml: string, list: string, name: string): readonly Readonly<Record<string, string | undefined>>[] {
  const [part = ''] = new RegExp(`<(?:\\w+:)?${list}\\b[^]*?</(?:\\w+:)?${list}>`).exec(xml) ?? []
  if (part === '') return []
  return readXml(part, { rowTag: name }).data.map((one) =>
    Object.fromEntries(Object.entries(one).map(([key, value]) => [key, value === null ? undefined : String(value)])),
  )
}

/** Parses a format code; `undefined` unless it consists of at least two zeros and literal text. */
export function paddedFormat(code: string): PaddedFormat | undefined {
  // Only the section of positive numbers counts; `[$-409]` names a language.
  const [section = ''] = code.split(';')
  let pattern = ''
  for (const [token, escaped, quoted, plain] of section
    .replace(/\[\$[^\]]*\]/g, '')
    .matchAll(/\\(.)|"([^"]*)"|([0\-() +:])|./g)) {
    const literal = escaped ?? quoted ?? plain
    if (literal === undefined || (token !== '0' && literal.includes('0'))) return undefined
    pattern += literal
  }
  return /0.*0/.test(pattern) ? { pattern } : undefined
}

/** Renders a whole number as its cell shows it; `undefined` for others. */
export function padNumber(value: number, { pattern }: PaddedFormat): string | undefined {
  if (!Number.isSafeInteger(value) || value < 0) return undefined
  const places = [...pattern].filter((letter) => letter === '0').length
  const digits = [...String(value).padStart(places, '0')]
  // More digits than places stand before the first.
  let text = digits.splice(0, digits.length - places).join('')
  for (const letter of pattern) text += letter === '0' ? (digits.shift() ?? '') : letter
  return text
}

interface Run {
  readonly from: number
  to: number
  readonly format: PaddedFormat
}

/** The cells with a padded format, as runs of rows per column: whole columns have one run. */
export class PaddedCells {
  readonly #runs = new Map<number, Run[]>()

  /** Adds a cell; rows come in order. */
  add(row: number, column: number, format: PaddedFormat): void {
    const runs = this.#runs.get(column)
    const last = runs?.at(-1)
    if (last?.format === format && last.to === row - 1) last.to = row
    else if (runs) runs.push({ from: row, to: row, format })
    else this.#runs.set(column, [{ from: row, to: row, format }])
  }

  find(row: number, column: number): PaddedFormat | undefined {
    const runs = this.#runs.get(column)
    if (!runs) return undefined
    // Rows are asked for in order.
    while (runs[0] && runs[0].to < row && runs.length > 1) runs.shift()
    const [first] = runs
    return first && first.from <= row && row <= first.to ? first.format : undefined
  }
}
