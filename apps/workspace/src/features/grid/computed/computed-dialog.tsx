import { useRecords } from '@holdfast/react'
import type { ComputedField } from '@holdfast/protocol'
import { ROLLUP_FUNCTIONS } from '@holdfast/protocol'
import { type JSX, useMemo, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { CallFailureText } from '../../../components/call-failure-text.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { Select } from '../../../components/select.tsx'
import { TextField } from '../../../components/text-field.tsx'
import { showToast } from '../../../components/toast.tsx'
import { useCall } from '../../../hooks/use-call.ts'
import { useOnline } from '../../../hooks/use-online.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { useTables, useWordedSchema } from '../../../lib/data/use-tables.tsx'
import { readComputed, type StoredComputed } from '../../../lib/fields/compile-computed.ts'
import { COMPUTED_SQL } from '../../../lib/fields/use-fields.ts'
import { computedMessages as words, computedRefusals } from '../../../messages/computed.ts'
import {
  calculatedFields,
  columnNameOf,
  type ComputedDraft,
  type ComputedSources,
  type DraftProblem,
  draftOf,
  readDraft,
  readersOf,
  sourcesOf,
} from './computed-draft.ts'
import { ComputedPreview } from './computed-preview.tsx'
import { FormulaInput } from './formula-field.tsx'

export interface ComputedDialogProps {
  readonly table: TableInfo
  /** Workspace that made the table. */
  readonly workspace: string
  /** `undefined` adds a field. */
  readonly edited: ComputedField | undefined
  /** What was entered about a new field before. */
  readonly start?: Pick<ComputedDraft, 'kind' | 'label'>
  readonly onClose: () => void
}

/** Adds or changes a formula, lookup or rollup. */
export function ComputedDialog(props: ComputedDialogProps): JSX.Element | null {
  const { rows, isLoading } = useRecords<StoredComputed>(COMPUTED_SQL)
  return isLoading ? null : <Form {...props} stored={rows} />
}

function Form({
  table,
  workspace,
  edited,
  start,
  onClose,
  stored,
}: ComputedDialogProps & { readonly stored: readonly StoredComputed[] }): JSX.Element {
  const tables = useTables()
  const schema = useWordedSchema()
  const all = useMemo(() => readComputed(stored), [stored])
  const sources = useMemo(
    () => sourcesOf(table, tables, schema, all, edited?.name),
    [table, tables, schema, all, edited],
  )
  const [draft, setDraft] = useState(() => ({ ...draftOf(sources, edited), ...start }))
  const [hasTried, setTried] = useState(false)
  const call = useCall(computedRefusals)
  const isOnline = useOnline()
  const change = (part: Partial<ComputedDraft>): void => setDraft((before) => ({ ...before, ...part }))
  const read = useMemo(() => readDraft(draft, sources), [draft, sources])
  const hasLabel = /^[^.\p{Cc}]{1,40}$/u.test(draft.label.trim())
  const readers = edited
    ? readersOf(all.find(({ table: of, name }) => of === edited.table && name === edited.name) ?? edited, all, tables)
    : []

  const save = async (): Promise<void> => {
    setTried(true)
    if (!hasLabel || 'problem' in read) return
    const taken = new Set(sources.fields.map(({ name }) => name))
    const name = edited?.name ?? columnNameOf(draft.label, taken)
    const definition = { name, label: draft.label.trim(), ...read.definition }
    if (await call.run('set_computed_field', { workspace, name: table.descriptor.table, definition })) onClose()
  }
  const remove = async (): Promise<void> => {
    if (!edited) return
    if (!(await call.run('remove_computed_field', { workspace, name: table.descriptor.table, field: edited.name })))
      return
    showToast({ text: words.removed })
    onClose()
  }
  return (
    <FormDialog
      title={edited ? words.editTitle : words.addTitle}
      submitLabel={words.save}
      size="md"
      isPending={call.isPending}
      onSubmit={save}
      onClose={onClose}
    >
      <DraftFields {...{ draft, sources, change, read, hasTried, hasLabel }} isNew={!edited} />
      {'definition' in read ? <ComputedPreview definition={read.definition} sources={sources} /> : null}
      {isOnline ? null : <p className="text-small text-muted">{words.offline}</p>}
      {readers.length > 0 ? <p className="text-small text-muted">{words.usedBy(readers.join(', '))}</p> : null}
      <CallFailureText failure={call.failure} />
      {edited && readers.length === 0 ? (
        <div>
          <Button tone="danger" size="sm" isDisabled={!isOnline || call.isPending} onPress={() => void remove()}>
            {words.remove}
          </Button>
        </div>
      ) : null}
    </FormDialog>
  )
}

interface PartProps {
  readonly draft: ComputedDraft
  readonly sources: ComputedSources
  readonly change: (part: Partial<ComputedDraft>) => void
}

function DraftFields({
  draft,
  sources,
  change,
  read,
  isNew,
  hasTried,
  hasLabel,
}: PartProps & {
  readonly read: ReturnType<typeof readDraft>
  readonly isNew: boolean
  readonly hasTried: boolean
  readonly hasLabel: boolean
}): JSX.Element {
  const missing = 'problem' in read ? missingWords(read.problem, hasTried) : undefined
  return (
    <>
      <TextField
        label={words.label}
        value={draft.label}
        maxLength={40}
        autoFocus={isNew}
        onChange={(label) => change({ label })}
        errorMessage={hasTried && !hasLabel ? words.labelForm : undefined}
      />
      <Select
        label={words.kind}
        value={draft.kind}
        options={(['formula', 'lookup', 'rollup'] as const).map((value) => ({ value, label: words.kinds[value] }))}
        description={words.kindDetails[draft.kind]}
        onChange={(kind) => change({ kind: kind === 'lookup' || kind === 'rollup' ? kind : 'formula' })}
      />
      {draft.kind === 'formula' ? (
        <FormulaInput
          label={words.formula}
          value={draft.source}
          fields={sources.fields}
          error={
            'problem' in read && read.problem.kind === 'formula' && (draft.source !== '' || hasTried)
              ? read.problem.error
              : undefined
          }
          onChange={(source) => change({ source })}
        />
      ) : draft.kind === 'lookup' ? (
        <LookupFields {...{ draft, sources, change }} problem={missing} />
      ) : (
        <RollupFields {...{ draft, sources, change, read }} missing={missing} />
      )}
    </>
  )
}

/** Says what an unfinished field needs: at once if the table has no such field, otherwise after an attempt to save. */
function missingWords({ kind }: DraftProblem, hasTried: boolean): string | undefined {
  if (kind === 'child_number') return words.missing.child_number
  return hasTried && (kind === 'field' || kind === 'child_field') ? words.missing[kind] : undefined
}

function LookupFields({
  draft,
  sources,
  change,
  problem,
}: PartProps & { readonly problem: string | undefined }): JSX.Element {
  const link = sources.links.find(({ key }) => key === draft.link)
  if (!link) return <p className="text-small text-muted">{words.noLinks}</p>
  const fields = sources.fieldsOf(link.table).filter(({ type }) => type !== undefined)
  return (
    <>
      <Select
        label={words.link}
        value={draft.link}
        options={sources.links.map(({ key, label }) => ({ value: key, label }))}
        onChange={(key) => change({ link: key, field: '' })}
      />
      <Select
        label={words.field}
        value={draft.field === '' ? null : draft.field}
        options={fields.map(({ name, label }) => ({ value: name, label }))}
        onChange={(field) => change({ field })}
        errorMessage={problem}
      />
    </>
  )
}

function RollupFields({
  draft,
  sources,
  change,
  read,
  missing,
}: PartProps & {
  readonly read: ReturnType<typeof readDraft>
  readonly missing: string | undefined
}): JSX.Element {
  const child = sources.children.find(({ key }) => key === draft.child)
  if (!child) return <p className="text-small text-muted">{words.noRollups}</p>
  const fields = sources.fieldsOf(child.table)
  const problem = 'problem' in read ? read.problem : undefined
  return (
    <>
      <Select
        label={words.records}
        value={draft.child}
        options={sources.children.map(({ key, table, label }) => ({
          value: key,
          label: words.recordsBy(table.label, label),
        }))}
        onChange={(key) => change({ child: key, childField: '' })}
      />
      <Select
        label={words.calculation}
        value={draft.calculation}
        options={ROLLUP_FUNCTIONS.map((value) => ({ value, label: words.calculations[value] }))}
        onChange={(value) =>
          change({ calculation: ROLLUP_FUNCTIONS.find((one) => one === value) ?? 'count', childField: '' })
        }
      />
      {draft.calculation === 'count' ? null : (
        <Select
          label={words.field}
          value={draft.childField === '' ? null : draft.childField}
          options={calculatedFields(fields, draft.calculation).map(({ name, label }) => ({ value: name, label }))}
          onChange={(childField) => change({ childField })}
          errorMessage={missing}
        />
      )}
      <FormulaInput
        label={words.only}
        description={problem?.kind === 'only_boolean' ? words.onlyBoolean : words.onlyDetail}
        rows={2}
        value={draft.only}
        fields={fields}
        error={problem?.kind === 'only' ? problem.error : undefined}
        onChange={(only) => change({ only })}
      />
    </>
  )
}
