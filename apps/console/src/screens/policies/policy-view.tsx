import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { JSX } from 'react'
import type { TableDetails } from '@holdfast/protocol'
import { Notice, Tabs } from '@holdfast/workspace'
import { QueryState } from '../../components/query-state.tsx'
import { queryOf, request } from '../../lib/api.ts'
import { useHasRole } from '../../lib/session.ts'
import { TableFacts } from '../tables/table-facts.tsx'
import { AccessTab } from './access-tab.tsx'
import { PoliciesTab } from './policies-tab.tsx'
import { SyncTab } from './sync-tab.tsx'

const policiesRoute = getRouteApi('/policies')

const TABS = ['policies', 'access', 'sync'] as const

/** One table: its policies, what a user may do, and how it syncs. */
export function PolicyView({ schema, table }: { readonly schema: string; readonly table: string }): JSX.Element {
  const { tab } = policiesRoute.useSearch()
  const navigate = useNavigate({ from: '/policies' })
  const mayRead = useHasRole('developer')
  const details = useQuery({
    queryKey: ['table', schema, table],
    queryFn: ({ signal }) => request<TableDetails>(`GET /tables/details${queryOf({ schema, table })}`, { signal }),
  })
  return (
    <section aria-labelledby="table-name" className="flex min-w-0 flex-col gap-3">
      <p className="laptop:hidden">
        <Link to="/policies" search={{}} className="text-accent hover:underline">
          All tables
        </Link>
      </p>
      <h2 id="table-name" className="text-title [overflow-wrap:anywhere]">
        {schema === 'public' ? table : `${schema}.${table}`}
      </h2>
      <QueryState query={details} rows={10}>
        {(data) => (
          <>
            <TableFacts details={data} />
            {data.rls === null ? (
              <Notice title={`A ${data.kind} has no policies`}>Look at the tables that it reads.</Notice>
            ) : (
              <Tabs<(typeof TABS)[number]>
                label="Parts of the policies"
                selected={TABS.find((one) => one === tab) ?? 'policies'}
                onSelect={(id) => void navigate({ search: (before) => ({ ...before, tab: id }), replace: true })}
                tabs={[
                  { id: 'policies', label: 'Policies', content: <PoliciesTab details={data} /> },
                  {
                    id: 'access',
                    label: 'As a user',
                    content: mayRead ? (
                      <AccessTab details={data} />
                    ) : (
                      <Notice title="Viewers do not read rows">
                        Any column may hold personal data. An owner can give you the role developer.
                      </Notice>
                    ),
                  },
                  { id: 'sync', label: 'Sync', content: <SyncTab schema={schema} table={table} /> },
                ]}
              />
            )}
          </>
        )}
      </QueryState>
    </section>
  )
}
