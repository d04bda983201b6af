import { type FieldFormat, parseFieldFormat } from '@holdfast/protocol'
import type { JSX } from 'react'
import { FormatSettingsField } from '../../components/fields/format-settings-field.tsx'
import { Select } from '../../components/select.tsx'
import type { Field } from '../../lib/fields/field.ts'
import { DEFAULT_SETTINGS, type FormatSettings, settingOf } from '../../lib/fields/new-kinds.ts'
import { tableSettingsMessages as words } from '../../messages/table-settings.ts'

/** Formats that a column can take later; ratings and locations have a constraint or type of their own. */
const CHANGEABLE = ['currency', 'percent', 'duration', 'barcode'] as const

/** Changes the format of an existing field. Renders nothing where the type allows none. */
export function FormatSelect({
  field,
  format,
  onChange,
}: {
  readonly field: Field
  readonly format: FieldFormat | undefined
  readonly onChange: (format: FieldFormat | undefined) => void
}): JSX.Element | null {
  const formatOf = (kind: string, settings: FormatSettings): FieldFormat | undefined => {
    const setting = settingOf(kind)
    return parseFieldFormat({ kind, ...(setting && { [setting]: settings[setting] }) }, field.column.type)
  }
  const kinds =
    field.choices.length > 0 || field.column.generated
      ? []
      : CHANGEABLE.filter((kind) => formatOf(kind, DEFAULT_SETTINGS))
  const isOwn = format !== undefined && !CHANGEABLE.some((kind) => kind === format.kind)
  if (kinds.length === 0 || isOwn) return null
  return (
    <>
      <Select
        label={words.format}
        options={[{ value: '', label: words.plain }, ...kinds.map((value) => ({ value, label: words.formats[value] }))]}
        value={format?.kind ?? ''}
        onChange={(kind) => onChange(formatOf(kind, DEFAULT_SETTINGS))}
      />
      {format === undefined ? null : (
        <FormatSettingsField
          kind={format.kind}
          settings={{ ...DEFAULT_SETTINGS, ...format }}
          onChange={(settings) => onChange(formatOf(format.kind, settings))}
        />
      )}
    </>
  )
}
