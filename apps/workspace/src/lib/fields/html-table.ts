/** A clipboard table cell from another program. */
export interface HtmlCell {
  readonly text: string
  /** The unrounded number behind the displayed text, with decimal point. */
  readonly number: string | undefined
}

const SPANS_MAX = 1_000
const ATTRIBUTES_MAX = 4_000
const HIDDEN = new Set(['style', 'script', 'title', 'head'])
const BLOCKS = new Set(['p', 'div', 'li'])

/**
 * Parses the first HTML table as copied by Excel and Google Sheets. Scans text only, so nothing is loaded or run.
 *
 * @param cellsMax - larger tables are not read
 * @returns `undefined` if there is no table, or it is too large
 */
export function parseHtmlTable(html: string, cellsMax: number): readonly (readonly HtmlCell[])[] | undefined {
  const rows: HtmlCell[][] = []
  /** Remaining rowspans by column. */
  const covered = new Map<number, number>()
  let row: HtmlCell[] | undefined
  let cell: { text: string; attributes: string } | undefined
  let hidden: string | undefined
  let depth = 0
  let cells = 0

  const coverColumns = (): void => {
    while (row && (covered.get(row.length) ?? 0) > 0) {
      covered.set(row.length, (covered.get(row.length) ?? 0) - 1)
      row.push({ text: '', number: undefined })
    }
  }
  const endCell = (): void => {
    if (!row || !cell) return
    coverColumns()
    const at = row.length
    const width = spanOf(cell.attributes, 'colspan')
    const height = spanOf(cell.attributes, 'rowspan')
    for (let column = at; column < at + width; column += 1) if (height > 1) covered.set(column, height - 1)
    row.push({ text: cleanText(cell.text), number: numberOf(cell.attributes) })
    for (let column = 1; column < width; column += 1) row.push({ text: '', number: undefined })
    cells += width
    cell = undefined
  }
  const endRow = (): void => {
    endCell()
    coverColumns()
    if (row) rows.push(row)
    row = undefined
  }

  for (const { text, tag, isEnd, attributes } of tokensOf(html)) {
    if (hidden !== undefined) {
      if (isEnd && tag === hidden) hidden = undefined
    } else if (tag === '') {
      if (cell) cell.text += decode(text.replace(/[ \t\r\n]+/g, ' '))
    } else if (HIDDEN.has(tag)) hidden = isEnd ? undefined : tag
    else if (tag === 'table') {
      depth += isEnd ? -1 : 1
      if (depth === 0) break
    } else if (depth === 1 && tag === 'tr') {
      endRow()
      if (!isEnd) row = []
    } else if (depth === 1 && (tag === 'td' || tag === 'th')) {
      endCell()
      if (!isEnd) cell = { text: '', attributes }
    } else if (cell && (tag === 'br' || (BLOCKS.has(tag) && !isEnd && cell.text.trim() !== ''))) cell.text += '\n'
    if (cells > cellsMax) return undefined
  }
  endRow()
  return rows.some((one) => one.length > 0) ? rows : undefined
}

interface Token {
  /** Empty for text. */
  readonly tag: string
  readonly isEnd: boolean
  readonly attributes: string
  readonly text: string
}

/** Yields tags and texts without comments, in linear time. An unterminated construct ends the markup. */
function* tokensOf(html: string): Generator<Token> {
  let at = 0
  while (at < html.length) {
    if (html.startsWith('<!--', at)) {
      const end = html.indexOf('-->', at)
      if (end === -1) return
      at = end + 3
    } else if (/[a-z/!]/i.test(html[at + 1] ?? '') && html[at] === '<') {
      const end = endOfTag(html, at)
      if (end === -1) return
      const [, slash, name = '', attributes = ''] =
        /^(\/?)([a-z][a-z0-9]*)?([\s\S]*)$/i.exec(html.slice(at + 1, end)) ?? []
      if (name !== '')
        yield {
          tag: name.toLowerCase(),
          isEnd: slash === '/',
          attributes: attributes.slice(0, ATTRIBUTES_MAX),
          text: '',
        }
      at = end + 1
    } else {
      const next = html.indexOf('<', at + 1)
      const end = next === -1 ? html.length : next
      yield { tag: '', isEnd: false, attributes: '', text: html.slice(at, end) }
      at = end
    }
  }
}

/** Returns the end of a tag; `>` within quotes is part of it. */
function endOfTag(html: string, from: number): number {
  let quote: string | undefined
  for (let at = from + 1; at < html.length; at += 1) {
    const letter = html[at]
    if (quote !== undefined) quote = letter === quote ? undefined : quote
    else if (letter === '>') return at
    else if (letter === '"' || letter === "'") quote = letter
  }
  return -1
}

function spanOf(attributes: string, name: string): number {
  const count = Number(attributeOf(attributes, name) ?? 1)
  return Number.isInteger(count) && count > 0 ? Math.min(count, SPANS_MAX) : 1
}

/** Returns the underlying number: Excel writes it if displayed differently, Google Sheets always. */
function numberOf(attributes: string): string | undefined {
  const text =
    attributeOf(attributes, 'x:num') ??
    /^\{"1":3,"3":(-?[\d.]+)[,}]/.exec(attributeOf(attributes, 'data-sheets-value') ?? '')?.[1]
  return text !== undefined && /^-?\d+(\.\d+)?$/.test(text) ? text : undefined
}

function attributeOf(attributes: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(attributes)
  const text = found?.[1] ?? found?.[2] ?? found?.[3]
  return text === undefined ? undefined : decode(text)
}

/** Strips whitespace of the markup. */
function cleanText(text: string): string {
  return text
    .replaceAll('\u00a0', ' ')
    .replace(/ *\n */g, '\n')
    .trim()
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, digits, hex, name) => {
    if (name !== undefined) return NAMED[String(name).toLowerCase()] ?? whole
    const code = digits === undefined ? Number.parseInt(String(hex), 16) : Number(digits)
    return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : whole
  })
}

/** Renders cells as clipboard HTML beside their tab-separated text. Spreadsheets take them as texts, so nothing becomes a formula, date or rounded number. */
export function renderHtmlTable(rows: readonly (readonly string[])[]): string {
  const cell = (text: string): string => {
    const shown = escape(text).replaceAll('\n', '<br style="mso-data-placement:same-cell">')
    return NUMBER.test(text) ? `<td>${shown}</td>` : `<td style="mso-number-format:'\\@'">${shown}</td>`
  }
  return `<table>${rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('')}</table>`
}

const NUMBER = /^-?\d{1,15}([.,]\d{1,10})?$/

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
