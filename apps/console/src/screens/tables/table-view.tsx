import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Tabs } from '@holdfast/workspace'
import { useHasRole } from '../../lib/session.ts'
import { RowsTab } from './rows-tab.tsx'
import { StructureTab } from './structure-tab.tsx'
import { RowReaders, TableFrame } from './table-frame.tsx'

const tablesRoute = getRouteApi('/tables')

type TabId = 'rows' | 'structure'

/** One table: its rows and its definition. */
export function TableView({ schema, table }: { readonly schema: string; readonly table: string }): JSX.Element {
  const { tab } = tablesRoute.useSearch()
  const navigate = useNavigate({ from: '/tables' })
  const mayRead = useHasRole('developer')
  const selected: TabId = tab === 'structure' || (!mayRead && tab === undefined) ? 'structure' : 'rows'
  return (
    <TableFrame to="/tables" schema={schema} table={table}>
      {(details) => (
        <Tabs<TabId>
          label="Parts of the table"
          selected={selected}
          onSelect={(id) => void navigate({ search: (before) => ({ ...before, tab: id }), replace: true })}
          tabs={[
            {
              id: 'rows',
              label: 'Rows',
              content: (
                <RowReaders>
                  <RowsTab details={details} />
                </RowReaders>
              ),
            },
            { id: 'structure', label: 'Structure', content: <StructureTab details={details} /> },
          ]}
        />
      )}
    </TableFrame>
  )
}
