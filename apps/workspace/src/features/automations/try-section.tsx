import { useRecords } from '@holdfast/react'
import type { AutomationConfig } from '@holdfast/protocol'
import { FlaskConical } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { Notice } from '../../components/notice.tsx'
import { NoRows, Section } from '../../components/section.tsx'
import { Select } from '../../components/select.tsx'
import { useAsk } from '../../hooks/use-ask.ts'
import { useOnline } from '../../hooks/use-online.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { callRoute } from '../../lib/data/call-route.ts'
import { quoteName } from '../../lib/sql.ts'
import { automationMessages as words, automationReasons } from '../../messages/automations.ts'
import { type AutomatedTable, isWithoutRecord } from './draft.ts'
import { type StepResult, StepResults } from './step-results.tsx'

/** Records offered to try the automation on, newest first. */
const RECORDS_MAX = 50

interface Tried {
  readonly matches: boolean
  readonly steps: readonly StepResult[]
  readonly failure?: { readonly place: number; readonly reason: string; readonly error: string }
}

/** Shows what the automation as edited would do for a record. */
export function TrySection({
  workspace,
  config,
  table,
  tables,
}: {
  readonly workspace: string
  readonly config: AutomationConfig
  readonly table: AutomatedTable
  readonly tables: readonly AutomatedTable[]
}): JSX.Element {
  const backend = useBackend()
  const isOnline = useOnline()
  const { titleColumn, name } = table.info
  const title = titleColumn === undefined ? 'id' : quoteName(titleColumn)
  const { rows } = useRecords<{ readonly value: string; readonly label: string }>(
    `select id as value, coalesce(nullif(${title}, ''), id) as label from ${quoteName(name)} order by created_at desc, id limit ${RECORDS_MAX}`,
  )
  const [chosen, setChosen] = useState<string>()
  const hasNone = isWithoutRecord(config)
  const record = hasNone ? null : (chosen ?? rows[0]?.value)
  const { answer, failure, isPending, ask, forget } = useAsk<Tried>(automationReasons)
  const [asked, setAsked] = useState<AutomationConfig>()
  return (
    <Section title={words.try} description={hasNone ? words.tryOnceDetail : words.tryDetail}>
      {rows.length === 0 && !hasNone ? (
        <NoRows>{words.newest}</NoRows>
      ) : (
        <div className="flex flex-wrap items-end gap-2">
          {hasNone ? null : (
            <Select
              label={words.record}
              className="w-full tablet:w-72"
              value={record ?? null}
              options={rows.map(({ value, label }) => ({ value, label: String(label) }))}
              isDisabled={!isOnline}
              onChange={(id) => {
                setChosen(id)
                forget()
              }}
            />
          )}
          <Button
            isDisabled={!isOnline || record === undefined}
            isPending={isPending}
            icon={<FlaskConical size={16} aria-hidden />}
            onPress={() => {
              setAsked(config)
              void ask(() => callRoute(backend, '/app/v1/automation-try', { workspace, config, record }))
            }}
          >
            {words.try}
          </Button>
        </div>
      )}
      <CallFailureText failure={failure} />
      {answer && asked === config ? (
        <Outcome tried={answer} hasRecord={!hasNone} table={table} tables={tables} />
      ) : null}
    </Section>
  )
}

function Outcome({
  tried,
  hasRecord,
  table,
  tables,
}: {
  readonly tried: Tried
  readonly hasRecord: boolean
  readonly table: AutomatedTable
  readonly tables: readonly AutomatedTable[]
}): JSX.Element {
  const { matches, steps, failure } = tried
  if (!matches) return <Notice role="status" title={hasRecord ? words.noMatch : words.noMatches} />
  const reason = failure && (automationReasons as Readonly<Record<string, string>>)[failure.reason]
  return (
    <div role="status" className="flex flex-col gap-3">
      {failure ? (
        <Notice tone="danger" title={words.wouldFail(failure.place + 1)}>
          {reason}
          <span className="block pt-1 font-mono text-small text-muted">{failure.error}</span>
        </Notice>
      ) : (
        <Notice tone="success" title={words.wouldDo}>
          <StepResults steps={steps} table={table} tables={tables} isTried />
        </Notice>
      )}
    </div>
  )
}
