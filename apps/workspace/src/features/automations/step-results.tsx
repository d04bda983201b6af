import { Bell, FilePlus2, type LucideIcon, OctagonAlert, Pencil } from 'lucide-react'
import type { JSX } from 'react'
import { valuesOf } from '../../lib/fields/condition.ts'
import { automationMessages as words } from '../../messages/automations.ts'
import type { AutomatedTable } from './draft.ts'

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
  | { readonly kind: 'failed'; readonly place: number }

const ICONS: Readonly<Record<StepResult['kind'], LucideIcon>> = {
  update: Pencil,
  create: FilePlus2,
  notify: Bell,
  failed: OctagonAlert,
}

/** What steps did, or would do, in words. */
export function StepResults({
  steps,
  table,
  tables,
}: {
  readonly steps: readonly StepResult[]
  readonly table: AutomatedTable | undefined
  readonly tables: readonly AutomatedTable[]
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
            </div>
          </li>
        )
      })}
    </ol>
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

function changeWords({ field, from, to }: FieldChange, table: AutomatedTable | undefined): string {
  const found = table?.fields.find(({ name }) => name === field)
  const known = found ? valuesOf(found) : []
  const shown = (value: string | null): string =>
    value === null || value === '' ? words.noValue : (known.find((one) => one.value === value)?.label ?? value)
  return words.didUpdate(found?.label ?? field, shown(from), shown(to))
}
