import type { Field } from '../../lib/fields/field.ts'
import { parseTsv, renderTsv } from '../../lib/fields/tsv.ts'
import { copyText, type PastedCell } from './edit-changes.ts'
import type { GridRow } from './window-cache.ts'

type Cells = readonly (readonly PastedCell[])[]

/** Text for the clipboard, with the cells that it is of. */
export interface CopiedCells {
  readonly text: string
  readonly cells: Cells
}

export function copyCells(rows: readonly GridRow[], fields: readonly Field[]): CopiedCells {
  const cells = rows.map((row) =>
    fields.map((field) => ({ text: copyText(field, row), copied: { field, value: row[field.name] ?? null } })),
  )
  return { text: renderTsv(cells.map((row) => row.map(({ text }) => text))), cells }
}

/** The cells of a pasted text: with their values when it is what was copied last, as Windows may have written it. */
export function pastedCells(text: string, last: CopiedCells | undefined): Cells {
  if (last?.text === text.replaceAll('\r\n', '\n')) return last.cells
  return parseTsv(text).map((row) => row.map((cell) => ({ text: cell })))
}
