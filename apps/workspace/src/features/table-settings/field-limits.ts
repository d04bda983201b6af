import type { FieldKind } from '../../lib/fields/field-kind.ts'
import { isNumeric, isTextual } from '../../lib/fields/field-kind.ts'

/** The answer of `holdfast.field_settings`. */
export interface FieldSettings {
  readonly default: string | null
  readonly min: string | null
  readonly max: string | null
  readonly unique: boolean
}

/** The settings in the editor; empty for none. */
export interface SettingsText {
  readonly default: string
  readonly min: string
  readonly max: string
  readonly unique: boolean
}

/** Returns what the limits of a kind are about; `undefined` if it has none. */
export function limitsOf(kind: FieldKind): 'number' | 'day' | 'length' | undefined {
  if (isNumeric(kind)) return 'number'
  if (kind === 'date') return 'day'
  return isTextual(kind) ? 'length' : undefined
}

/** Returns the parts of the change `edit_field` that differ. */
export function settingsChange(before: FieldSettings, text: SettingsText): object {
  const plain = (value: string): string | null => (value.trim() === '' ? null : value.trim())
  const [min, max] = [plain(text.min), plain(text.max)]
  const value = text.default === '' ? null : text.default
  return {
    ...(value !== before.default && { default: value }),
    ...((min !== before.min || max !== before.max) && { limits: { min, max } }),
    ...(text.unique !== before.unique && { unique: text.unique }),
  }
}
