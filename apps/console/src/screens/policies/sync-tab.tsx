import { useQuery } from '@tanstack/react-query'
import type { JSX } from 'react'
import type { PolicySync, SyncedPart } from '@holdfast/protocol'
import { Chip, Notice } from '@holdfast/workspace'
import { Facts } from '../../components/facts.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { queryOf, request } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'

/** How the policies of a table are followed, and what that costs. */
export function SyncTab({ schema, table }: { readonly schema: string; readonly table: string }): JSX.Element {
  const sync = useQuery({
    queryKey: ['policies', 'sync', schema, table],
    queryFn: ({ signal }) => request<PolicySync>(`GET /policies/sync${queryOf({ schema, table })}`, { signal }),
  })
  return (
    <QueryState query={sync} rows={5}>
      {({ state, reason = '', parts }) =>
        state === 'synced' ? (
          <ul aria-label="How it syncs" className="flex flex-col gap-3">
            {parts.map((part) => (
              <Part key={part.id} part={part} />
            ))}
          </ul>
        ) : (
          <Notice tone={state === 'refused' ? 'warning' : 'info'} title="Devices do not get this table">
            {reason}
          </Notice>
        )
      }
    </QueryState>
  )
}

const FORMS: Readonly<Record<SyncedPart['form'], readonly [label: string, meaning: string]>> = {
  all: ['one bucket', 'All entitled users share the same rows. Cheapest.'],
  key: ['by key', 'Users get the rows whose key is theirs. Cheap.'],
  elements: ['by element', 'A row is in one bucket for each element of a list.'],
  class: [
    'access classes',
    'Rows and users are not linked by an equality, so the condition is evaluated for each combination of values.',
  ],
}

function Part({ part }: { readonly part: SyncedPart }): JSX.Element {
  const { policies, roles, form, classes, rows, users, changes, costs, follows } = part
  const [label, meaning] = FORMS[form]
  return (
    <li className="flex flex-col gap-3 rounded-lg border border-border bg-raised px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium [overflow-wrap:anywhere]">{policies.join(', ') || 'Without policies'}</span>
        <Chip colour={form === 'class' ? 'amber' : 'green'}>{label}</Chip>
        <span className="text-small text-muted">{meaning}</span>
      </div>
      <Facts
        facts={[
          ['Roles', roles.join(', ')],
          ['Follows', follows],
          ['Rows', rows],
          ['Users', users],
          ...(classes === undefined ? [] : [['Classes', `about ${formatCount(classes)}`] as const]),
        ]}
      />
      <Lines label="Evaluated again when" lines={changes} />
      <Lines label="Costs" lines={costs} />
    </li>
  )
}

function Lines({ label, lines }: { readonly label: string; readonly lines: readonly string[] }): JSX.Element | null {
  if (lines.length === 0) return null
  return (
    <div className="flex flex-col gap-1">
      <p className="text-small text-muted">{label}</p>
      <ul className="list-disc pl-5 [overflow-wrap:anywhere]">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  )
}
