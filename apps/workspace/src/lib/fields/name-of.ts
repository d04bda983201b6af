import { isLocalColumnName, isLocalTableName } from '@holdfast/protocol'
import { textKindOf } from './field-kind.ts'

/** Kinds of texts. They share a database type; the column's name tells them apart. */
export const TEXT_ENDS = { text: 'value', long_text: 'text', email: 'email', url: 'url', phone: 'phone' } as const
export type TextKind = keyof typeof TEXT_ENDS

/** Columns of every table, and those of Postgres. */
const RESERVED = new Set([
  'id',
  'created_by',
  'created_at',
  'updated_at',
  'ctid',
  'xmin',
  'xmax',
  'cmin',
  'cmax',
  'tableoid',
])

const NAME_MAX = 51

/**
 * Returns an SQL name for a label: lower-case letters, digits and underscores. `Größe (m)` becomes `groesse_m`. A label without such letters is named by its
 * position, `field_2`. Devices use the same name, so names reserved there get a prefix: `table_sqlite_export`.
 *
 * @param isTaken - whether the name already exists
 */
export function nameOf(label: string, otherwise: string, isTaken: (name: string) => boolean): string {
  const plain = label
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => ({ ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' })[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  const isPlain = isLocalTableName(plain) && isLocalColumnName(plain) && !/^(?:(?:pg|ps|hf)_|[0-9])/.test(plain)
  const own = isPlain ? plain : `${otherwise}_${plain}`
  const wanted = own === '' ? otherwise : own.slice(0, NAME_MAX).replace(/_+$/, '')
  if (own !== '' && !isTaken(wanted)) return wanted
  for (let copy = own === '' ? 1 : 2; ; copy += 1) {
    const end = `_${copy}`
    const name = `${wanted.slice(0, NAME_MAX - end.length)}${end}`
    if (!isTaken(name)) return name
  }
}

/**
 * Returns the column name of a new field.
 *
 * @param kind - `undefined` for fields other than texts
 */
export function fieldNameOf(label: string, kind: TextKind | undefined, isTaken: (name: string) => boolean): string {
  const isUsed = (name: string): boolean => isTaken(name) || RESERVED.has(name)
  const wanted = nameOf(label, 'field', isUsed)
  // Screens tell an address from a text by the end of the name.
  return kind === undefined || textKindOf(wanted) === kind
    ? wanted
    : nameOf(`${wanted} ${TEXT_ENDS[kind]}`, 'field', isUsed)
}
