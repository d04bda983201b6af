import type { ColumnDescriptor, FieldUse } from '@holdfast/protocol'
import { fieldMessages } from '../../messages/fields.ts'
import type { PaletteColour } from '../palette.ts'
import type { FieldFormatter } from './field-formatter.ts'

/** The project's labels for the choices of a column, by value. */
export interface ChoiceWords extends ReadonlyMap<string, string> {
  /** The colours that it gave them; others follow from the word. */
  readonly colours?: ReadonlyMap<string, PaletteColour>
}

export const NONE_GIVEN: ChoiceWords = new Map()

/** A column with localized choice labels and the format that the project gave it. */
export interface WordedColumn extends ColumnDescriptor {
  readonly choiceWords?: ChoiceWords
  readonly format?: FieldFormatter
  /** The kind of its format, known before the formatter is loaded: that of a text, and who fills it in. */
  readonly formatKind?: string
  /** The owner's setting. */
  readonly use?: FieldUse
  /** States that the owner closed. */
  readonly closed?: readonly string[]
}

export function formatterOfColumn(column: WordedColumn): FieldFormatter | undefined {
  return column.format
}

export function choiceWordsOf(column: WordedColumn | undefined): ChoiceWords {
  return column?.choiceWords ?? NONE_GIVEN
}

/** Returns a column's display label. */
export function labelOf(column: ColumnDescriptor): string {
  return wordsOf(column).label
}

/** Label (first sentence of the comment) and help (the rest); without a comment the label is derived from the name. */
export function wordsOf({ name, column, comment }: ColumnDescriptor): {
  readonly label: string
  readonly help: string | undefined
} {
  const [, first = '', rest = ''] = /^([^.\n]{1,40})\.(?:\s+|$)([\s\S]*)$/.exec(comment?.trim() ?? '') ?? []
  if (first !== '') return { label: first, help: rest.trim() === '' ? undefined : rest.trim() }
  const system: Readonly<Record<string, string>> = fieldMessages.system
  return { label: system[name] ?? labelOfName(column ?? name), help: comment?.trim() || undefined }
}

/** `due_on` → `Due`, `site_id` → `Site`, `is_out_of_range` → `Out of range`. */
export function labelOfName(name: string): string {
  const words = name
    .replace(/^is_(?=.)/, '')
    .replace(/(?<=.)_(id|fk|on|at)$/, '')
    .replaceAll('_', ' ')
    .trim()
  if (words === '') return name
  return words === 'id' ? 'ID' : words.charAt(0).toUpperCase() + words.slice(1)
}

/** Whether a trigger fills a NOT NULL column, according to its comment. */
export function isFilledInByServer(comment: string | undefined): boolean {
  return comment !== undefined && /\b(when left empty|filled in by|given by the (server|database))\b/i.test(comment)
}
