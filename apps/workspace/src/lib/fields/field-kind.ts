import { type ColumnDescriptor, isLongText } from '@holdfast/protocol'
import type { WordedColumn } from '../data/column-words.ts'

/** How a column is displayed and edited. */
export type FieldKind =
  | 'text'
  | 'long_text'
  | 'email'
  | 'url'
  | 'phone'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'choice'
  | 'link'
  | 'json'
  | 'uuid'
  | 'binary'

const SYSTEM = new Set(['id', 'created_at', 'updated_at', 'created_by'])

/** Columns maintained by the database. */
export function isSystemColumn(name: string): boolean {
  return SYSTEM.has(name)
}

/** @param isLinkable - the referenced table is on this device; otherwise a reference is only an id */
export function kindOf(column: ColumnDescriptor, isLinkable: boolean): FieldKind {
  const type = column.type.replace(/\(.*?\)/, '').trim()
  if (isLinkable) return 'link'
  if (type.endsWith('[]')) return 'json'
  if (column.choices !== undefined) return 'choice'
  switch (type) {
    case 'boolean':
      return 'boolean'
    case 'smallint':
    case 'integer':
    case 'bigint':
      return 'integer'
    case 'numeric':
    case 'real':
    case 'double precision':
      return 'number'
    case 'date':
      return 'date'
    case 'timestamp with time zone':
    case 'timestamp without time zone':
    case 'timestamp':
      return 'datetime'
    case 'json':
    case 'jsonb':
      return 'json'
    case 'uuid':
      return 'uuid'
    case 'bytea':
      return 'binary'
    default:
      return chosenTextKind(column) ?? textKindOf(column.name)
  }
}

/** Returns the kind of text that a format gives a column, where its name says otherwise. */
function chosenTextKind({ formatKind: kind }: WordedColumn): FieldKind | undefined {
  return kind === 'text' || kind === 'long_text' || kind === 'email' || kind === 'url' || kind === 'phone'
    ? kind
    : undefined
}

/** Returns the kind of a text column, which its name tells. */
export function textKindOf(name: string): FieldKind {
  if (/(^|_)e?mail$/.test(name)) return 'email'
  if (/(^|_)(url|website|link|href)$/.test(name)) return 'url'
  if (/(^|_)(phone|mobile|tel|fax)$/.test(name)) return 'phone'
  return isLongText(name) ? 'long_text' : 'text'
}

/** Kinds ordered and calculated as numbers. */
export function isNumeric(kind: FieldKind): boolean {
  return kind === 'integer' || kind === 'number'
}

/** Right-aligned kinds, for comparing digits between rows. */
export function isAlignedRight(kind: FieldKind): boolean {
  return isNumeric(kind) || kind === 'date' || kind === 'datetime'
}

/** Whether the choices come from a CHECK on a text column, so they compare as strings. */
export function isChosenText({
  kind,
  column: { type },
}: {
  readonly kind: FieldKind
  readonly column: ColumnDescriptor
}): boolean {
  return kind === 'choice' && (type === 'text' || type.startsWith('character varying'))
}

/** Whether a text needs a multi-line editor: a single-line field would strip line breaks. */
export function isEditedInLines(kind: FieldKind, text: string): boolean {
  return kind === 'long_text' || kind === 'json' || /[\r\n]/.test(text)
}

/** Kinds included in text search. */
export function isTextual(kind: FieldKind): boolean {
  return kind === 'text' || kind === 'long_text' || kind === 'email' || kind === 'url' || kind === 'phone'
}
