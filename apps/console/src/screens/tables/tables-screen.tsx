import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Ellipsis, Plus, Table2 } from 'lucide-react'
import { type JSX, useState } from 'react'
import type { TableList } from '@holdfast/protocol'
import { Button, EmptyState, IconButton, Menu, MenuItem, MenuTrigger, Page } from '@holdfast/workspace'
import { QueryState } from '../../components/query-state.tsx'
import { request } from '../../lib/api.ts'
import { useHasRole } from '../../lib/session.ts'
import { ChangeDialog } from './change-dialog.tsx'
import { ENUM_FORM } from './change-forms.ts'
import { NewTable } from './new-table.tsx'
import { TableListPane } from './table-list-pane.tsx'
import { TableView } from './table-view.tsx'

const tablesRoute = getRouteApi('/tables')

/** Tables by schema; the chosen one beside the list. */
export function TablesScreen(): JSX.Element {
  const { schema, table } = tablesRoute.useSearch()
  const list = useQuery({
    queryKey: ['tables'],
    queryFn: ({ signal }) => request<TableList>('GET /tables', { signal }),
  })
  const mayChange = useHasRole('developer')
  const [asked, setAsked] = useState<'table' | 'enum'>()
  const isChosen = schema !== undefined && table !== undefined
  return (
    <Page
      title="Tables"
      actions={
        mayChange ? (
          <>
            <Button icon={<Plus size={16} aria-hidden />} onPress={() => setAsked('table')}>
              New table
            </Button>
            <MenuTrigger>
              <IconButton label="More" icon={<Ellipsis size={18} aria-hidden />} />
              <Menu label="More">
                <MenuItem onAction={() => setAsked('enum')}>New enum…</MenuItem>
              </Menu>
            </MenuTrigger>
          </>
        ) : undefined
      }
    >
      <QueryState query={list} rows={12}>
        {(data) => (
          <div className="flex gap-6">
            <div className={`w-60 shrink-0 max-laptop:w-full ${isChosen ? 'max-laptop:hidden' : ''}`}>
              <TableListPane list={data} chosen={isChosen ? { schema, table } : undefined} />
            </div>
            <div className={`min-w-0 flex-1 ${isChosen ? '' : 'max-laptop:hidden'}`}>
              {isChosen ? (
                <TableView key={JSON.stringify([schema, table])} schema={schema} table={table} />
              ) : (
                <EmptyState icon={<Table2 size={32} aria-hidden />} title="Choose a table">
                  Row counts are Postgres’s estimates.
                </EmptyState>
              )}
            </div>
          </div>
        )}
      </QueryState>
      {asked === 'table' ? <NewTable onClose={() => setAsked(undefined)} /> : null}
      {asked === 'enum' ? <ChangeDialog form={ENUM_FORM} onClose={() => setAsked(undefined)} /> : null}
    </Page>
  )
}
