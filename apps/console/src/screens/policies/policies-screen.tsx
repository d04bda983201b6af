import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { KeyRound, ScanEye } from 'lucide-react'
import type { JSX } from 'react'
import { Button, EmptyState, Page } from '@holdfast/workspace'
import { useHasRole } from '../../lib/session.ts'
import { TableBrowser } from '../tables/table-frame.tsx'
import { PolicyView } from './policy-view.tsx'

const policiesRoute = getRouteApi('/policies')

/** Who may do what with which rows, by table. */
export function PoliciesScreen(): JSX.Element {
  const { schema, table } = policiesRoute.useSearch()
  const navigate = useNavigate()
  const mayPreview = useHasRole('developer')
  return (
    <Page
      title="Policies"
      actions={
        mayPreview ? (
          <Button icon={<ScanEye size={16} aria-hidden />} onPress={() => void navigate({ to: '/policies/preview' })}>
            Preview a change
          </Button>
        ) : undefined
      }
    >
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
