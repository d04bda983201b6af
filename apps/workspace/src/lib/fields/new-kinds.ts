/** Kinds of new fields that the server fills in. */
export const AUTOMATIC_KINDS = ['autonumber', 'created_by', 'created_at', 'changed_by', 'changed_at'] as const
export type AutomaticKind = (typeof AUTOMATIC_KINDS)[number]

/** Kinds of new fields with a format; those without settings have none. */
export const FORMAT_KINDS = [
  'attachment',
  'signature',
  'rating',
  'currency',
  'percent',
  'duration',
  'barcode',
  'location',
] as const
export type FormatKind = (typeof FORMAT_KINDS)[number]

/** Settings by kind. */
const SETTING_OF = { rating: 'max', currency: 'code', duration: 'unit' } as const satisfies Record<
  string,
  keyof FormatSettings
>

/** Returns the setting that a kind has. */
export function settingOf(kind: string): keyof FormatSettings | undefined {
  return kind in SETTING_OF ? SETTING_OF[kind as keyof typeof SETTING_OF] : undefined
}

export interface FormatSettings {
  readonly max: 5 | 10
  /** ISO 4217. */
  readonly code: string
  readonly unit: 'minutes' | 'seconds'
}

export const DEFAULT_SETTINGS: FormatSettings = { max: 5, code: 'EUR', unit: 'minutes' }
