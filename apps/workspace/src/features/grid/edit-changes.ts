import type { TableDescriptor } from '@holdfast/protocol'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { formatValue, toEditText } from '../../lib/fields/format-value.ts'
import { isNumeric } from '../../lib/fields/field-kind.ts'
import { checkEmpty, parseValue } from '../../lib/fields/parse-value.ts'
import { uuidV7 } from '../../lib/fields/uuid-v7.ts'
import type { RecordChange } from '../../lib/records/record-change.ts'
import { pasteMessages as words } from '../../messages/paste.ts'
import { fieldMessages } from '../../messages/fields.ts'
import { gridMessages } from '../../messages/grid.ts'
import { changeRow } from './change-row.ts'
import { LABEL_PREFIX } from './query/grid-query.ts'
import type { GridRow } from './window-cache.ts'

/** Changes of cells, and the reasons why other cells were left out. */
export interface CellChanges {
  readonly changes: readonly RecordChange[]
  readonly cells: number
  /** One message per cell that cannot take its value. */
  readonly refusals: readonly string[]
}

/** Returns the text to copy for a cell. It can be pasted back, and links are readable elsewhere. */
export function copyText(field: Field, row: GridRow): string {
  const value = row[field.name] ?? null
  return field.kind === 'link' ? formatValue(field, value, row[LABEL_PREFIX + field.name]) : toEditText(field, value)
}

/** A pasted cell: its text and, if copied in this tab, the original value with its field. */
export interface PastedCell {
  readonly text: string
  /** The unformatted number, if the spreadsheet displays it differently. */
  readonly number?: string | undefined
  readonly copied?: { readonly field: Field; readonly value: FieldValue }
}

/**
 * Pastes cells, starting at the first row and field. A single cell fills all given rows and fields.
 *
 * @param linkIds - returns the ids of the linked records with a title
 */
export function pasteChanges(input: {
  readonly table: string
  readonly rows: readonly GridRow[]
  readonly fields: readonly Field[]
  readonly cells: readonly (readonly PastedCell[])[]
  readonly linkIds: LinkIds
}): CellChanges {
  const { table, rows, fields, cells, linkIds } = input
  const single = cells.length === 1 && cells[0]?.length === 1 ? cells[0][0] : undefined
  const beyond = cells.flatMap((row) => row.slice(fields.length)).filter((cell) => cell.text.trim() !== '')
  const pasted = collect(table, rows, fields, (row, column, field) => {
    const cell = single ?? cells[row]?.[column]
    if (!cell) return undefined
    if (
      cell.copied &&
      hasSameValues(cell.copied.field, field) &&
      (cell.copied.value !== null || field.column.nullable)
    ) {
      return { isValid: true, value: cell.copied.value }
    }
    return parsePasted(field, cell, linkIds)
  })
  return { ...pasted, refusals: [...pasted.refusals, ...beyond.map(() => words.pasteNoField)] }
}

function parsePasted(field: Field, { text, number }: PastedCell, linkIds: LinkIds): ReturnType<typeof parseValue> {
  if (number !== undefined && isNumeric(field.kind)) {
    const exact = parseValue(field, number, { locale: 'en' })
    // If the field would round the number, the displayed number is used instead.
    if (exact.isValid) return exact
  }
  if (field.kind !== 'link') return parseValue(field, text)
  const [id, another] = linkIds(field, text)
  const parsed = parseValue(field, another === undefined ? (id ?? text) : text)
  if (parsed.isValid || text.trim() === '') return parsed
  const title = text.trim()
  return { isValid: false, message: another === undefined ? words.linkUnknown(title) : words.linkAmbiguous(title) }
}

type LinkIds = (field: Field, title: string) => readonly string[]

/**
 * Creates a record from each row of pasted cells.
 *
 * @param all - the fields of the table; records that lack a required field are left out
 */
export function pasteInserts(input: {
  readonly table: string
  readonly fields: readonly Field[]
  readonly all: readonly Field[]
  readonly cells: readonly (readonly PastedCell[])[]
  readonly linkIds: LinkIds
}): CellChanges {
  const { table, fields, all, cells, linkIds } = input
  const changes: RecordChange[] = []
  const refusals: string[] = []
  for (const row of cells) {
    if (row.every(({ text }) => text.trim() === '')) continue
    const values: Record<string, FieldValue> = {}
    const found: string[] = []
    fields.forEach((field, column) => {
      const cell = row[column]
      if (!cell || !field.isEditable || cell.text.trim() === '') return
      const copied = cell.copied && hasSameValues(cell.copied.field, field) ? cell.copied : undefined
      const parsed = copied ? { isValid: true as const, value: copied.value } : parsePasted(field, cell, linkIds)
      if (parsed.isValid) values[field.name] = parsed.value
      else found.push(`${field.label}: ${parsed.message}`)
    })
    const missing = all.find((field) => field.isRequired && (values[field.name] ?? null) === null)
    refusals.push(...found)
    if (missing === undefined) changes.push({ kind: 'insert', table, id: uuidV7(), values })
    else if (found.length === 0) refusals.push(`${missing.label}: ${fieldMessages.required(missing.label)}`)
  }
  return { changes, cells: changes.length * fields.length, refusals }
}

/** Merges changes that are made together. */
export function joinChanges(first: CellChanges, second: CellChanges): CellChanges {
  return {
    changes: [...first.changes, ...second.changes],
    cells: first.cells + second.cells,
    refusals: [...first.refusals, ...second.refusals],
  }
}

/** Clears cells. */
export function clearChanges(table: string, rows: readonly GridRow[], fields: readonly Field[]): CellChanges {
  return collect(table, rows, fields, (_row, _column, field) => checkEmpty(field))
}

/**
 * Copies the values of the first rows into the rows below them.
 *
 * @param sources - number of rows to repeat
 */
export function fillChanges(
  table: string,
  rows: readonly GridRow[],
  fields: readonly Field[],
  sources = 1,
): CellChanges {
  return collect(table, rows.slice(sources), fields, (row, _column, field) => {
    const value = rows[row % sources]?.[field.name] ?? null
    return value === null ? checkEmpty(field) : { isValid: true, value }
  })
}

/** Deletes rows. Keeps the values of all columns for undo. */
export function deleteChanges(table: TableDescriptor, rows: readonly GridRow[]): readonly RecordChange[] {
  const names = table.columns.map(({ name }) => name).filter((name) => name !== 'id')
  return rows.map((row) => ({
    kind: 'delete',
    table: table.name,
    id: row.id,
    values: Object.fromEntries(names.map((name) => [name, row[name] ?? null])),
  }))
}

/** Whether values of one field are valid in the other without conversion. */
function hasSameValues(from: Field, to: Field): boolean {
  return (
    from.column.type === to.column.type &&
    from.kind === to.kind &&
    from.link?.table === to.link?.table &&
    from.choices.every((choice) => to.choices.includes(choice))
  )
}

function collect(
  table: string,
  rows: readonly GridRow[],
  fields: readonly Field[],
  valueOf: (row: number, column: number, field: Field) => ReturnType<typeof parseValue> | undefined,
): CellChanges {
  const changes: RecordChange[] = []
  const refusals: string[] = []
  let cells = 0
  rows.forEach((row, rowIndex) => {
    const values: Record<string, FieldValue> = {}
    fields.forEach((field, columnIndex) => {
      const parsed = valueOf(rowIndex, columnIndex, field)
      if (!parsed || (parsed.isValid && (row[field.name] ?? null) === parsed.value)) return
      if (!field.isEditable) refusals.push(`${field.label}: ${gridMessages.readOnlyCell}`)
      else if (!parsed.isValid) refusals.push(`${field.label}: ${parsed.message}`)
      else {
        values[field.name] = parsed.value
        cells += 1
      }
    })
    changes.push(...changeRow(table, row, values))
  })
  return { changes, cells, refusals }
}
