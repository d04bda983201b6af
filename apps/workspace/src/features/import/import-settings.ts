import type { Field } from '../../lib/fields/field.ts'
import { type FileColumn, fileColumnsOf } from '../../lib/exchange/file-columns.ts'
import type { FileRow } from '../../lib/exchange/opened-file.ts'
import { markedNumberOf } from './marked-number.ts'

/** Number and date formats of a file. */
export interface Writing {
  readonly decimal: '.' | ','
  readonly dayFirst: boolean
}

/** Where the columns of a file go. */
export interface ImportSettings {
  /** The target field per column; `undefined`: ignored. */
  readonly targets: readonly (FileColumn | undefined)[]
  /** Rows that match a record in this field update it; `undefined`: every row creates a record. */
  readonly key: Field | undefined
  readonly writing: Writing
}

/** Returns the possible targets: all fields that users can write, and the id, which matches existing records. */
export function targetsOf(fields: readonly Field[]): readonly FileColumn[] {
  return fileColumnsOf(fields).filter(({ field }) => field.isEditable || field.name === 'id')
}

/** Returns the fields that identify records well enough to match them. */
export function keysOf(targets: readonly (FileColumn | undefined)[]): readonly Field[] {
  const kinds = new Set(['text', 'email', 'integer', 'uuid', 'number', 'url', 'phone'])
  const fields = targets.flatMap((target) =>
    target?.part === 'value' && (target.field.name === 'id' || kinds.has(target.field.kind)) ? [target.field] : [],
  )
  return [...new Set(fields)]
}

/** Matches columns to fields by export header, label or column name. Records are matched by id if the file has ids, otherwise by a number or code. */
export function proposeSettings(
  header: readonly string[],
  sample: readonly FileRow[],
  fields: readonly Field[],
  codeColumn: string | undefined,
): ImportSettings {
  const all = targetsOf(fields)
  const taken = new Set<FileColumn>()
  const targets = header.map((name) => {
    const found = namesOf(all).find(([known, target]) => known === fold(name) && !taken.has(target))?.[1]
    if (found) taken.add(found)
    return found
  })
  const keys = keysOf(targets)
  const key = keys.find(({ name }) => name === 'id') ?? keys.find(({ name }) => name === codeColumn)
  return { targets, key, writing: detectWriting(targets, sample) }
}

/** Exact headers come first. */
function namesOf(targets: readonly FileColumn[]): readonly (readonly [string, FileColumn])[] {
  return [
    ...targets.map((target) => [fold(target.header), target] as const),
    ...targets.map((target) => [fold(target.field.label), target] as const),
    ...targets.map((target) => [fold(target.field.name), target] as const),
  ]
}

function fold(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Cells that tell a file's number and date formats. */
export interface WritingTally {
  commas: number
  points: number
  monthFirst: number
  dayFirst: number
}

export function emptyTally(): WritingTally {
  return { commas: 0, points: 0, monthFirst: 0, dayFirst: 0 }
}

/** Detects number and date formats from the columns. Falls back to the export's formats. */
export function detectWriting(targets: readonly (FileColumn | undefined)[], rows: readonly FileRow[]): Writing {
  const tally = emptyTally()
  countWriting(
    targets.map((target) => target?.field.kind),
    rows,
    tally,
  )
  return writingOf(tally)
}

/** Adds the cells of rows to a tally. */
export function countWriting(
  kinds: readonly (Field['kind'] | undefined)[],
  rows: readonly FileRow[],
  tally: WritingTally,
): void {
  for (const [column, kind] of kinds.entries()) {
    if (kind === 'number' || kind === 'integer') {
      for (const { cells } of rows) {
        const written = cells[column]?.trim() ?? ''
        const marked = markedNumberOf(written)
        const text = marked?.bare ?? written
        // Amounts rarely have three decimals.
        if (marked && marked.mark !== '%' && /^[+-]?[1-9]\d{0,2}([.,]\d{3})+$/.test(text)) {
          if (text.includes('.')) tally.commas += 1
          else tally.points += 1
        }
        if (/^[+-]?(\d{1,3}(\.\d{3})+,\d+|\d+,(\d{1,2}|\d{4,}))$/.test(text)) tally.commas += 1
        if (/^[+-]?(\d{1,3}(,\d{3})+\.\d+|\d*\.(\d{1,2}|\d{4,}))$/.test(text)) tally.points += 1
      }
    }
    if (kind === 'date' || kind === 'datetime') {
      for (const { cells } of rows) {
        const text = cells[column]?.trim() ?? ''
        const [, first = '0', second = '0'] = /^(\d{1,2})[-/. ](\d{1,2})[-/. ]\d{2,4}\b/.exec(text) ?? []
        if (Number(second) > 12) tally.monthFirst += 1
        if (Number(first) > 12 || /^\d{1,2}\.\d{1,2}\./.test(text)) tally.dayFirst += 1
      }
    }
  }
}

export function writingOf({ commas, points, monthFirst, dayFirst }: WritingTally): Writing {
  const isMonthFirst = monthFirst === dayFirst ? readerPutsMonthFirst() : monthFirst > dayFirst
  return { decimal: commas > points ? ',' : '.', dayFirst: !isMonthFirst }
}

function readerPutsMonthFirst(): boolean {
  const parts = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC' }).formatToParts(0)
  return parts.findIndex(({ type }) => type === 'month') < parts.findIndex(({ type }) => type === 'day')
}
