import { useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import { type JSX, useMemo } from 'react'
import { Button } from '../../../components/button.tsx'
import { Page } from '../../../components/page.tsx'
import type { Checklist } from '../../../lib/checklists/checklist.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { useToday } from '../../../hooks/use-today.ts'
import { type Field, type FieldValue, fieldsOf } from '../../../lib/fields/field.ts'
import { type Draft, type DraftRow, toDraft } from '../../../lib/records/drafts.ts'
import type { RecordValues } from '../../../lib/records/record-change.ts'
import { quoteName } from '../../../lib/sql.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'
import { fieldMessages } from '../../../messages/fields.ts'
import { FieldInput } from '../field-input.tsx'
import type { AskedField } from '../form/asked-fields.ts'
import { newDraft, useForm } from '../form/use-form.ts'
import { useLinkLabels } from '../use-link-labels.ts'
import { LabelField } from './label-field.tsx'

/** Selects the draft of a record started from a template. */
const START_DRAFT_SQL = `select id, table_name, field_values from hf_local_drafts
                          where form_id = ? and table_name = ? order by updated_at desc limit 1`

export interface ChecklistStartProps {
  readonly checklist: Checklist
  readonly table: TableInfo
  /** Id of the template. */
  readonly template: string
  /** Name of the draft. */
  readonly form: string
  /** Known values by column. */
  readonly prefill: RecordValues
  readonly onBegun: (recordId: string) => void
}

/** Asks for a new record's required fields and place before its first question. */
export function ChecklistStart(props: ChecklistStartProps): JSX.Element | null {
  const { checklist, table, template, form } = props
  const schema = useSchema()
  const fields = useMemo(() => fieldsOf(table.descriptor, schema), [table.descriptor, schema])
  const { rows, isLoading } = useRecords<DraftRow>(START_DRAFT_SQL, [form, table.name])
  const known = useKnownValues(props, fields)
  const title = useRecords<{ readonly title: string | null }>(
    `select ${quoteName(checklist.templates.title ?? 'id')} as title from ${quoteName(checklist.templates.table)} where id = ?`,
    [template],
  )
  if (isLoading || known === undefined || title.isLoading) return null
  const stored = rows[0] && { ...toDraft(rows[0]), form }
  const begun = stored ?? { ...newDraft(table.name, form), values: known }
  const name = title.rows[0]?.title ?? table.noun
  return <StartForm key={begun.id} {...props} {...{ fields, begun, name }} />
}

function StartForm({
  checklist,
  table,
  fields,
  begun,
  name,
  onBegun,
}: ChecklistStartProps & {
  readonly fields: readonly Field[]
  readonly begun: Draft
  readonly name: string
}): JSX.Element {
  const asked = useMemo(() => askedOf(checklist, fields), [checklist, fields])
  const form = useForm(table, begun, asked)
  const { values } = form.draft
  const labels = useLinkLabels(
    asked.map(({ field }) => ({ field, from: null, to: values[field.name] ?? null, isOmitted: false })),
  )
  const take = async (places: RecordValues): Promise<void> => {
    for (const { field } of asked) {
      const value = places[field.name]
      // oxlint-disable-next-line no-await-in-loop -- each is added to the draft that the one before has stored
      if (value !== undefined) await form.commit(field, value)
    }
  }
  const begin = async (): Promise<void> => {
    const outcome = await form.save()
    if (outcome.kind === 'saved') onBegun(outcome.id)
  }
  return (
    <Page title={words.startOf(name)} width="reading">
      <h2 className="pb-3 text-heading">{words.startLead}</h2>
      <div className="flex flex-col gap-5">
        <LabelField checklist={checklist} onFound={(places) => void take(places)} />
        {asked.map(({ field, isRequired }) => (
          <FieldInput
            key={field.name}
            {...{ field, isRequired }}
            value={values[field.name] ?? null}
            label={labels.get(`${field.name}/${values[field.name]}`)}
            note={undefined}
            problem={
              form.missing.some((one) => one.field.name === field.name)
                ? fieldMessages.required(field.label)
                : undefined
            }
            onCommit={(value) => form.commit(field, value)}
            onOpenLink={undefined}
          />
        ))}
        {form.refusal === undefined ? null : (
          <p role="status" className="text-body text-danger">
            {form.refusal}
          </p>
        )}
        <Button
          tone="primary"
          isFullWidth
          className="h-14 text-heading"
          isDisabled={form.refusal !== undefined}
          onPress={() => void begin()}
        >
          {words.beginNow}
        </Button>
      </div>
    </Page>
  )
}

/** Returns the fields to ask for: the place first, then the table's other required fields; without a place the title. The template is already chosen. */
function askedOf({ places, template, begin }: Checklist, fields: readonly Field[]): readonly AskedField[] {
  const isAsked = ({ name, isRequired, isEditable, isTitle }: Field): boolean =>
    isEditable &&
    name !== template &&
    !Object.hasOwn(begin, name) &&
    (isRequired || places.includes(name) || (isTitle && places.length === 0))
  const place = ({ name }: Field): number => (places.includes(name) ? places.indexOf(name) : places.length)
  return fields
    .filter(isAsked)
    .toSorted((a, b) => place(a) - place(b))
    .map((field) => ({
      item: { field: field.name, isRequired: false, label: '', help: '' },
      field,
      isRequired: field.isRequired,
    }))
}

/** Returns defaults: today for days, the values of the user's last record for other links. `undefined` until they are read. */
function useKnownValues(
  { checklist, table, template, prefill }: ChecklistStartProps,
  fields: readonly Field[],
): RecordValues | undefined {
  const { userId } = useLocalDatabase()
  const today = useToday()
  const hasAuthor = table.descriptor.columns.some(({ name }) => name === 'created_by')
  const { rows, isLoading } = useRecords<RecordValues>(
    hasAuthor ? `select * from ${quoteName(table.name)} where created_by = ? order by created_at desc limit 1` : '',
    [userId],
  )
  if (hasAuthor && isLoading) return undefined
  const known: Record<string, FieldValue> = { [checklist.template]: template, ...checklist.begin }
  for (const { name, kind, isRequired } of fields) {
    if (!isRequired || name === checklist.template) continue
    if (kind === 'date') known[name] = today
    if (kind === 'link' && !checklist.places.includes(name)) known[name] = rows[0]?.[name] ?? null
  }
  return { ...known, ...prefill }
}
