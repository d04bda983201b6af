import type { ColumnDescriptor, FieldFormat } from '@holdfast/protocol'

/** The result of parsing typed text. */
export type ParsedText =
  | { readonly isValid: true; readonly value: string | number | null }
  /** `message`: what to enter instead, shown below the field. */
  | { readonly isValid: false; readonly message: string }

/** Shows and parses the values of a column with a format. Loaded when a table has one; until then the column is plain. */
export interface FieldFormatter {
  readonly format: FieldFormat
  /** Returns the text for reading. */
  show(value: string, locale: string): string
  /** Returns the text for editing, copying and export, which parses to the same value. */
  edit(value: string, locale: string): string
  /** Parses the result of both, and what people type. */
  parse(text: string, locale: string): ParsedText
}

/** Returns the formatter of a column with a stored format; undefined for formats that this version or the column's type does not know. */
export type FormatterOf = (stored: unknown, column: ColumnDescriptor) => FieldFormatter | undefined
