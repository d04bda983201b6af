import type { Field } from '../../lib/fields/field.ts'
import { parseHtmlTable, renderHtmlTable } from '../../lib/fields/html-table.ts'
import { parseTsv, renderTsv } from '../../lib/fields/tsv.ts'
import { guardFormulas, withoutGuards } from '../../lib/spreadsheet-text.ts'
import { copyText, type PastedCell } from './edit-changes.ts'
import type { GridRow } from './window-cache.ts'

export type Cells = readonly (readonly PastedCell[])[]

/** Text for the clipboard, with the cells that it is of. */
export interface CopiedCells {
  readonly text: string
  readonly html: string
  readonly cells: Cells
}

/** Cells that are pasted at once. */
export const PASTED_CELLS_MAX = 50_000

export function copyCells(rows: readonly GridRow[], fields: readonly Field[]): CopiedCells {
  const cells = rows.map((row) =>
    fields.map((field) => ({ text: copyText(field, row), copied: { field, value: row[field.name] ?? null } })),
  )
  const texts = cells.map((row) => row.map(({ text }) => text))
  // The HTML marks texts as such; without it a spreadsheet decides by what they begin with.
  return { text: renderTsv(texts.map((row) => row.map(guardFormulas))), html: renderHtmlTable(texts), cells }
}

/**
 * The cells of what is pasted: with their values when it is what was copied last, as Windows may have written it. Of a spreadsheet the text has the cells
 * as they are shown, and its HTML the numbers behind them; where the two are of different tables, such as of a text with none, the HTML is taken.
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
