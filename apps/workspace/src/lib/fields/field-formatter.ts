import type { FieldFormat } from '@holdfast/protocol'
import type { Field } from './field.ts'
import type { ParsedValue } from './parse-value.ts'

/** Shows and parses the values of a column with a format. Loaded when a table has one; until then the column is plain. */
export interface FieldFormatter {
  readonly format: FieldFormat
  /** Returns the text for reading. */
  show(value: string, locale: string): string
  /** Returns the text for editing, copying and export, which parses to the same value. */
  edit(value: string, locale: string): string
  /** Parses the result of both, and what people type. */
  parse(field: Field, text: string, locale: string): ParsedValue
}
