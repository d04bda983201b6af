import { assigneeColumnOf, type FieldUse, finishedStatesOf } from '@holdfast/protocol'
import { useSchema } from '@holdfast/react'
import { type JSX, useId } from 'react'
import { Checkbox } from '../../components/checkbox.tsx'
import { Select } from '../../components/select.tsx'
import { fieldLabelClass } from '../../components/text-field.tsx'
import type { WordedColumn } from '../../lib/data/column-words.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import { peopleTablesOf } from '../../lib/records/work-tables.ts'
import { tableSettingsMessages as words } from '../../messages/table-settings.ts'
import { type EditedOption, isFinished } from './field-edits.ts'

/** What a field is used as by setting, and the states that count as finished. */
export function settingOf(field: Field): {
  readonly use: FieldUse | undefined
  readonly finished: readonly string[] | undefined
} {
  const column: WordedColumn = field.column
  return { use: column.use, finished: field.kind === 'choice' ? finishedStatesOf(column) : undefined }
}

/** Chooses what a field is used as, and the closed options of a state. Renders nothing where the type suits nothing. */
export function UseSelect({
  table,
  field,
  use,
  options,
  onChange,
  onOptions,
}: {
  readonly table: TableInfo
  readonly field: Field
  readonly use: FieldUse | undefined
  readonly options: readonly EditedOption[]
  readonly onChange: (use: FieldUse | undefined) => void
  readonly onOptions: (options: readonly EditedOption[]) => void
}): JSX.Element | null {
  const id = useId()
  const schema = useSchema()
  const people = peopleTablesOf(schema).find(({ name }) => name === field.link?.table)
  const suits =
    field.kind === 'date' || field.kind === 'datetime'
      ? 'due'
      : field.kind === 'choice'
        ? 'state'
        : people
          ? 'assignee'
          : undefined
  if (suits === undefined) return null
  const isGuess =
    settingOf(field).use === undefined &&
    (people ? assigneeColumnOf(table.descriptor.columns, people.name) === field.column : field.use === suits)
  const current = use ?? (isGuess ? suits : undefined)
  return (
    <>
      <Select
        label={words.use}
        options={[
          { value: '', label: isGuess ? words.automaticUse(words.uses[suits]) : words.automaticNone },
          { value: suits, label: words.uses[suits] },
          { value: 'none', label: words.uses.none },
        ]}
        value={use ?? ''}
        onChange={(next) => onChange(next === suits || next === 'none' ? next : undefined)}
        {...(current === suits && { description: words.roleDetails[suits] })}
      />
      {suits === 'state' && current === 'state' ? (
        <div role="group" aria-labelledby={id} className="flex flex-col gap-2">
          <span id={id} className={fieldLabelClass}>
            {words.closedOptions}
          </span>
          {options.map((option, place) =>
            option.text.trim() === '' ? null : (
              <Checkbox
                key={option.was ?? `new ${String(place)}`}
                isSelected={option.isClosed ?? isFinished(settingOf(field), option.was)}
                onChange={(isClosed) => onOptions(options.with(place, { ...option, isClosed }))}
              >
                {option.text}
              </Checkbox>
            ),
          )}
        </div>
      ) : null}
    </>
  )
}
