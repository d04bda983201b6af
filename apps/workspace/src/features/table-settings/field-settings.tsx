import { type JSX, useEffect, useEffectEvent, useState } from 'react'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { Select } from '../../components/select.tsx'
import { TextField } from '../../components/text-field.tsx'
import { type CallFailure, useCall } from '../../hooks/use-call.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import { tableSettingsMessages as words } from '../../messages/table-settings.ts'
import { type FieldSettings, limitsOf, type SettingsText, settingsChange } from './field-limits.ts'

export interface EditedSettings {
  readonly change: object
  readonly text: SettingsText | undefined
  readonly set: (part: Partial<SettingsText>) => void
  readonly failure: CallFailure | undefined
}

/** The default, limits and uniqueness of a field, which only the server knows, and what the user makes of them. */
export function useFieldSettings(table: TableInfo, field: Field, isOnline: boolean): EditedSettings {
  const { run, failure } = useCall()
  const [known, setKnown] = useState<FieldSettings>()
  const [edited, setEdited] = useState<Partial<SettingsText>>({})
  const column = field.column.column ?? field.name
  const ask = useEffectEvent(async () => {
    const asked = await run<FieldSettings>('field_settings', {
      workspace: table.madeIn,
      table_name: table.descriptor.table,
      field: column,
    })
    if (asked) setKnown(asked.result)
  })
  useEffect(() => {
    if (!isOnline || !field.isEditable) return
    const timer = setTimeout(() => void ask())
    return () => clearTimeout(timer)
  }, [isOnline, field.isEditable])
  const text = known && {
    default: known.default ?? '',
    min: known.min ?? '',
    max: known.max ?? '',
    unique: known.unique,
    ...edited,
  }
  return {
    change: known && text ? settingsChange(known, text) : {},
    text,
    set: (part) => setEdited((before) => ({ ...before, ...part })),
    failure,
  }
}

/** Editors of a field's default, limits and uniqueness. */
export function FieldSettingsEditor({
  field,
  edited: { text, set, failure },
}: {
  readonly field: Field
  readonly edited: EditedSettings
}): JSX.Element | null {
  if (!text) return failure ? <CallFailureText failure={failure} /> : null
  const limits = limitsOf(field.kind)
  return (
    <>
      <Default field={field} value={text.default} onChange={(value) => set({ default: value })} />
      {limits === undefined ? null : (
        <div className="grid grid-cols-2 gap-3">
          {limits === 'length' ? null : (
            <TextField
              label={limits === 'day' ? words.earliest : words.minimum}
              type={limits === 'day' ? 'date' : 'text'}
              value={text.min}
              onChange={(min) => set({ min })}
            />
          )}
          <TextField
            label={limits === 'length' ? words.longest : limits === 'day' ? words.latest : words.maximum}
            type={limits === 'day' ? 'date' : 'text'}
            value={text.max}
            onChange={(max) => set({ max })}
          />
        </div>
      )}
      {field.kind === 'boolean' || field.kind === 'json' ? null : (
        <Checkbox isSelected={text.unique} onChange={(unique) => set({ unique })}>
          {words.unique}
        </Checkbox>
      )}
    </>
  )
}

function Default({
  field,
  value,
  onChange,
}: {
  readonly field: Field
  readonly value: string
  readonly onChange: (value: string) => void
}): JSX.Element | null {
  if (['link', 'json', 'datetime', 'uuid', 'binary'].includes(field.kind)) return null
  if (field.kind === 'boolean' || field.choices.length > 0) {
    const options =
      field.kind === 'boolean'
        ? [
            { value: 'true', label: words.yes },
            { value: 'false', label: words.no },
          ]
        : field.choices.map((one) => ({ value: one, label: one }))
    return (
      <Select
        label={words.defaultValue}
        options={[{ value: '', label: words.noDefault }, ...options]}
        value={value}
        onChange={onChange}
      />
    )
  }
  return (
    <TextField
      label={words.defaultValue}
      type={field.kind === 'date' ? 'date' : 'text'}
      value={value}
      onChange={onChange}
    />
  )
}
