import { useSchema } from '@holdfast/react'
import { type JSX, type ReactNode, useId, useMemo } from 'react'
import { Avatar } from '../../components/avatar.tsx'
import { lateContent } from '../../components/late-content.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import { cx } from '../../lib/cx.ts'
import { type Field, type FieldValue, isOfFiles } from '../../lib/fields/field.ts'
import type { NotStored } from '../../lib/records/not-stored.ts'
import type { RecordValues } from '../../lib/records/record-change.ts'
import type { RecordRights } from '../../lib/records/record-rights.ts'
import { useTakenBy } from '../../lib/records/use-taken-by.ts'
import { refusalWords } from '../../lib/records/refusal-words.ts'
import type { RecordMark } from '../../lib/records/record-state.ts'
import { presenceMessages } from '../../messages/presence.ts'
import { recordMessages as words } from '../../messages/record.ts'
import type { EditorsOfFields } from './field-editors.tsx'
import { FieldInput } from './field-input.tsx'
import { FieldText } from './field-text.tsx'
import type { FieldLayout } from '../../lib/data/arrange-fields.ts'
import { isWide, sectionsOf } from './record-sections.ts'
import { stateMessages } from '../../messages/states.ts'

/** Loaded by tables with such fields. */
const { Content: FilesField } = lateContent(async () => (await import('./files/files-field.tsx')).FilesField)

interface RecordFieldsProps {
  /** The record on this device, which may have files; omitted for a draft. */
  readonly record?: { readonly table: string; readonly id: string }
  readonly fields: readonly Field[]
  readonly layout: FieldLayout | undefined
  readonly values: RecordValues
  readonly labels: ReadonlyMap<string, FieldValue>
  readonly mark: RecordMark | undefined
  readonly problems: ReadonlyMap<string, string>
  readonly canEdit: boolean
  /** What policies allow; omitted for a draft. */
  readonly rights?: RecordRights
  /** A reason shown above all fields. */
  readonly refusalSaid?: string | undefined
  readonly isDraft: boolean
  readonly table: string
  readonly recordId: string
  /** Other users editing fields. */
  readonly editors?: EditorsOfFields
  /** Called with the focused field, or with `undefined` if none is focused. */
  readonly onEdit?: (field: string | undefined) => void
  readonly onCommit: (field: Field, value: FieldValue, isUnjudged?: boolean) => Promise<NotStored | undefined>
  readonly onOpenLink: (table: string, id: string) => void
  /** Rendered between the main fields and the system fields. */
  readonly children?: ReactNode
}

/** All fields of a record: the main fields, who and when beside them if there is room, and the system fields below. */
export function RecordFields(props: RecordFieldsProps): JSX.Element {
  const { fields, layout, values, labels, isDraft } = props
  const schema = useSchema()
  const { main, beside, kept } = useMemo(
    () => sectionsOf(fields, schema, layout, isDraft),
    [fields, schema, layout, isDraft],
  )
  const plain = main.find(({ title }) => title === undefined)?.fields ?? []
  const titled = main.filter(({ title }) => title !== undefined)
  return (
    <div className="@container flex flex-col gap-4">
      <div
        className={cx(
          'grid gap-x-8 gap-y-3.5',
          beside.length > 0 && '@2xl:grid-cols-[minmax(0,1fr)_17rem] @2xl:grid-rows-[auto_1fr]',
        )}
      >
        {plain.length === 0 ? null : (
          <div className={COLUMNS}>
            {plain.map((field) => (
              <Cell key={field.name} {...props} field={field} />
            ))}
          </div>
        )}
        {/* In a single column, who and when come before the sections. */}
        {beside.length === 0 ? null : (
          <div
            role="group"
            aria-label={words.whoAndWhen}
            className="grid grid-cols-2 content-start gap-x-3 gap-y-3.5 @2xl:col-start-2 @2xl:row-span-2 @2xl:row-start-1 @2xl:grid-cols-1 @2xl:border-l @2xl:border-border @2xl:pl-8"
          >
            {beside.map((field) => (
              <div key={field.name} className="min-w-0">
                <RecordField {...props} field={field} />
              </div>
            ))}
          </div>
        )}
        {titled.length === 0 ? null : (
          <div className="flex flex-col gap-4 @2xl:col-start-1">
            {titled.map(({ title, fields: together }) => (
              <Section key={title} title={title}>
                {together.map((field) => (
                  <Cell key={field.name} {...props} field={field} />
                ))}
              </Section>
            ))}
          </div>
        )}
      </div>
      {props.children}
      {isDraft || kept.length === 0 ? null : (
        <Disclosure title={words.system}>
          <dl className="grid grid-cols-1 gap-3 pt-2 @sm:grid-cols-2 @2xl:grid-cols-3">
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

const COLUMNS = 'grid grid-cols-2 content-start gap-x-3 gap-y-3.5'

function Cell(props: RecordFieldsProps & { readonly field: Field }): JSX.Element {
  return (
    <div className={cx('min-w-0', isWide(props.field) && 'col-span-2')}>
      <RecordField {...props} />
    </div>
  )
}

function Section({
  title,
  children,
}: {
  readonly title: string | undefined
  readonly children: ReactNode
}): JSX.Element {
  const id = useId()
  return (
    <section aria-labelledby={id} className="border-t border-border pt-3">
      <h3 id={id} className="pb-2.5 text-body font-semibold">
        {title}
      </h3>
      <div className={COLUMNS}>{children}</div>
    </section>
  )
}

function RecordField({
  field: given,
  record,
  values,
  labels,
  mark,
  problems,
  canEdit,
  rights,
  refusalSaid,
  isDraft,
  table,
  recordId,
  editors,
  onEdit,
  onCommit,
  onOpenLink,
}: RecordFieldsProps & { readonly field: Field }): JSX.Element {
  const value = values[given.name] ?? null
  // A field with a value needs no help text, which would only take up room.
  const field = !isDraft && value !== null ? { ...given, help: undefined } : given
  const label = labels.get(field.name)
  const taken = useTakenBy(table, recordId, field.column.unique && value !== null ? { [field.name]: value } : undefined)
  const refusal = canEdit ? rights?.fields.get(field.name) : undefined
  if (isOfFiles(field.format)) {
    return <FilesField {...{ field, record }} note={refusal && refusalWords(refusal, [field])} canEdit={canEdit} />
  }
  if (!canEdit || !field.isEditable || refusal) {
    const reason = refusal && refusalWords(refusal, [field])
    return (
      <dl>
        <FieldText field={field} value={value} label={label} note={reason === refusalSaid ? undefined : reason} />
      </dl>
    )
  }
  const state = mark?.fields.get(field.name) ?? 'clean'
  return (
    <fieldset
      role="presentation"
      data-field={field.name}
      // Looks like text meanwhile and keeps its size; what policies then refuse was never offered.
      disabled={rights?.isKnown === false}
      className={cx('relative min-w-0 disabled:looks-as-text', state !== 'clean' && 'border-l-2 border-warning pl-2')}
      onFocus={() => onEdit?.(field.name)}
      onBlur={() => onEdit?.(undefined)}
    >
      <EditorsMark names={editors?.get(field.name)} />
      <FieldInput
        field={field}
        value={value}
        label={label}
        note={state === 'clean' ? undefined : stateMessages[state]}
        problem={problems.get(field.name) ?? taken}
        isRequired={isDraft && field.isRequired}
        refusedChoices={rights?.choices.get(field.name)}
        onCommit={(next, isUnjudged) => onCommit(given, next, isUnjudged)}
        onOpenLink={onOpenLink}
      />
    </fieldset>
  )
}

/** Names the other users editing the field, beside its label. */
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
