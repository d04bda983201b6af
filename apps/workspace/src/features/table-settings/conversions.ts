import type { Field } from '../../lib/fields/field.ts'
import { isNumeric } from '../../lib/fields/field-kind.ts'

/** Prefix of the kinds that link to a table. */
export const LINK = 'link:'

export type NewType = 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'choice'
export type DateOrder = 'iso' | 'dmy' | 'mdy'
/** What becomes of the text of values that do not convert. */
export type Rest = 'keep' | 'empty'

/** The answer of `holdfast.field_conversion`. */
export interface Conversion {
  readonly total: number
  readonly lost: number
  readonly values: readonly { readonly text: string; readonly records: number }[]
  /** The options that a new choice would have. */
  readonly choices?: readonly string[]
}

const FIXED: ReadonlySet<string> = new Set(['datetime', 'json', 'uuid', 'binary'])

/** Returns the types that a field can get beside links; none if its type cannot change. */
export function newTypesOf({ kind, column }: Pick<Field, 'kind' | 'column'>): readonly NewType[] {
  if (FIXED.has(kind)) return []
  if (kind === 'link' || kind === 'boolean' || kind === 'date') return ['text']
  if (isNumeric(kind)) return kind === 'integer' ? ['text', 'number'] : ['text', 'integer']
  const types: readonly NewType[] = ['integer', 'number', 'boolean', 'date']
  return column.choices === undefined ? [...types, 'choice'] : ['text', ...types]
}

/** A change of a field's type. */
export interface ConvertChange {
  readonly kind: 'convert_field'
  readonly field: string
  /** The column with the names of linked records. */
  readonly by?: string
  readonly rest: Rest
  readonly keep_label: string
  readonly to: object
}

/**
 * Returns the change of a field's type.
 *
 * @param titleOf - the column that names the records of a table
 */
export function convertChange({
  field,
  kind,
  order,
  rest,
  titleOf,
  keepLabel,
}: {
  readonly field: Pick<Field, 'kind' | 'name' | 'column' | 'link'>
  readonly kind: string
  readonly order: DateOrder
  readonly rest: Rest
  readonly titleOf: (table: string) => string
  readonly keepLabel: string
}): ConvertChange {
  const target = kind.startsWith(LINK) ? kind.slice(LINK.length) : undefined
  return {
    kind: 'convert_field',
    field: field.column.column ?? field.name,
    rest,
    keep_label: keepLabel,
    ...(field.kind === 'link' && { by: field.link?.titleColumn ?? 'name' }),
    to:
      target === undefined
        ? { kind, ...(kind === 'date' && { order }) }
        : { kind: 'link', table: target, by: titleOf(target) },
  }
}
