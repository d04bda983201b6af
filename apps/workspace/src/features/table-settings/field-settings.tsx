import { type JSX, useEffect, useEffectEvent, useState } from 'react'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { Select } from '../../components/select.tsx'
import { TextField } from '../../components/text-field.tsx'
import { type CallFailure, useCall } from '../../hooks/use-call.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import { choiceWords } from '../../lib/fields/format-value.ts'
import { tableSettingsMessages as words } from '../../messages/table-settings.ts'
import { computedDefaultOf, type FieldSettings, limitsOf, type SettingsText, settingsChange } from './field-limits.ts'

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
    computed: known.computed,
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
      <Default field={field} text={text} set={set} />
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
  text: { default: value, computed },
  set,
}: {
  readonly field: Field
  readonly text: SettingsText
  readonly set: (part: Partial<SettingsText>) => void
}): JSX.Element | null {
  const from = computedDefaultOf(field)
  // The database stores one default: a chosen constant replaces a computed one.
  const [isFixed, setFixed] = useState(value !== '')
  const day = (
    <TextField
      label={field.kind === 'date' && from !== undefined ? words.fixedDate : words.defaultValue}
      type={field.kind === 'date' ? 'date' : 'text'}
      value={value}
      onChange={(next) => set({ default: next })}
    />
  )
  if (from !== undefined) {
    const chosen = computed ?? (isFixed ? FIXED : '')
    return (
      <>
        <Select
          label={words.defaultValue}
          options={[
            { value: '', label: words.noDefault },
            { value: from, label: words.computedDefaults[from] },
            ...(field.kind === 'date' ? [{ value: FIXED, label: words.fixedDate }] : []),
          ]}
          value={chosen}
          onChange={(next) => {
            setFixed(next === FIXED)
            set({ computed: next === from ? from : null, default: next === FIXED ? value : '' })
          }}
          {...(chosen === from && { description: words.computedDetail })}
        />
        {chosen === FIXED ? day : null}
      </>
    )
  }
  if (['link', 'json', 'uuid', 'binary'].includes(field.kind)) return null
  if (field.kind === 'boolean' || field.choices.length > 0) {
    const options =
      field.kind === 'boolean'
        ? [
            { value: 'true', label: words.yes },
            { value: 'false', label: words.no },
          ]
        : field.choices.map((one) => ({ value: one, label: choiceWords(one, field.choiceWords) }))
    return (
      <Select
        label={words.defaultValue}
        options={[{ value: '', label: words.noDefault }, ...options]}
        value={value}
        onChange={(next) => set({ default: next })}
      />
    )
  }
  return day
}

/** The option for a date that the user enters. */
const FIXED = 'fixed'
