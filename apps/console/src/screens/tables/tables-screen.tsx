import { getRouteApi, Link } from '@tanstack/react-router'
import { Ellipsis, Plus, Table2, Waypoints } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button, buttonClass, EmptyState, IconButton, Menu, MenuItem, MenuTrigger, Page } from '@holdfast/workspace'
import { useHasRole } from '../../lib/session.ts'
import { ChangeDialog } from './change-dialog.tsx'
import { ENUM_FORM } from './change-forms.ts'
import { NewTable } from './new-table.tsx'
import { TableBrowser } from './table-frame.tsx'
import { TableView } from './table-view.tsx'

const tablesRoute = getRouteApi('/tables')

/** Tables by schema; the chosen one beside the list. */
export function TablesScreen(): JSX.Element {
  const { schema, table } = tablesRoute.useSearch()
  const mayChange = useHasRole('developer')
  const [asked, setAsked] = useState<'table' | 'enum'>()
  return (
    <Page
      title="Tables"
      actions={
        <>
          <Link to="/tables/relations" search={{}} className={buttonClass({})}>
            <Waypoints size={16} aria-hidden />
            Relations
          </Link>
          {mayChange ? (
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
          ) : null}
        </>
      }
    >
      <TableBrowser
        to="/tables"
        chosen={schema !== undefined && table !== undefined ? { schema, table } : undefined}
        empty={
          <EmptyState icon={<Table2 size={32} aria-hidden />} title="Choose a table">
            Row counts are Postgres’s estimates.
          </EmptyState>
        }
      >
        {(chosen) => <TableView key={JSON.stringify([chosen.schema, chosen.table])} {...chosen} />}
      </TableBrowser>
      {asked === 'table' ? <NewTable onClose={() => setAsked(undefined)} /> : null}
      {asked === 'enum' ? <ChangeDialog form={ENUM_FORM} onClose={() => setAsked(undefined)} /> : null}
    </Page>
  )
}
