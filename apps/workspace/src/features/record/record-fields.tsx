import type { JSX } from 'react'
import { Avatar } from '../../components/avatar.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import { RECORD_STATES } from '../../components/state-glyph.tsx'
import { cx } from '../../lib/cx.ts'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import type { RecordValues } from '../../lib/records/record-change.ts'
import type { RecordRights } from '../../lib/records/record-rights.ts'
import { refusalWords } from '../../lib/records/refusal-words.ts'
import type { RecordMark } from '../../lib/records/record-state.ts'
import { presenceMessages } from '../../messages/presence.ts'
import { recordMessages as words } from '../../messages/record.ts'
import type { EditorsOfFields } from './field-editors.tsx'
import { FieldInput, FieldText } from './field-input.tsx'

interface RecordFieldsProps {
  readonly fields: readonly Field[]
  readonly values: RecordValues
  readonly labels: ReadonlyMap<string, FieldValue>
  readonly mark: RecordMark | undefined
  readonly problems: ReadonlyMap<string, string>
  readonly canEdit: boolean
  /** What policies forbid of it; left out for a draft. */
  readonly rights?: RecordRights
  readonly isDraft: boolean
  /** Others who are editing a field now. */
  readonly editors?: EditorsOfFields
  /** Called with the field that the focus is in, and with `undefined` when it is in none. */
  readonly onEdit?: (field: string | undefined) => void
  readonly onCommit: (field: Field, value: FieldValue) => Promise<boolean>
  readonly onOpenLink: (table: string, id: string) => void
}

/** All fields of a record: those to edit, then those that the database keeps. */
export function RecordFields({
  fields,
  values,
  labels,
  mark,
  problems,
  canEdit,
  rights,
  isDraft,
  editors,
  onEdit,
  onCommit,
  onOpenLink,
}: RecordFieldsProps): JSX.Element {
  const own = fields.filter((field) => !field.isSystem)
  const kept = fields.filter((field) => field.isSystem)
  return (
    <div className="flex flex-col gap-4">
      {own.map((field) => {
        const value = values[field.name] ?? null
        const label = labels.get(field.name)
        const refusal = canEdit ? rights?.fields.get(field.name) : undefined
        if (!canEdit || !field.isEditable || refusal) {
          return (
            <dl key={field.name}>
              <FieldText field={field} value={value} label={label} note={refusal && refusalWords(refusal)} />
            </dl>
          )
        }
        const state = mark?.fields.get(field.name) ?? 'clean'
        return (
          <div
            key={field.name}
            data-field={field.name}
            className={cx('relative', state !== 'clean' && '-ml-3 border-l-2 border-warning pl-2.5')}
            onFocus={() => onEdit?.(field.name)}
            onBlur={() => onEdit?.(undefined)}
          >
            <EditorsMark names={editors?.get(field.name)} />
            <FieldInput
              field={field}
              value={value}
              label={label}
              note={state === 'clean' ? undefined : RECORD_STATES[state].word}
              problem={problems.get(field.name)}
              isRequired={isDraft && field.isRequired}
              refusedChoices={rights?.choices.get(field.name)}
              onCommit={(next) => onCommit(field, next)}
              onOpenLink={onOpenLink}
            />
          </div>
        )
      })}
      {isDraft || kept.length === 0 ? null : (
        <Disclosure title={words.system}>
          <dl className="flex flex-col gap-3 pt-2">
            {kept.map((field) => (
              <FieldText
                key={field.name}
                field={field}
                value={values[field.name] ?? null}
                label={labels.get(field.name)}
              />
            ))}
          </dl>
        </Disclosure>
      )}
    </div>
  )
}

/** Who else is editing the field, in the line of its label. */
function EditorsMark({ names = [] }: { readonly names: readonly string[] | undefined }): JSX.Element | null {
  const [first] = names
  if (first === undefined) return null
  return (
    <p
      data-editors
      className="pointer-events-none absolute top-0 right-0 flex h-4 max-w-1/2 items-center gap-1.5 text-small text-muted"
    >
      <Avatar name={first} size="sm" />
      <span className="truncate">{presenceMessages.editing(names)}</span>
    </p>
  )
}
