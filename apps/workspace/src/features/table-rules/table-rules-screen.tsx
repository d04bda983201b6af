import { useRecords, useSchema } from '@holdfast/react'
import { useParams } from '@tanstack/react-router'
import { Plus, ShieldCheck } from 'lucide-react'
import { type JSX, useEffect, useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { LeaveQuestion } from '../../components/leave-question.tsx'
import { Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { NoRows, Rows, Section } from '../../components/section.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { showToast } from '../../components/toast.tsx'
import { useCall } from '../../hooks/use-call.ts'
import { useAsk } from '../../hooks/use-ask.ts'
import { useOnline } from '../../hooks/use-online.ts'
import { callFunction } from '../../lib/data/call-function.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useFindTable, useWordedSchema } from '../../lib/data/use-tables.tsx'
import { fieldsOf } from '../../lib/fields/field.ts'
import { tableRulesMessages as words, tableRulesRefusals } from '../../messages/table-rules.ts'
import { type AccessPreview, previewAccess } from './access-calls.ts'
import { type AccessRules, type Command, COMMANDS, NO_RULES, parseRules, type Rule } from './access-rules.ts'
import { RequiredSection, type RequiredRules } from './required-rules.tsx'
import { RulePreview } from './rule-preview.tsx'
import { RuleRow } from './rule-row.tsx'
import { SeeAsSection } from './see-as-section.tsx'
import { TransitionSection } from './transition-rules.tsx'
import type { StoredStep } from './transition-steps.ts'

/** Rules for each command; the server has the same limit. */
const RULES_MAX = 8

interface KeptRules {
  readonly workspace_id: string
  readonly access: string | null
  readonly required_when: string | null
}

/** Who may see and change the records of a table. */
export function TableRulesScreen(): JSX.Element {
  const { table: name } = useParams({ from: '/signed-in/w/$ws/t/$table/rules' })
  const table = useFindTable()(name)
  const isKept = useSchema().tables.some((one) => one.name === 'hf_table_rules')
  const { rows, isLoading } = useRecords<KeptRules>(
    isKept ? 'select workspace_id, access, required_when from hf_table_rules where table_name = ?' : '',
    [table?.descriptor.table ?? ''],
  )
  const [kept] = rows
  if (isKept && isLoading)
    return (
      <Page title={words.title} width="reading">
        <Skeleton rows={6} />
      </Page>
    )
  if (!table || !kept)
    return (
      <Page title={words.title} width="reading">
        <EmptyState title={words.notHere} icon={<ShieldCheck size={28} aria-hidden />}>
          {words.notHereDetail}
        </EmptyState>
      </Page>
    )
  return (
    <Rules
      key={kept.access}
      table={table}
      workspace={kept.workspace_id}
      kept={parseRules(kept.access)}
      required={requiredOf(kept.required_when)}
    />
  )
}

const STEPS_SQL =
  "select field, from_value, to_value, least_role from hf_transitions where schema_name = 'public' and table_name = ? order by from_value, to_value"

function requiredOf(stored: string | null): RequiredRules {
  return stored === null ? {} : (JSON.parse(stored) as RequiredRules)
}

function Rules({
  table,
  workspace,
  kept,
  required,
}: {
  readonly table: TableInfo
  readonly workspace: string
  readonly kept: AccessRules | undefined
  readonly required: RequiredRules
}): JSX.Element {
  const schema = useWordedSchema()
  const fields = useMemo(() => fieldsOf(table.descriptor, schema), [table, schema])
  const { rows: steps } = useRecords<StoredStep>(STEPS_SQL, [table.descriptor.table])
  const isOnline = useOnline()
  const isCustom = useIsCustom(workspace, table.descriptor.table) || kept === undefined
  const inForce = kept ?? NO_RULES
  const [rules, setRules] = useState(inForce)
  const [saved, setSaved] = useState(inForce)
  const backend = useBackend()
  const preview = useAsk<AccessPreview>(tableRulesRefusals)
  const saving = useCall(tableRulesRefusals)
  const isChanged = JSON.stringify(rules) !== JSON.stringify(inForce)
  const change = (command: Command, list: readonly Rule[]): void => {
    setRules({ ...rules, [command]: list })
    preview.forget()
  }
  const save = async (): Promise<void> => {
    const args = { workspace, table_name: table.descriptor.table, rules, replace_custom: isCustom }
    if (await saving.run('set_access', args)) {
      preview.forget()
      setSaved(rules)
      showToast({ text: words.saved })
    }
  }
  const canSave = isOnline && (isChanged || isCustom)
  return (
    <Page title={words.titleOf(table.label)} width="reading" description={words.description}>
      <LeaveQuestion isChanged={JSON.stringify(rules) !== JSON.stringify(saved)} />
      <div className="flex flex-col gap-8">
        {isOnline ? null : <Notice tone="warning" role="status" title={words.offline} />}
        {isCustom ? <Notice title={words.custom}>{words.customDetail}</Notice> : null}
        {COMMANDS.map((command) => (
          <RuleList
            key={command}
            command={command}
            rules={rules[command]}
            fields={fields}
            isDisabled={!isOnline}
            onChange={(list) => change(command, list)}
          />
        ))}
        <div className="flex flex-col gap-3">
          <div className="flex flex-wrap gap-2">
            <Button
              isDisabled={!canSave}
              isPending={preview.isPending}
              onPress={() =>
                void preview.ask(() => previewAccess(backend, { workspace, table: table.descriptor.table, rules }))
              }
            >
              {words.preview}
            </Button>
            <Button tone="primary" isDisabled={!canSave} isPending={saving.isPending} onPress={() => void save()}>
              {isCustom ? words.replace : isChanged ? words.save : words.unchanged}
            </Button>
          </div>
          <CallFailureText failure={saving.failure ?? preview.failure} />
          {preview.answer ? <RulePreview preview={preview.answer} /> : null}
        </div>
        <RequiredSection rules={required} {...{ workspace, table, fields }} isDisabled={!isOnline} />
        <TransitionSection steps={steps} {...{ workspace, table, fields }} isDisabled={!isOnline} />
        <SeeAsSection workspace={workspace} table={table} rules={inForce} fields={fields} />
      </div>
    </Page>
  )
}

function RuleList({
  command,
  rules,
  fields,
  isDisabled,
  onChange,
}: {
  readonly command: Command
  readonly rules: readonly Rule[]
  readonly fields: ReturnType<typeof fieldsOf>
  readonly isDisabled: boolean
  readonly onChange: (rules: readonly Rule[]) => void
}): JSX.Element {
  const start: Rule = { role: command === 'see' ? 'viewer' : 'editor', scope: 'all' }
  return (
    <Section
      title={words.commands[command]}
      action={
        isDisabled || rules.length >= RULES_MAX ? null : (
          <Button
            size="sm"
            aria-label={words.addRuleTo(words.commands[command])}
            icon={<Plus size={14} aria-hidden />}
            onPress={() => onChange([...rules, start])}
          >
            {words.addRule}
          </Button>
        )
      }
    >
      {rules.length === 0 ? (
        <NoRows>{words.onlyAdmins}</NoRows>
      ) : (
        <Rows label={words.commands[command]}>
          {rules.map((rule, at) => (
            <RuleRow
              // Rules have no identity of their own.
              // oxlint-disable-next-line react/no-array-index-key
              key={at}
              command={command}
              rule={rule}
              fields={fields}
              isDisabled={isDisabled}
              onChange={(next) => onChange(rules.map((one, index) => (index === at ? next : one)))}
              onRemove={() => onChange(rules.filter((_, index) => index !== at))}
            />
          ))}
        </Rows>
      )}
    </Section>
  )
}

/** Whether the policies have been changed with SQL, according to the server; offline the rules count as those in force. */
function useIsCustom(workspace: string, table: string): boolean {
  const isOnline = useOnline()
  const backend = useBackend()
  const [isCustom, setCustom] = useState(false)
  // The network is outside React.
  useEffect(() => {
    if (!isOnline) return
    let isOver = false
    callFunction<{ readonly kind: string }>(backend, 'access_of', { workspace, table_name: table }).then(
      ({ kind }) => {
        if (!isOver) setCustom(kind === 'custom')
      },
      // Saving refuses custom policies with a reason.
      (error: unknown) => console.info('Whether the policies are custom was not read:', error),
    )
    return () => {
      isOver = true
    }
  }, [backend, isOnline, workspace, table])
  return isCustom
}
