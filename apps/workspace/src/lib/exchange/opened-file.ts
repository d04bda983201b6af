import type { Encoding } from './decode-text.ts'

export const DELIMITERS = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof DELIMITERS)[number]

export type FileProblemCode =
  | 'too_large'
  | 'too_many_rows'
  | 'too_many_columns'
  | 'too_many_cells'
  | 'unpacks_too_large'
  | 'old_excel'
  | 'password'
  | 'web_page'
  | 'broken_xlsx'
  | 'empty'

/** Why a file cannot be read. */
export class FileProblem extends Error {
  readonly code: FileProblemCode
  constructor(code: FileProblemCode, options?: ErrorOptions) {
    super(`The file cannot be read: ${code}`, options)
    this.code = code
  }
}

export interface FileRow {
  /** As in spreadsheets: the first line is 1. */
  readonly row: number
  readonly cells: readonly string[]
  /** Cells that an XLSX stores as fractional numbers: they have a decimal point, whatever the file's text format. */
  readonly fractions?: readonly number[]
  /** Cells that an XLSX stores as numbers and shows with a fixed number of digits, such as zip codes: they are texts. */
  readonly texts?: readonly number[]
}

/** The rows that name the columns. */
export interface Head {
  /** Number of the first; 0: the file has none. */
  readonly row: number
  readonly lines: 0 | 1 | 2
}

/** How to read a file. Omitted properties are detected. */
export interface ReadAs {
  readonly encoding?: Encoding | undefined
  readonly delimiter?: Delimiter | undefined
  /** Name of an XLSX's sheet. */
  readonly sheet?: string | undefined
  readonly head?: Head | undefined
}

/** A worksheet of an XLSX. Sheets with only a chart are left out. */
export interface FileSheet {
  readonly name: string
  readonly isHidden: boolean
}

/** What users have to know about a file, because the rows do not show it. Complete after reading the rows. */
export interface FileNotes {
  /** An unclosed quote swallowed the rest of the file. */
  readonly hasOpenQuote: boolean
  /** The first row with characters that the encoding does not have, shown as �. */
  readonly brokenRow: number | undefined
  /** Errors of formulas, such as `#N/A`. They are read as empty cells. */
  readonly errors: number
  /** Formulas without a saved result. They are read as empty cells. */
  readonly unsaved: number
  /** Cells that got the value of the vertically merged cells that they belong to. */
  readonly mergedCells: number
  /** Hidden rows and columns with cells. They are read like others. */
  readonly hiddenRows: number
  readonly hiddenColumns: number
}

/** What is known of a file before its rows are read. */
export interface FileOpening {
  /** `undefined` for XLSX. */
  readonly text: { readonly encoding: Encoding; readonly delimiter: Delimiter } | undefined
  /** `undefined` for text. */
  readonly sheets: { readonly all: readonly FileSheet[]; readonly chosen: string } | undefined
  readonly head: Head
  /** The first rows, from which users choose the head. */
  readonly top: readonly FileRow[]
  /** Names of the columns; empty where the file has none. */
  readonly header: readonly string[]
}

export interface OpenedFile extends FileOpening {
  /** Non-empty rows below the head. */
  readonly rows: AsyncIterable<FileRow>
  readonly notes: FileNotes
}
