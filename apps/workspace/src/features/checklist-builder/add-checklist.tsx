import { useNavigate, useParams } from '@tanstack/react-router'
import { type JSX, useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { Switch } from '../../components/checkbox.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { SqlPreview } from '../../components/records/sql-preview.tsx'
import { Select, type SelectOption } from '../../components/select.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useCall } from '../../hooks/use-call.ts'
import { useOnline } from '../../hooks/use-online.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useWordedSchema } from '../../lib/data/use-tables.tsx'
import { type Field, fieldsOf } from '../../lib/fields/field.ts'
import { choiceWords } from '../../lib/fields/format-value.ts'
import type { Workspace } from '../../lib/records/use-workspace.ts'
import { builderMessages as words, builderRefusals } from '../../messages/checklist-builder.ts'

/** Choices that mean that a record is begun and finished, in the languages of the app. */
const BEGUN = /progress|begun|started|arbeit|begonnen/i
const FINISHED = /submit|finish|done|complete|closed|eingereicht|erledigt|abgeschlossen|fertig/i
const NONE = ''

interface Progress {
  /** Empty for a new field. */
  readonly field: string
  readonly begin: string
  readonly finish: string
}

/** Adds checklists to a table: a name, what failed answers create, and the field that shows the progress. */
export function AddChecklist({
  table,
  workspace,
}: {
  readonly table: TableInfo
  readonly workspace: Workspace
}): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/t/$table/checklists' })
  const navigate = useNavigate()
  const isOnline = useOnline()
  const call = useCall(builderRefusals)
  const choices = useChoiceFields(table)
  const [name, setName] = useState('')
  const [hasTried, setTried] = useState(false)
  const [hasFindings, setFindings] = useState(true)
  const [progress, setProgress] = useState<Progress>(() => progressOf(choices[0]))
  const args = {
    workspace: workspace.id,
    table_name: table.descriptor.table,
    definition: definitionOf(name, hasFindings, progress),
  }
  const add = async (): Promise<void> => {
    setTried(true)
    if (name.trim() === '') return
    const added = await call.run<{ readonly checklist: string }>('add_checklist', args)
    if (!added) return
    await navigate({
      to: '/w/$ws/t/$table/checklists',
      params: { ws, table: table.name },
      search: { c: added.result.checklist },
    })
  }
  return (
    <Page title={words.addTitle} description={words.addLead(table.noun)} width="reading">
      <form
        noValidate
        className="flex max-w-xl flex-col gap-6"
        onSubmit={(event) => {
          event.preventDefault()
          void add()
        }}
      >
        <TextField
          label={words.name}
          value={name}
          onChange={setName}
          maxLength={120}
          errorMessage={hasTried && name.trim() === '' ? words.nameMissing : undefined}
        />
        <ProgressChoice {...{ choices, progress }} onChange={setProgress} />
        <div>
          <Switch isSelected={hasFindings} onChange={setFindings}>
            {words.findings}
          </Switch>
          <p className="text-small text-muted">{words.findingsDetail}</p>
        </div>
        {isOnline ? null : <Notice tone="info" role="status" title={words.offline} />}
        {name.trim() === '' ? null : (
          <Disclosure title={words.details}>
            <SqlPreview name="add_checklist_sql" args={args} refusals={builderRefusals} isPaused={call.isPending} />
          </Disclosure>
        )}
        <CallFailureText failure={call.failure} />
        <Button type="submit" tone="primary" className="self-start" isDisabled={!isOnline} isPending={call.isPending}>
          {words.addTitle}
        </Button>
      </form>
    </Page>
  )
}

/** Returns the argument of the server's function. */
function definitionOf(name: string, findings: boolean, { field, begin, finish }: Progress): object {
  const { labels, severities, states, progressChoices } = words
  const ofField = { field, finish, ...(begin !== NONE && { begin }) }
  return {
    name: name.trim(),
    findings,
    labels,
    severities,
    states,
    progress: field === NONE ? { choices: progressChoices } : ofField,
  }
}

/** Returns the fields with options of which one can mean that a record is finished. */
function useChoiceFields(table: TableInfo): readonly Field[] {
  const schema = useWordedSchema()
  return useMemo(
    () =>
      fieldsOf(table.descriptor, schema).filter(
        ({ kind, isSystem, isEditable, choices }) => kind === 'choice' && !isSystem && isEditable && choices.length > 1,
      ),
    [table, schema],
  )
}

function progressOf(field: Field | undefined): Progress {
  if (!field) return { field: NONE, begin: NONE, finish: NONE }
  const { choices } = field
  const find = (pattern: RegExp): string | undefined => choices.find((choice) => pattern.test(choice))
  return {
    field: field.column.column ?? field.name,
    begin: find(BEGUN) ?? NONE,
    finish: find(FINISHED) ?? choices.at(-1) ?? NONE,
  }
}

function ProgressChoice({
  choices,
  progress,
  onChange,
}: {
  readonly choices: readonly Field[]
  readonly progress: Progress
  readonly onChange: (progress: Progress) => void
}): JSX.Element | null {
  if (choices.length === 0) return null
  const columnOf = (field: Field): string => field.column.column ?? field.name
  const field = choices.find((one) => columnOf(one) === progress.field)
  const options: readonly SelectOption[] = (field?.choices ?? []).map((choice) => ({
    value: choice,
    label: field ? choiceWords(choice, field.choiceWords) : choice,
  }))
  return (
    <div className="flex flex-col gap-3">
      <Select
        label={words.progress}
        value={progress.field}
        options={[
          ...choices.map((one) => ({ value: columnOf(one), label: one.label })),
          { value: NONE, label: words.newProgress },
        ]}
        onChange={(value) => onChange(progressOf(choices.find((one) => columnOf(one) === value)))}
      />
      {field ? (
        <div className="grid gap-3 tablet:grid-cols-2">
          <Select
            label={words.whenBegun}
            value={progress.begin}
            options={[{ value: NONE, label: words.unchanged }, ...options]}
            onChange={(begin) => onChange({ ...progress, begin })}
          />
          <Select
            label={words.whenFinished}
            value={progress.finish}
            options={options}
            onChange={(finish) => onChange({ ...progress, finish })}
          />
        </div>
      ) : null}
    </div>
  )
}
