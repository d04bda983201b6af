import type { JSX } from 'react'
import { type FormatSettings, settingOf } from '../../lib/fields/new-kinds.ts'
import { pageLocale } from '../../lib/language.ts'
import { tableSettingsMessages as words } from '../../messages/table-settings.ts'
import { Select } from '../select.tsx'

/** The setting of a format, such as the currency. Renders nothing for kinds without one. */
export function FormatSettingsField({
  kind,
  settings,
  onChange,
}: {
  readonly kind: string
  readonly settings: FormatSettings
  readonly onChange: (settings: FormatSettings) => void
}): JSX.Element | null {
  const setting = settingOf(kind)
  if (setting === undefined) return null
  return (
    <Select
      label={words.settings[setting]}
      options={optionsOf(setting)}
      value={String(settings[setting])}
      onChange={(value) => onChange({ ...settings, [setting]: setting === 'max' ? Number(value) : value })}
    />
  )
}

function optionsOf(setting: keyof FormatSettings): readonly { readonly value: string; readonly label: string }[] {
  switch (setting) {
    case 'max':
      return ['5', '10'].map((value) => ({ value, label: value }))
    case 'unit':
      return (['minutes', 'seconds'] as const).map((value) => ({ value, label: words.units[value] }))
    case 'code': {
      const names = new Intl.DisplayNames(pageLocale(), { type: 'currency' })
      return Intl.supportedValuesOf('currency')
        .map((value) => ({ value, label: `${names.of(value) ?? value} (${value})` }))
        .sort((a, b) => a.label.localeCompare(b.label, pageLocale()))
    }
  }
}
