import type { ComputedDefault } from '@holdfast/protocol'
import type { FieldKind } from '../../lib/fields/field-kind.ts'
import type { Field } from '../../lib/fields/field.ts'
import { isNumeric, isTextual } from '../../lib/fields/field-kind.ts'

/** The answer of `holdfast.field_settings`. */
export interface FieldSettings {
  readonly default: string | null
  /** What the default is computed from; `null`: nothing, or the default is a constant. */
  readonly computed: ComputedDefault['from'] | null
  readonly min: string | null
  readonly max: string | null
  readonly unique: boolean
}

/** The settings in the editor; empty for none. */
export interface SettingsText {
  readonly default: string
  readonly computed: ComputedDefault['from'] | null
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

/** Returns what a default of a kind can be computed from. */
export function computedDefaultOf({ kind, link }: Pick<Field, 'kind' | 'link'>): ComputedDefault['from'] | undefined {
  if (kind === 'date') return 'today'
  if (kind === 'datetime') return 'now'
  return link?.table === 'hf_members' ? 'me' : undefined
}

/** Returns the parts of the change `edit_field` that differ. */
export function settingsChange(before: FieldSettings, text: SettingsText): object {
  const plain = (value: string): string | null => (value.trim() === '' ? null : value.trim())
  const [min, max] = [plain(text.min), plain(text.max)]
  const value = text.default === '' ? null : text.default
  return {
    ...(text.computed === null
      ? (value !== before.default || before.computed !== null) && { default: value }
      : text.computed !== before.computed && { default: { computed: text.computed } }),
    ...((min !== before.min || max !== before.max) && { limits: { min, max } }),
    ...(text.unique !== before.unique && { unique: text.unique }),
  }
}
