import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import type { JSX } from 'react'
import type { TableList } from '@holdfast/protocol'
import { EmptyState, Page } from '@holdfast/workspace'
import { QueryState } from '../../components/query-state.tsx'
import { request } from '../../lib/api.ts'
import { TableListPane } from '../tables/table-list-pane.tsx'
import { PolicyView } from './policy-view.tsx'

const policiesRoute = getRouteApi('/policies')

/** Who may do what with which rows, by table. */
export function PoliciesScreen(): JSX.Element {
  const { schema, table } = policiesRoute.useSearch()
  const list = useQuery({
    queryKey: ['tables'],
    queryFn: ({ signal }) => request<TableList>('GET /tables', { signal }),
  })
  const isChosen = schema !== undefined && table !== undefined
  return (
    <Page title="Policies">
      <QueryState query={list} rows={12}>
        {(data) => (
          <div className="flex gap-6">
            <div className={`w-60 shrink-0 max-laptop:w-full ${isChosen ? 'max-laptop:hidden' : ''}`}>
              <TableListPane list={data} to="/policies" chosen={isChosen ? { schema, table } : undefined} />
            </div>
            <div className={`min-w-0 flex-1 ${isChosen ? '' : 'max-laptop:hidden'}`}>
              {isChosen ? (
                <PolicyView key={JSON.stringify([schema, table])} schema={schema} table={table} />
              ) : (
                <EmptyState icon={<KeyRound size={32} aria-hidden />} title="Choose a table">
                  See its policies, and what a user may do with its rows.
                </EmptyState>
              )}
            </div>
          </div>
        )}
      </QueryState>
    </Page>
  )
}
