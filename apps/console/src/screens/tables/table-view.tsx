import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { JSX } from 'react'
import type { TableDetails } from '@holdfast/protocol'
import { Notice, Tabs } from '@holdfast/workspace'
import { QueryState } from '../../components/query-state.tsx'
import { queryOf, request } from '../../lib/api.ts'
import { useHasRole } from '../../lib/session.ts'
import { RowsTab } from './rows-tab.tsx'
import { StructureTab } from './structure-tab.tsx'
import { TableFacts } from './table-facts.tsx'

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
            <TableFacts details={data} />
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
