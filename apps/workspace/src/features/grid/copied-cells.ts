import type { Field } from '../../lib/fields/field.ts'
import { parseHtmlTable, renderHtmlTable } from '../../lib/fields/html-table.ts'
import { parseTsv, renderTsv } from '../../lib/fields/tsv.ts'
import { guardFormulas, withoutGuards } from '../../lib/spreadsheet-text.ts'
import { copyText, type PastedCell } from './edit-changes.ts'
import type { GridRow } from './window-cache.ts'

export type Cells = readonly (readonly PastedCell[])[]

/** Clipboard text and the cells it was rendered from. */
export interface CopiedCells {
  readonly text: string
  readonly html: string
  readonly cells: Cells
}

/** Limit of cells per paste. */
export const PASTED_CELLS_MAX = 50_000

export function copyCells(rows: readonly GridRow[], fields: readonly Field[]): CopiedCells {
  const cells = rows.map((row) =>
    fields.map((field) => ({ text: copyText(field, row), copied: { field, value: row[field.name] ?? null } })),
  )
  const texts = cells.map((row) => row.map(({ text }) => text))
  // The HTML marks texts as text; without it, a spreadsheet guesses from their first characters.
  return { text: renderTsv(texts.map((row) => row.map(guardFormulas))), html: renderHtmlTable(texts), cells }
}

/**
 * Parses pasted cells. Returns the copied values if the text matches the last copy, even with Windows line breaks. For cells from a spreadsheet, the text has
 * the displayed values and the HTML the numbers behind them. If the two differ in shape, for example because there is no text, the HTML is used.
 */
export function pastedCells(text: string, html: string, last: CopiedCells | undefined): Cells {
  if (last?.text === text.replaceAll('\r\n', '\n')) return last.cells
  const cells = text === '' ? [] : parseTsv(text).map((row) => row.map(withoutGuards))
  const table = html === '' ? undefined : parseHtmlTable(html, PASTED_CELLS_MAX)
  if (table && (table.length !== cells.length || widthOf(table) !== widthOf(cells))) return table
  return cells.map((row, at) => row.map((cell, column) => ({ text: cell, number: table?.[at]?.[column]?.number })))
}

function widthOf(rows: readonly (readonly unknown[])[]): number {
  return rows.reduce((width, { length }) => Math.max(width, length), 0)
}
