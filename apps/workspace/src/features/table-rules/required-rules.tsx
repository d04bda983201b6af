import { Pencil, Plus, Trash2 } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { LeaveQuestion } from '../../components/leave-question.tsx'
import { Notice } from '../../components/notice.tsx'
import { ConditionList } from '../../components/records/condition-list.tsx'
import { SqlPreview } from '../../components/records/sql-preview.tsx'
import { NoRows, Row, Rows, Section } from '../../components/section.tsx'
import { Select } from '../../components/select.tsx'
import { showToast } from '../../components/toast.tsx'
import { type Call, useCall } from '../../hooks/use-call.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useRecordTitle } from '../../lib/data/use-record-title.ts'
import {
  type Conditions,
  conditionsWords,
  readConditions,
  startOf,
  writeConditions,
} from '../../lib/fields/condition.ts'
import { type Field, isOfFiles } from '../../lib/fields/field.ts'
import { fieldRulesMessages as words, fieldRulesRefusals } from '../../messages/field-rules.ts'
import { tableRulesMessages } from '../../messages/table-rules.ts'

/** Conditions under which a field is required, by field. */
export type RequiredRules = Readonly<Record<string, Conditions>>

export interface FieldRulesProps {
  readonly workspace: string
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly isDisabled: boolean
}

/** "Reason is required when State is Blocked": rules that Postgres and devices check. */
export function RequiredSection(props: FieldRulesProps & { readonly rules: RequiredRules }): JSX.Element {
  const { workspace, table, fields, isDisabled, rules } = props
  const [edited, setEdited] = useState<string>()
  const call = useCall(fieldRulesRefusals)
  const names = Object.keys(rules)
  const free = fields.filter(
    ({ name, isSystem, isEditable, format }) => (isEditable || isOfFiles(format)) && !isSystem && !names.includes(name),
  )
  const labelOf = (name: string): string => fields.find((field) => field.name === name)?.label ?? name
  const remove = async (field: string): Promise<void> => {
    const args = { workspace, table_name: table.descriptor.table, field, conditions: [] }
    if (await call.run('set_required_when', args)) showToast({ text: words.removed })
  }
  return (
    <Section
      title={words.required}
      description={words.requiredDetail}
      action={
        isDisabled || free.length === 0 || edited !== undefined ? null : (
          <Button size="sm" icon={<Plus size={14} aria-hidden />} onPress={() => setEdited('')}>
            {tableRulesMessages.addRule}
          </Button>
        )
      }
    >
      {names.length === 0 && edited === undefined ? <NoRows>{words.noneRequired}</NoRows> : null}
      {names.length === 0 ? null : (
        <Rows label={words.required}>
          {names.map((name) => (
            <Row
              key={name}
              title={words.requiredWhen(labelOf(name), conditionsWords(rules[name] ?? [], fields))}
              mark={
                <span className="flex">
                  <IconButton
                    label={words.editRule(labelOf(name))}
                    icon={<Pencil size={16} aria-hidden />}
                    isDisabled={isDisabled}
                    onPress={() => setEdited(name)}
                  />
                  <IconButton
                    label={words.removeRule(labelOf(name))}
                    icon={<Trash2 size={16} aria-hidden />}
                    isDisabled={isDisabled || call.isPending}
                    onPress={() => void remove(name)}
                  />
                </span>
              }
            />
          ))}
        </Rows>
      )}
      <CallFailureText failure={call.failure} />
      {edited === undefined ? null : (
        <RequiredEditor
          key={edited}
          {...props}
          field={edited}
          choices={edited === '' ? free : fields.filter(({ name }) => name === edited)}
          conditions={rules[edited]}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Section>
  )
}

/** Records that a rule finds incomplete. */
interface Gaps {
  readonly count: number
  readonly examples: readonly string[]
}

function RequiredEditor({
  workspace,
  table,
  fields,
  isDisabled,
  field: given,
  choices,
  conditions,
  onClose,
}: FieldRulesProps & {
  /** Empty for a new rule. */
  readonly field: string
  readonly choices: readonly Field[]
  readonly conditions: Conditions | undefined
  readonly onClose: () => void
}): JSX.Element {
  const draft = useRequiredDraft({ workspace, table, fields, given, choices, conditions, onClose })
  const { field, others, when, gaps, call, args, save } = draft
  const label = choices.find(({ name }) => name === field)?.label ?? field
  return (
    <div className="flex flex-col gap-3 rounded-md border border-border p-4">
      <LeaveQuestion isChanged={draft.isChanged} />
      <div className="flex flex-wrap items-center gap-2">
        <Select
          label={tableRulesMessages.field}
          isLabelHidden
          className="w-52"
          isDisabled={isDisabled || given !== ''}
          value={field}
          options={choices.map(({ name, label: text }) => ({ value: name, label: text }))}
          onChange={draft.setField}
        />
        <span className="text-muted">{words.isRequired}</span>
      </div>
      <ConditionList
        list={when}
        first={tableRulesMessages.when}
        fields={others}
        isDisabled={isDisabled}
        hasToday={false}
        onChange={draft.change}
      />
      {gaps === undefined ? null : (
        <Notice
          tone="warning"
          role="alert"
          title={words.gaps({ count: gaps.count, label })}
          actions={
            <Button size="sm" isPending={call.isPending} onPress={() => void save(true)}>
              {words.onlyNew}
            </Button>
          }
        >
          <ul className="list-disc pl-4">
            {gaps.examples.map((id) => (
              <Example key={id} table={table} id={id} />
            ))}
          </ul>
        </Notice>
      )}
      {when.length === 0 ? null : (
        <Statements args={{ ...args, only_new: gaps !== undefined }} isPaused={call.isPending} />
      )}
      <CallFailureText failure={call.failure} />
      <div className="flex gap-2">
        <Button
          tone="primary"
          isDisabled={isDisabled || when.length === 0 || gaps !== undefined}
          isPending={call.isPending}
          onPress={() => void save(false)}
        >
          {tableRulesMessages.save}
        </Button>
        <Button onPress={onClose}>{words.cancel}</Button>
      </div>
    </div>
  )
}

function Statements({ args, isPaused }: { readonly args: object; readonly isPaused: boolean }): JSX.Element {
  return (
    <Disclosure title={tableRulesMessages.details}>
      <SqlPreview name="required_when_sql" args={args} refusals={fieldRulesRefusals} isPaused={isPaused} />
    </Disclosure>
  )
}

interface DraftOptions extends Pick<FieldRulesProps, 'workspace' | 'table' | 'fields'> {
  readonly given: string
  readonly choices: readonly Field[]
  readonly conditions: Conditions | undefined
  readonly onClose: () => void
}

/** A rule being edited, and the records that break it. */
function useRequiredDraft({ workspace, table, fields, given, choices, conditions, onClose }: DraftOptions): {
  readonly field: string
  readonly setField: (name: string) => void
  /** Fields that conditions can be about. */
  readonly others: readonly Field[]
  readonly when: Conditions
  readonly change: (when: Conditions) => void
  readonly isChanged: boolean
  readonly gaps: Gaps | undefined
  readonly call: Call
  readonly args: object
  /** @param onlyNew - records that break the rule stay until their next change */
  readonly save: (onlyNew: boolean) => Promise<void>
} {
  const [field, setField] = useState(given === '' ? (choices[0]?.name ?? '') : given)
  const others = fields.filter(({ name }) => name !== field)
  const [when, setWhen] = useState<Conditions>(() => {
    const start = others.find((one) => one.choices.length > 0) ?? others.find(({ isSystem }) => !isSystem)
    return conditions ?? (start ? [startOf(start)] : [])
  })
  const [before] = useState(when)
  const [gaps, setGaps] = useState<Gaps>()
  const call = useCall(fieldRulesRefusals)
  const args = { workspace, table_name: table.descriptor.table, field, conditions: when }
  const change = (next: Conditions): void => {
    setWhen(next)
    setGaps(undefined)
  }
  const save = async (onlyNew: boolean): Promise<void> => {
    if (!onlyNew) {
      const found = await call.run<Gaps>('required_when_gaps', args)
      if (!found) return
      if (found.result.count > 0) return setGaps(found.result)
    }
    if (!(await call.run('set_required_when', { ...args, only_new: onlyNew }))) return
    showToast({ text: words.saved })
    onClose()
  }
  return {
    field,
    setField(name) {
      setField(name)
      const { joint, conditions: kept } = readConditions(when)
      change(
        writeConditions(
          joint,
          kept.filter((one) => one.field !== name),
        ),
      )
    },
    others,
    when,
    change,
    isChanged: when !== before,
    gaps,
    call,
    args,
    save,
  }
}

function Example({ table, id }: { readonly table: TableInfo; readonly id: string }): JSX.Element {
  const { title } = useRecordTitle(table, id)
  return <li>{title}</li>
}
