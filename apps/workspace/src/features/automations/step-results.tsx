import { Bell, FilePlus2, FunctionSquare, type LucideIcon, Mail, OctagonAlert, Pencil, Webhook } from 'lucide-react'
import type { JSX } from 'react'
import { valuesOf } from '../../lib/fields/condition.ts'
import { automationMessages as words } from '../../messages/automations.ts'
import type { AutomatedTable } from './draft.ts'
import { reasonWords } from './reason-words.ts'

interface FieldChange {
  readonly field: string
  readonly from: string | null
  readonly to: string | null
}

/** What a step did, as the server notes it. */
export type StepResult =
  | { readonly kind: 'update'; readonly changes: readonly FieldChange[] }
  | { readonly kind: 'create'; readonly table: string; readonly changes: readonly FieldChange[] }
  | { readonly kind: 'notify'; readonly to: readonly string[]; readonly text: string }
  | ({ readonly kind: 'mail'; readonly subject: string; readonly sent?: number } & Outside)
  | ({ readonly kind: 'webhook'; readonly url: string } & Outside)
  | ({ readonly kind: 'function'; readonly name: string } & Outside)
  | { readonly kind: 'failed'; readonly place: number }

/** What happens after the changes of a run. */
interface Outside {
  readonly state: 'waiting' | 'done' | 'failed'
  readonly attempts?: number
  /** Of the answer. */
  readonly status?: number
  /** Start of the answer. */
  readonly answer?: string
  readonly reason?: string
  readonly error?: string
}

const ICONS: Readonly<Record<StepResult['kind'], LucideIcon>> = {
  update: Pencil,
  create: FilePlus2,
  notify: Bell,
  mail: Mail,
  webhook: Webhook,
  function: FunctionSquare,
  failed: OctagonAlert,
}

/** What steps did, or would do, in words. */
export function StepResults({
  steps,
  table,
  tables,
  isTried = false,
}: {
  readonly steps: readonly StepResult[]
  readonly table: AutomatedTable | undefined
  readonly tables: readonly AutomatedTable[]
  /** Whether nothing has happened. */
  readonly isTried?: boolean
}): JSX.Element {
  return (
    <ol className="flex flex-col gap-1">
      {steps.map((step, at) => {
        const Icon = ICONS[step.kind]
        return (
          // Steps have no identity of their own.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={at} className="flex items-start gap-2 [overflow-wrap:anywhere]">
            <Icon size={16} aria-hidden className="mt-0.5 shrink-0 text-muted" />
            <div className="min-w-0">
              {lines(step, table, tables).map((line) => (
                <p key={line}>{line}</p>
              ))}
              {'state' in step ? <OutsideDetail step={step} isTried={isTried} /> : null}
            </div>
          </li>
        )
      })}
    </ol>
  )
}

/** What became of a mail, webhook or function. */
function OutsideDetail({
  step,
  isTried,
}: {
  readonly step: Extract<StepResult, Outside>
  readonly isTried: boolean
}): JSX.Element {
  const { state, attempts = 0, status, answer = '', reason, error } = step
  const facts = [
    words.outside[isTried ? 'tried' : state],
    ...(step.kind === 'mail' && step.sent !== undefined ? [words.mailsSent(step.sent)] : []),
    ...(status === undefined ? [] : [words.answered(status)]),
    ...(attempts > 1 && step.kind !== 'mail' ? [words.attempts(attempts)] : []),
  ]
  return (
    <>
      <p className={state === 'failed' ? 'text-danger' : 'text-muted'}>{facts.join(' · ')}</p>
      {reason === undefined ? null : <p className="text-danger">{reasonWords(reason)}</p>}
      {[error ?? '', answer].filter(Boolean).map((text) => (
        <p key={text} className="font-mono text-small whitespace-pre-wrap text-muted">
          {text}
        </p>
      ))}
    </>
  )
}

function lines(
  step: StepResult,
  table: AutomatedTable | undefined,
  tables: readonly AutomatedTable[],
): readonly string[] {
  switch (step.kind) {
    case 'notify':
      return [words.didNotify(step.text)]
    case 'mail':
      return [words.didMail(step.subject)]
    case 'webhook':
      return [words.didCall(hostOf(step.url))]
    case 'function':
      return [words.didRun(step.name)]
    case 'failed':
      return [words.failedAt(step.place + 1)]
    case 'update':
      return step.changes.map((change) => changeWords(change, table))
    case 'create': {
      const target = tables.find(({ name }) => name === step.table)
      return [
        words.didCreate(target?.label ?? step.table),
        ...step.changes.map((change) => changeWords(change, target)),
      ]
    }
  }
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}

function changeWords({ field, from, to }: FieldChange, table: AutomatedTable | undefined): string {
  const found = table?.fields.find(({ name }) => name === field)
  const known = found ? valuesOf(found) : []
  const shown = (value: string | null): string =>
    value === null || value === '' ? words.noValue : (known.find((one) => one.value === value)?.label ?? value)
  return words.didUpdate(found?.label ?? field, shown(from), shown(to))
}
