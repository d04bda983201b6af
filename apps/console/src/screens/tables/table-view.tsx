import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { JSX } from 'react'
import type { TableDetails } from '@holdfast/protocol'
import { Chip, Notice, Tabs } from '@holdfast/workspace'
import { QueryState } from '../../components/query-state.tsx'
import { queryOf, request } from '../../lib/api.ts'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { useHasRole } from '../../lib/session.ts'
import { RowsTab } from './rows-tab.tsx'
import { StructureTab } from './structure-tab.tsx'

const tablesRoute = getRouteApi('/tables')

type TabId = 'rows' | 'structure'

/** One table: its rows and its definition. */
export function TableView({ schema, table }: { readonly schema: string; readonly table: string }): JSX.Element {
  const { tab } = tablesRoute.useSearch()
  const navigate = useNavigate({ from: '/tables' })
  const mayRead = useHasRole('developer')
  const details = useQuery({
    queryKey: ['table', schema, table],
    queryFn: ({ signal }) => request<TableDetails>(`GET /tables/details${queryOf({ schema, table })}`, { signal }),
  })
  const selected: TabId = tab === 'structure' || (!mayRead && tab === undefined) ? 'structure' : 'rows'
  return (
    <section aria-labelledby="table-name" className="flex min-w-0 flex-col gap-3">
      <p className="laptop:hidden">
        <Link to="/tables" search={{}} className="text-accent hover:underline">
          All tables
        </Link>
      </p>
      <h2 id="table-name" className="text-title [overflow-wrap:anywhere]">
        {schema === 'public' ? table : `${schema}.${table}`}
      </h2>
      <QueryState query={details} rows={10}>
        {(data) => (
          <>
            <Facts details={data} />
            <Tabs<TabId>
              label="Parts of the table"
              selected={selected}
              onSelect={(id) => void navigate({ search: (before) => ({ ...before, tab: id }), replace: true })}
              tabs={[
                {
                  id: 'rows',
                  label: 'Rows',
                  content: mayRead ? (
                    <RowsTab details={data} />
                  ) : (
                    <Notice title="Viewers do not read rows">
                      Any column may hold personal data. An owner can give you the role developer.
                    </Notice>
                  ),
                },
                { id: 'structure', label: 'Structure', content: <StructureTab details={data} /> },
              ]}
            />
          </>
        )}
      </QueryState>
    </section>
  )
}

function Facts({ details }: { readonly details: TableDetails }): JSX.Element {
  const { kind, estimate, bytes, rls, sync, comment, isManaged } = details
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-2 text-small text-muted">
        <span>{kind}</span>
        {estimate === null ? null : <span className="tabular-nums">about {formatCount(estimate)} rows</span>}
        {bytes > 0 ? <span className="tabular-nums">{formatBytes(bytes)}</span> : null}
        {rls === null ? null : (
          <Chip colour={rls === 'off' ? 'coral' : 'green'}>
            {rls === 'off' ? 'RLS off' : rls === 'forced' ? 'RLS forced' : 'RLS on'}
          </Chip>
        )}
        <Chip colour={SYNC_COLOURS[sync.state]}>{sync.state === 'synced' ? 'synced' : 'not synced'}</Chip>
        {isManaged ? <Chip colour="slate">read-only</Chip> : null}
      </div>
      {sync.reason === undefined ? null : <p className="text-small text-muted">Not synced: {sync.reason}</p>}
      {comment === null ? null : <p className="max-w-[72ch] text-small text-muted">{comment}</p>}
    </div>
  )
}

const SYNC_COLOURS = { synced: 'green', refused: 'amber', none: 'slate' } as const
