import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Notice, Tabs } from '@holdfast/workspace'
import { RowReaders, TableFrame } from '../tables/table-frame.tsx'
import { AccessTab } from './access-tab.tsx'
import { PoliciesTab } from './policies-tab.tsx'
import { SyncTab } from './sync-tab.tsx'

const policiesRoute = getRouteApi('/policies')

const TABS = ['policies', 'access', 'sync'] as const

/** One table: its policies, what a user may do, and how it syncs. */
export function PolicyView({ schema, table }: { readonly schema: string; readonly table: string }): JSX.Element {
  const { tab } = policiesRoute.useSearch()
  const navigate = useNavigate({ from: '/policies' })
  return (
    <TableFrame to="/policies" schema={schema} table={table}>
      {(details) =>
        details.rls === null ? (
          <Notice title={`A ${details.kind} has no policies`}>Look at the tables that it reads.</Notice>
        ) : (
          <Tabs<(typeof TABS)[number]>
            label="Parts of the policies"
            selected={TABS.find((one) => one === tab) ?? 'policies'}
            onSelect={(id) => void navigate({ search: (before) => ({ ...before, tab: id }), replace: true })}
            tabs={[
              { id: 'policies', label: 'Policies', content: <PoliciesTab details={details} /> },
              {
                id: 'access',
                label: 'As a user',
                content: (
                  <RowReaders>
                    <AccessTab details={details} />
                  </RowReaders>
                ),
              },
              { id: 'sync', label: 'Sync', content: <SyncTab schema={schema} table={table} /> },
            ]}
          />
        )
      }
    </TableFrame>
  )
}
