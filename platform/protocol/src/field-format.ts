/** Kinds of text columns. */
export type TextKind = 'text' | 'long_text' | 'email' | 'url' | 'phone'

/** How a column is shown and edited beyond its type, as stored in `holdfast.fields`. Constraint `holdfast_fields_format_form` has the same grammar. */
export type FieldFormat =
  | { readonly kind: 'rating'; readonly max: 5 | 10 }
  /** `code`: ISO 4217. */
  | { readonly kind: 'currency'; readonly code: string }
  /** Stored as the number before the sign: 25 is 25 %. */
  | { readonly kind: 'percent' }
  | { readonly kind: 'duration'; readonly unit: 'seconds' | 'minutes' }
  | { readonly kind: 'barcode' }
  | { readonly kind: 'location' }
  /** Photos and files, in the companion table of the records. The column has their names. */
  | { readonly kind: 'attachment' }
  | { readonly kind: 'signature' }
  /** A plain text: how it is edited where its name says otherwise. */
  | { readonly kind: TextKind }

const WHOLE = /^(smallint|integer|bigint)$/
const NUMBER = /^(smallint|integer|bigint|real|double precision|numeric)/
const TEXT = /^(text|character varying)/

/**
 * Parses a stored format. Returns undefined for one that a newer version wrote or that does not fit the column's type: the column is then plain.
 *
 * @param type - as `format_type` prints it
 */
export function parseFieldFormat(stored: unknown, type: string): FieldFormat | undefined {
  if (typeof stored !== 'object' || stored === null || !('kind' in stored)) return undefined
  const given = stored as Readonly<Record<string, unknown>>
  switch (given['kind']) {
    case 'rating':
      return WHOLE.test(type) && (given['max'] === 5 || given['max'] === 10)
        ? { kind: 'rating', max: given['max'] }
        : undefined
    case 'currency':
      return NUMBER.test(type) && typeof given['code'] === 'string' && /^[A-Z]{3}$/.test(given['code'])
        ? { kind: 'currency', code: given['code'] }
        : undefined
    case 'percent':
      return NUMBER.test(type) ? { kind: 'percent' } : undefined
    case 'duration':
      return WHOLE.test(type) && (given['unit'] === 'seconds' || given['unit'] === 'minutes')
        ? { kind: 'duration', unit: given['unit'] }
        : undefined
    case 'barcode':
    case 'attachment':
    case 'signature':
    case 'text':
    case 'long_text':
    case 'email':
    case 'url':
    case 'phone':
      return TEXT.test(type) ? { kind: given['kind'] } : undefined
    case 'location':
      return type === 'point' ? { kind: 'location' } : undefined
    default:
      return undefined
  }
}
