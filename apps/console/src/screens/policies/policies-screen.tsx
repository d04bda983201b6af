import { getRouteApi } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import type { JSX } from 'react'
import { EmptyState, Page } from '@holdfast/workspace'
import { TableBrowser } from '../tables/table-frame.tsx'
import { PolicyView } from './policy-view.tsx'

const policiesRoute = getRouteApi('/policies')

/** Who may do what with which rows, by table. */
export function PoliciesScreen(): JSX.Element {
  const { schema, table } = policiesRoute.useSearch()
  return (
    <Page title="Policies">
      <TableBrowser
        to="/policies"
        chosen={schema !== undefined && table !== undefined ? { schema, table } : undefined}
        empty={
          <EmptyState icon={<KeyRound size={32} aria-hidden />} title="Choose a table">
            See its policies, and what a user may do with its rows.
          </EmptyState>
        }
      >
        {(chosen) => <PolicyView key={JSON.stringify([chosen.schema, chosen.table])} {...chosen} />}
      </TableBrowser>
    </Page>
  )
}
