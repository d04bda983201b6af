import { foldName } from '@holdfast/protocol'
import { Navigate, useParams } from '@tanstack/react-router'
import { Plus, X } from 'lucide-react'
import { type JSX, useMemo, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { CallFailureText } from '../../../components/call-failure-text.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { FormatSettingsField } from '../../../components/fields/format-settings-field.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { Notice } from '../../../components/notice.tsx'
import { Page } from '../../../components/page.tsx'
import { Select } from '../../../components/select.tsx'
import { TextField } from '../../../components/text-field.tsx'
import { useCall } from '../../../hooks/use-call.ts'
import { useOnline } from '../../../hooks/use-online.ts'
import { useTableInfo, useTables, useWordedSchema } from '../../../lib/data/use-tables.tsx'
import { canChange, useWorkspace, type Workspace } from '../../../lib/records/use-workspace.ts'
import { newTableMessages as words, newTableRefusals } from '../../../messages/new-table.ts'
import { AUTOMATIC_KINDS, DEFAULT_SETTINGS, FORMAT_KINDS } from '../../../lib/fields/new-kinds.ts'
import { tableSettingsMessages as fieldWords } from '../../../messages/table-settings.ts'
import { AccessChoice } from './access-choice.tsx'
import { linkTables } from '../../../lib/data/link-tables.ts'
import { Arriving } from './made-table.tsx'
import { Part } from './part.tsx'
import {
  type Becomes,
  type DraftField,
  isLabel,
  NEW_KINDS,
  settled,
  type TableDraft,
  toNewTable,
} from './table-draft.ts'
import { TableName } from './table-name.tsx'

const LINK = 'link:'

/** A new table whose fields the user sets up, for owners and admins of a workspace. */
export function EmptyTableScreen(): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/new-table' })
  const workspace = useWorkspace()
  const [created, setCreated] = useState<string>()
  return (
    <Page title={words.emptyTitle} description={words.emptyDescription} width="reading">
      {created !== undefined ? (
        <Created table={created} ws={ws} />
      ) : workspace === undefined ? null : workspace === null || !canChange(workspace) ? (
        <EmptyState title={newTableRefusals['people.not_admin']} />
      ) : (
        <EmptyTableForm workspace={workspace} onCreated={setCreated} />
      )}
    </Page>
  )
}

function Created({ table, ws }: { readonly table: string; readonly ws: string }): JSX.Element {
  const info = useTableInfo(table)
  return info ? <Navigate to="/w/$ws/t/$table" params={{ ws, table: info.name }} replace /> : <Arriving />
}

function firstDraft(): TableDraft {
  const [name = '', notes = ''] = words.firstFields
  return {
    label: '',
    fields: [
      { label: name, becomes: { kind: 'text' } },
      { label: notes, becomes: { kind: 'long_text' } },
    ],
    title: 0,
    access: { kind: 'members' },
    writing: { decimal: '.', dayFirst: true },
  }
}

function EmptyTableForm({
  workspace,
  onCreated,
}: {
  readonly workspace: Workspace
  readonly onCreated: (table: string) => void
}): JSX.Element {
  const [draft, setDraft] = useState(firstDraft)
  const [hasTried, setTried] = useState(false)
  const call = useCall(newTableRefusals)
  const isOnline = useOnline()
  const schema = useWordedSchema()
  const taken = useMemo(
    () => new Set(schema.tables.flatMap(({ name, table }) => [foldName(name), foldName(table)])),
    [schema],
  )
  const problem = problemOf(draft)
  const making = {
    call,
    planned: problem === undefined ? toNewTable(draft, taken) : undefined,
    change: (changed: TableDraft) => setDraft(settled(changed)),
  }
  const create = async (): Promise<void> => {
    setTried(true)
    if (making.planned === undefined) return
    const { definition } = making.planned
    const made = await call.run<string>('create_table', { workspace: workspace.id, definition })
    if (made) onCreated(made.result)
  }
  return (
    <form
      noValidate
      className="flex flex-col gap-8"
      onSubmit={(event) => {
        event.preventDefault()
        void create()
      }}
    >
      <TableName {...{ draft, making }} />
      <Fields draft={draft} onChange={making.change} hasTried={hasTried} />
      <AccessChoice {...{ draft, workspace, making }} />
      <div className="flex flex-col items-start gap-3">
        {isOnline ? null : <Notice tone="info" role="status" title={words.offline} />}
        {hasTried && problem !== undefined ? (
          <p role="alert" className="text-body text-danger">
            {problem}
          </p>
        ) : null}
        <CallFailureText failure={call.failure} />
        <Button type="submit" tone="primary" isDisabled={!isOnline} isPending={call.isPending}>
          {words.create}
        </Button>
      </div>
    </form>
  )
}

/** Returns the first missing part of the table. */
function problemOf({ label, fields }: TableDraft): string | undefined {
  if (label.trim() === '') return words.nameMissing
  if (!isLabel(label)) return words.labelForm
  if (fields.length === 0 || fields.some((field) => field.label.trim() === '')) return words.fieldMissing
  if (fields.some((field) => !isLabel(field.label))) return words.labelForm
  const lacksChoices = ({ becomes }: DraftField): boolean => becomes.kind === 'choice' && becomes.choices.length === 0
  return fields.some(lacksChoices) ? words.choicesMissing : undefined
}

/** Returns the kinds of fields that a new table may have. */
function useKindOptions(): readonly { readonly value: string; readonly label: string }[] {
  const tables = linkTables(useTables(), useWordedSchema())
  return [
    ...NEW_KINDS.map((kind) => ({ value: kind as string, label: words.kinds[kind] })),
    ...AUTOMATIC_KINDS.map((kind) => ({ value: kind as string, label: fieldWords.automatic[kind] })),
    ...FORMAT_KINDS.map((kind) => ({ value: kind as string, label: fieldWords.formats[kind] })),
    { value: `${LINK}hf_members`, label: fieldWords.person },
    ...tables.map(({ name, label }) => ({ value: `${LINK}${name}`, label: words.linkTo(label) })),
  ]
}

function Fields({
  draft,
  onChange,
  hasTried,
}: {
  readonly draft: TableDraft
  readonly onChange: (draft: TableDraft) => void
  readonly hasTried: boolean
}): JSX.Element {
  const options = useKindOptions()
  const { fields } = draft
  const remove = (at: number): void => {
    const title =
      draft.title === undefined || draft.title < at ? draft.title : draft.title === at ? undefined : draft.title - 1
    onChange({ ...draft, title, fields: fields.toSpliced(at, 1) })
  }
  return (
    <Part title={words.fields}>
      <ul className="flex flex-col gap-3">
        {fields.map((field, at) => {
          const set = (change: Partial<DraftField>): void =>
            onChange({ ...draft, fields: fields.with(at, { ...field, ...change }) })
          const { becomes } = field
          return (
            // Fields have no identity except their position.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={at} className="flex flex-col gap-2">
              <div className="flex items-start gap-2">
                <TextField
                  label={words.fieldName(at + 1)}
                  isLabelHidden
                  value={field.label}
                  onChange={(label) => set({ label })}
                  errorMessage={hasTried && !isLabel(field.label) ? words.labelForm : undefined}
                  className="min-w-0 flex-1"
                />
                <Select
                  label={words.fieldKind(at + 1)}
                  isLabelHidden
                  options={options}
                  value={becomes.kind === 'link' ? `${LINK}${becomes.table}` : becomes.kind}
                  onChange={(kind) => set({ becomes: becomesOf(kind) })}
                  className="w-40 tablet:w-56"
                />
                <IconButton
                  label={words.removeField(field.label)}
                  icon={<X size={16} aria-hidden />}
                  onPress={() => remove(at)}
                />
              </div>
              {'settings' in becomes ? (
                <FormatSettingsField
                  kind={becomes.kind}
                  settings={becomes.settings}
                  onChange={(settings) => set({ becomes: { kind: becomes.kind, settings } })}
                />
              ) : null}
              {becomes.kind === 'choice' ? (
                <Choices
                  place={at + 1}
                  choices={becomes.choices}
                  onChange={(choices) => set({ becomes: { kind: 'choice', choices } })}
                />
              ) : null}
            </li>
          )
        })}
      </ul>
      <Button
        className="self-start"
        icon={<Plus size={16} aria-hidden />}
        onPress={() => onChange({ ...draft, fields: [...fields, { label: '', becomes: { kind: 'text' } }] })}
      >
        {words.addField}
      </Button>
    </Part>
  )
}

function Choices({
  place,
  choices,
  onChange,
}: {
  readonly place: number
  readonly choices: readonly string[]
  readonly onChange: (choices: readonly string[]) => void
}): JSX.Element {
  const [text, setText] = useState(choices.join('\n'))
  return (
    <TextField
      label={words.choicesOf(place)}
      rows={4}
      value={text}
      onChange={(next) => {
        setText(next)
        const lines = next.split('\n').map((line) => line.trim())
        onChange([...new Set(lines.filter((line) => line !== ''))])
      }}
    />
  )
}

function becomesOf(value: string): Becomes {
  if (value.startsWith(LINK)) return { kind: 'link', table: value.slice(LINK.length) }
  const format = FORMAT_KINDS.find((one) => one === value)
  if (format) return { kind: format, settings: DEFAULT_SETTINGS }
  const automatic = AUTOMATIC_KINDS.find((one) => one === value)
  if (automatic) return { kind: automatic }
  const kind = NEW_KINDS.find((one) => one === value) ?? 'text'
  return kind === 'choice' ? { kind, choices: [] } : { kind }
}
