import { useRecords } from '@holdfast/react'
import { RotateCcw } from 'lucide-react'
import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { NoRows, Row, Rows, Section } from '../../components/section.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { showToast } from '../../components/toast.tsx'
import { useCall } from '../../hooks/use-call.ts'
import { useOnline } from '../../hooks/use-online.ts'
import { useRecordTitle } from '../../lib/data/use-record-title.ts'
import { momentOf } from '../../lib/fields/dates.ts'
import { formatMoment } from '../../lib/format.ts'
import { automationMessages as words, automationReasons } from '../../messages/automations.ts'
import type { AutomatedTable } from './draft.ts'
import { reasonWords } from './reason-words.ts'
import { type StepResult, StepResults } from './step-results.tsx'

interface Run {
  readonly id: string
  readonly state: 'waiting' | 'done' | 'failed' | 'skipped'
  readonly cause: string
  readonly record: string | null
  readonly steps: string
  readonly reason: string | null
  readonly error: string | null
  readonly skipped: number
  readonly at: string
}

const SQL = `select id, state, cause, record_id as record, steps, reason, error, skipped, ended_at as at
  from hf_automation_runs where automation_id = ? order by ended_at desc, id limit 100`

/** What the automation has done, newest first. */
export function RunsSection({
  automation,
  table,
  tables,
  isOnce,
  ws,
}: {
  readonly automation: string
  readonly table: AutomatedTable | undefined
  readonly tables: readonly AutomatedTable[]
  /** Whether it runs without a record. */
  readonly isOnce: boolean
  readonly ws: string
}): JSX.Element {
  const { rows } = useRecords<Run>(SQL, [automation])
  return (
    <Section title={words.history} description={words.historyDetail}>
      {rows.length === 0 ? (
        <NoRows>{words.noRuns}</NoRows>
      ) : (
        <Rows label={words.history}>
          {rows.map((run) => (
            <RunRow key={run.id} run={run} table={table} tables={tables} isOnce={isOnce} ws={ws} />
          ))}
        </Rows>
      )}
    </Section>
  )
}

const TONES = { waiting: 'text-muted', done: 'text-success', failed: 'text-danger', skipped: 'text-warning' } as const

function RunRow({
  run,
  table,
  tables,
  isOnce,
  ws,
}: {
  readonly run: Run
  readonly table: AutomatedTable | undefined
  readonly tables: readonly AutomatedTable[]
  /** Whether it runs without a record. */
  readonly isOnce: boolean
  readonly ws: string
}): JSX.Element {
  const call = useCall(automationReasons)
  const isOnline = useOnline()
  const { state, cause, record, reason, error, skipped } = run
  const at = momentOf(run.at)
  const why = reason === null ? undefined : reasonWords(reason)
  const steps = JSON.parse(run.steps) as readonly StepResult[]
  // What a run that stopped had done before is undone.
  const hasStopped = steps.some(({ kind }) => kind === 'failed')
  const hasOutside = steps.some((step) => 'state' in step && step.state === 'failed')
  const again = async (): Promise<void> => {
    if (await call.run('run_automation_again', { run: run.id })) showToast({ text: words.queued })
  }
  return (
    <Row
      title={record !== null && table ? <RecordLink record={record} table={table} ws={ws} /> : causeWords(cause)}
      mark={<span className={`text-small ${TONES[state]}`}>{words.states[state]}</span>}
      actions={
        state === 'failed' && (record !== null || isOnce) ? (
          <Button
            size="sm"
            icon={<RotateCcw size={14} aria-hidden />}
            isDisabled={!isOnline}
            isPending={call.isPending}
            onPress={() => void again()}
          >
            {words.runAgain}
          </Button>
        ) : null
      }
      below={
        <div className="flex flex-col gap-1 text-small">
          {skipped > 0 ? <p>{words.skippedChanges(skipped)}</p> : null}
          <StepResults
            steps={hasStopped ? steps.filter(({ kind }) => kind === 'failed') : steps}
            table={table}
            tables={tables}
          />
          {(why === undefined && error === null) || hasOutside ? null : (
            <p className={state === 'done' ? 'text-muted' : 'text-danger'}>
              {why}
              {error === null ? null : (
                <span className="block font-mono [overflow-wrap:anywhere] text-muted">{error}</span>
              )}
            </p>
          )}
          <CallFailureText failure={call.failure} />
        </div>
      }
    >
      {[record === null ? '' : causeWords(cause), at === undefined ? '' : formatMoment(at)].filter(Boolean).join(' · ')}
    </Row>
  )
}

function causeWords(cause: string): string {
  return (words.causes as Readonly<Record<string, string>>)[cause] ?? cause
}

function RecordLink({
  record,
  table,
  ws,
}: {
  readonly record: string
  readonly table: AutomatedTable
  readonly ws: string
}): JSX.Element {
  const { title, isHere } = useRecordTitle(table.info, record)
  if (!isHere) return <>{title}</>
  return (
    <TextLink to="/w/$ws/t/$table/r/$record" params={{ ws, table: table.info.name, record }}>
      {title}
    </TextLink>
  )
}
