import { ArrowDown, ArrowUp, X } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Checkbox } from '../../../components/checkbox.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { useRecordWriter } from '../../../components/records/use-record-writer.ts'
import { Select } from '../../../components/select.tsx'
import { TextField } from '../../../components/text-field.tsx'
import type { TableInfo } from '../../../lib/data/tables.ts'
import type { Field } from '../../../lib/fields/field.ts'
import { type FormItem, renderForm } from '../../../lib/views/form-text.ts'
import type { SavedView } from '../../../lib/views/use-views.ts'
import { saveSettings } from '../../../lib/views/view-commands.ts'
import type { Setting, ViewSettings } from '../../../lib/views/view-settings.ts'
import { formMessages as words } from '../../../messages/form.ts'
import { askableFields, type AskedField } from './asked-fields.ts'

export interface FormViewProps {
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly saved: SavedView
  /** The parts of the view that the form uses. */
  readonly view: {
    readonly settings: ViewSettings
    readonly isChanged: boolean
    set(setting: Setting, value: string | undefined): void
    reset(): void
    openRecord(id: string): void
  }
}

const LABEL_MAX = 120
const HELP_MAX = 300

/** Edits a form's fields, order and texts. Changes stay in the URL until they are saved. */
export function FormEditor({
  fields,
  view,
  saved,
  asked,
  onDone,
}: FormViewProps & { readonly asked: readonly AskedField[]; readonly onDone: () => void }): JSX.Element {
  const writer = useRecordWriter()
  const items = asked.map(({ item }) => item)
  const put = (next: readonly FormItem[]): void => view.set('form', renderForm(next))
  const others = askableFields(fields).filter(({ name }) => items.every(({ field }) => field !== name))
  return (
    <div className="flex flex-col gap-4">
      <ol aria-label={words.editing} className="flex flex-col gap-3">
        {asked.map((one, place) => (
          <EditedItem
            key={one.item.field}
            asked={one}
            field={fields.find(({ name }) => name === one.item.field)?.label ?? one.item.field}
            onChange={(item) => put(items.with(place, item))}
            onRemove={() => put(items.toSpliced(place, 1))}
            onUp={place === 0 ? undefined : () => put(items.toSpliced(place, 1).toSpliced(place - 1, 0, one.item))}
            onDown={
              place === items.length - 1
                ? undefined
                : () => put(items.toSpliced(place, 1).toSpliced(place + 1, 0, one.item))
            }
          />
        ))}
      </ol>
      {others.length === 0 ? null : (
        <Select
          label={words.add}
          placeholder={words.addPlaceholder}
          value={null}
          options={others.map(({ name, label }) => ({ value: name, label }))}
          onChange={(field) => put([...items, { field, isRequired: false, label: '', help: '' }])}
        />
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onPress={onDone}>{words.done}</Button>
        {view.isChanged ? (
          <Button
            tone="primary"
            onPress={() =>
              void writer.write(saveSettings(saved, view.settings)).then((isStored) => {
                if (!isStored) return
                view.reset()
                onDone()
              })
            }
          >
            {words.save}
          </Button>
        ) : null}
      </div>
    </div>
  )
}

function EditedItem({
  asked: { item, isRequired },
  field,
  onChange,
  onRemove,
  onUp,
  onDown,
}: {
  readonly asked: AskedField
  /** The field's own name. */
  readonly field: string
  readonly onChange: (item: FormItem) => void
  readonly onRemove: () => void
  readonly onUp: (() => void) | undefined
  readonly onDown: (() => void) | undefined
}): JSX.Element {
  const isNeeded = isRequired && !item.isRequired
  return (
    <li className="flex flex-col gap-2 rounded-md border border-border p-3">
      <div className="flex items-center gap-1">
        <span className="mr-auto text-body font-medium">{field}</span>
        <IconButton
          label={words.up(field)}
          size="sm"
          icon={<ArrowUp size={16} aria-hidden />}
          isDisabled={onUp === undefined}
          {...(onUp ? { onPress: onUp } : {})}
        />
        <IconButton
          label={words.down(field)}
          size="sm"
          icon={<ArrowDown size={16} aria-hidden />}
          isDisabled={onDown === undefined}
          {...(onDown ? { onPress: onDown } : {})}
        />
        <IconButton label={words.remove(field)} size="sm" icon={<X size={16} aria-hidden />} onPress={onRemove} />
      </div>
      <EditedText
        label={words.label}
        text={item.label}
        placeholder={field}
        maxLength={LABEL_MAX}
        onTyped={(label) => onChange({ ...item, label })}
      />
      <EditedText
        label={words.help}
        text={item.help}
        maxLength={HELP_MAX}
        onTyped={(help) => onChange({ ...item, help })}
      />
      <Checkbox
        isSelected={isRequired}
        isDisabled={isNeeded}
        onChange={(next) => onChange({ ...item, isRequired: next })}
      >
        {isNeeded ? words.requiredByTable : words.required}
      </Checkbox>
    </li>
  )
}

/** A text of the form, reported on blur. Updates when the text is changed elsewhere or changes are discarded. */
function EditedText({
  text,
  onTyped,
  ...field
}: {
  readonly label: string
  /** The text in the URL. */
  readonly text: string
  readonly placeholder?: string
  readonly maxLength: number
  readonly onTyped: (text: string) => void
}): JSX.Element {
  const [typed, setTyped] = useState(text)
  const [known, setKnown] = useState(text)
  const [reported, setReported] = useState<string>()
  if (text !== known) {
    setKnown(text)
    // On a slow device the URL lags behind typing, so its updates must not discard newer text.
    if (text !== reported) setTyped(text)
    setReported(undefined)
  }
  const report = (): void => {
    const next = typed.trim()
    if (next === text) return
    setReported(next)
    onTyped(next)
  }
  return <TextField {...field} value={typed} onChange={setTyped} onBlur={report} />
}
