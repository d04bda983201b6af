import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Waypoints } from 'lucide-react'
import { type JSX, useMemo } from 'react'
import type { RelationList, TableList, TableRelation } from '@holdfast/protocol'
import { EmptyState, Notice, Page, SearchField, Section, Select } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { request } from '../../lib/api.ts'
import { formatCount, formatTableName } from '../../lib/format.ts'
import { useDebounced } from '../../lib/use-debounced.ts'
import { RelationsDiagram } from './relations-diagram.tsx'
import { chooseTables } from './shown-tables.ts'

const relationsRoute = getRouteApi('/tables/relations')

/** Tables that are drawn: more are unreadable, and slow to move. */
const DRAWN_MAX = 300

/** The choice that shows all schemas of the project. */
const PROJECT = '*'

/** Tables and their foreign keys as a diagram, and as a list for those who do not see it. */
export function RelationsScreen(): JSX.Element {
  const tables = useQuery({
    queryKey: ['tables'],
    queryFn: ({ signal }) => request<TableList>('GET /tables', { signal }),
  })
  const relations = useQuery({
    queryKey: ['relations'],
    queryFn: ({ signal }) => request<RelationList>('GET /tables/relations', { signal }),
  })
  return (
    <Page
      title="Relations"
      description={
        <>
          Foreign keys between tables.{' '}
          <Link to="/tables" search={{}} activeOptions={{ exact: true }} className="text-accent underline">
            All tables
          </Link>
        </>
      }
    >
      <QueryState query={tables} rows={12}>
        {(list) => (
          <QueryState query={relations} rows={12}>
            {(found) => <Relations list={list} found={found} />}
          </QueryState>
        )}
      </QueryState>
    </Page>
  )
}

function Relations({ list, found }: { readonly list: TableList; readonly found: RelationList }): JSX.Element {
  const { schema, search = '' } = relationsRoute.useSearch()
  const navigate = useNavigate({ from: '/tables/relations' })
  const settled = useDebounced(search)
  const shown = useMemo(
    () => chooseTables(list, found.relations, { schema, search: settled, tablesMax: DRAWN_MAX }),
    [list, found, schema, settled],
  )
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-end gap-2">
        <SearchField
          label="Search tables"
          value={search}
          onChange={(value) => void navigate({ search: (before) => ({ ...before, search: value }), replace: true })}
          className="min-w-60 flex-1"
        />
        <Select
          label="Schema"
          isLabelHidden
          options={[
            { value: PROJECT, label: 'All of the project' },
            ...list.schemas.map(({ name }) => ({ value: name, label: name })),
          ]}
          value={schema ?? PROJECT}
          onChange={(value) =>
            void navigate({
              search: (before) => ({ ...before, schema: value === PROJECT ? '' : value }),
              replace: true,
            })
          }
          className="w-52"
        />
      </div>
      {shown.count > shown.tables.length || found.isCut || list.isCut ? (
        <Notice title="Not all tables are drawn">
          {`The diagram holds ${formatCount(DRAWN_MAX)} tables. Choose a schema, or search.`}
        </Notice>
      ) : null}
      {shown.tables.length === 0 ? (
        <EmptyState
          icon={<Waypoints size={32} aria-hidden />}
          title={settled === '' ? 'No tables yet' : 'No table matches'}
        />
      ) : (
        <>
          <RelationsDiagram tables={shown.tables} relations={shown.relations} />
          <Section
            title="Foreign keys"
            description={`${formatCount(shown.relations.length)} between ${formatCount(shown.tables.length)} tables`}
          >
            {shown.relations.length === 0 ? null : (
              <DataTable
                label="Foreign keys"
                columns={COLUMNS}
                rows={shown.relations}
                keyOf={({ schema: of, table, name }) => JSON.stringify([of, table, name])}
              />
            )}
          </Section>
        </>
      )}
    </div>
  )
}

function TableLink({ schema, table }: { readonly schema: string; readonly table: string }): JSX.Element {
  return (
    <Link to="/tables" search={{ schema, table, tab: 'structure' }} className="font-medium text-accent hover:underline">
      {formatTableName(schema, table)}
    </Link>
  )
}

function Columns({ names }: { readonly names: readonly string[] }): JSX.Element {
  return <code className="font-mono text-mono">{names.join(', ')}</code>
}

const COLUMNS: readonly TableColumn<TableRelation>[] = [
  { id: 'table', label: 'Table', cell: ({ schema, table }) => <TableLink schema={schema} table={table} /> },
  { id: 'columns', label: 'Columns', cell: ({ columns }) => <Columns names={columns} /> },
  {
    id: 'target',
    label: 'Refers to',
    cell: ({ targetSchema, targetTable }) => <TableLink schema={targetSchema} table={targetTable} />,
  },
  { id: 'targetColumns', label: 'Its columns', cell: ({ targetColumns }) => <Columns names={targetColumns} /> },
]
