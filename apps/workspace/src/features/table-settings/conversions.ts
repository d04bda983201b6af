import type { TextKind } from '@holdfast/protocol'
import type { Field } from '../../lib/fields/field.ts'
import { isNumeric } from '../../lib/fields/field-kind.ts'

/** Prefix of the kinds that link to a table. */
export const LINK = 'link:'

export type NewType = TextKind | 'integer' | 'number' | 'boolean' | 'date' | 'datetime' | 'choice'
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

const FIXED: ReadonlySet<string> = new Set(['json', 'uuid', 'binary'])

/** Texts of these kinds differ only in how they are edited. */
const TEXTS = ['text', 'long_text', 'email', 'url', 'phone'] as const

/** Returns the types that a field can get beside links; none if its type cannot change. */
export function newTypesOf({ kind, column }: Pick<Field, 'kind' | 'column'>): readonly NewType[] {
  if (FIXED.has(kind)) return []
  if (kind === 'link' || kind === 'boolean') return ['text']
  if (kind === 'date' || kind === 'datetime') return [kind === 'date' ? 'datetime' : 'date', 'text']
  if (isNumeric(kind)) return kind === 'integer' ? ['text', 'number'] : ['text', 'integer']
  const types: readonly NewType[] = ['integer', 'number', 'boolean', 'date', 'datetime']
  return column.choices === undefined
    ? [...TEXTS.filter((text) => text !== kind), ...types, 'choice']
    : ['text', 'long_text', ...types]
}

/** Whether dates are read from texts. */
export function hasOrder({ kind }: Pick<Field, 'kind'>, newKind: string): boolean {
  return (newKind === 'date' || newKind === 'datetime') && kind !== 'date' && kind !== 'datetime'
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
  dropsTime = false,
  rest,
  titleOf,
  keepLabel,
}: {
  readonly field: Pick<Field, 'kind' | 'name' | 'column' | 'link'>
  readonly kind: string
  readonly order: DateOrder
  /** Whether a time becomes its day. */
  readonly dropsTime?: boolean
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
        ? {
            kind,
            ...(hasOrder(field, kind) && { order }),
            ...(kind === 'date' && dropsTime && { time: 'drop' }),
          }
        : { kind: 'link', table: target, by: titleOf(target) },
  }
}
