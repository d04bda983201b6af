import { Copy } from 'lucide-react'
import { type JSX, useState } from 'react'
import type { SqlOutcome } from '@holdfast/protocol'
import { Button, copyText, Notice, Tabs } from '@holdfast/workspace'
import { parsePlan, type Plan } from './plan-nodes.ts'
import { renderPlan } from './plan-text.ts'
import { formatMs, PlanTree } from './plan-tree.tsx'
import { TextBlock } from '../../components/text-block.tsx'

/** The plan of a statement, as a tree and as text. */
export function PlanOutcome({ results }: { readonly results: SqlOutcome['results'] }): JSX.Element {
  const [view, setView] = useState<'tree' | 'text'>('tree')
  const plan = readPlan(results)
  if (!plan) return <Notice tone="danger" role="alert" title="The plan cannot be read" />
  const text = renderPlan(plan)
  const { planningMs, executionMs, triggers } = plan
  return (
    <div className="flex flex-col gap-3">
      {executionMs === undefined ? (
        <p className="text-muted">Estimates only. The statement did not run.</p>
      ) : (
        <p className="text-muted tabular-nums">
          Planning {formatMs(planningMs ?? 0)}, execution {formatMs(executionMs)}. The statement ran, and all its
          changes were rolled back.
        </p>
      )}
      {triggers.map(({ name, ms, calls }) => (
        <p key={name} className="text-small text-muted tabular-nums">
          Trigger {name}: {formatMs(ms)} in {calls} calls
        </p>
      ))}
      <Tabs
        label="Form of the plan"
        selected={view}
        onSelect={setView}
        tabs={[
          {
            id: 'tree',
            label: 'Tree',
            content: <PlanTree root={plan.root} />,
          },
          {
            id: 'text',
            label: 'Text',
            content: (
              <div className="flex flex-col gap-2">
                <Button
                  size="sm"
                  className="self-start"
                  icon={<Copy size={14} aria-hidden />}
                  onPress={() => void copyText(text, 'Copied')}
                >
                  Copy
                </Button>
                <TextBlock label="Plan as text" isWrapped={false} className="max-h-128">
                  {text}
                </TextBlock>
              </div>
            ),
          },
        ]}
      />
    </div>
  )
}

function readPlan(results: SqlOutcome['results']): Plan | undefined {
  try {
    return parsePlan(results[0]?.rows[0]?.[0] ?? '')
  } catch {
    return undefined // another Postgres's format: the page says so
  }
}
