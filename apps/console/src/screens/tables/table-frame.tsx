import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { JSX, ReactNode } from 'react'
import type { TableDetails, TableList } from '@holdfast/protocol'
import { Notice } from '@holdfast/workspace'
import { QueryState } from '../../components/query-state.tsx'
import { queryOf, request } from '../../lib/api.ts'
import { formatTableName } from '../../lib/format.ts'
import { useHasRole } from '../../lib/session.ts'
import { TableFacts } from './table-facts.tsx'
import { TableListPane, type TableScreen } from './table-list-pane.tsx'

interface TableName {
  readonly schema: string
  readonly table: string
}

/** All tables, and the chosen one beside the list; on phones one of the two. */
export function TableBrowser({
  to,
  chosen,
  empty,
  children,
}: {
  readonly to: TableScreen
  readonly chosen: TableName | undefined
  /** Shown until a table is chosen. */
  readonly empty: ReactNode
  readonly children: (chosen: TableName) => ReactNode
}): JSX.Element {
  const list = useQuery({
    queryKey: ['tables'],
    queryFn: ({ signal }) => request<TableList>('GET /tables', { signal }),
  })
  return (
    <QueryState query={list} rows={12}>
      {(data) => (
        <div className="flex gap-6">
          <div className={`w-60 shrink-0 max-laptop:w-full ${chosen ? 'max-laptop:hidden' : ''}`}>
            <TableListPane list={data} to={to} chosen={chosen} />
          </div>
          <div className={`min-w-0 flex-1 ${chosen ? '' : 'max-laptop:hidden'}`}>
            {chosen ? children(chosen) : empty}
          </div>
        </div>
      )}
    </QueryState>
  )
}

/** One table: its name and facts above the content. */
export function TableFrame({
  to,
  schema,
  table,
  children,
}: TableName & {
  readonly to: TableScreen
  readonly children: (details: TableDetails) => ReactNode
}): JSX.Element {
  const details = useQuery({
    queryKey: ['table', schema, table],
    queryFn: ({ signal }) => request<TableDetails>(`GET /tables/details${queryOf({ schema, table })}`, { signal }),
  })
  return (
    <section aria-labelledby="table-name" className="flex min-w-0 flex-col gap-3">
      <p className="laptop:hidden">
        <Link to={to} search={{}} className="text-accent hover:underline">
          All tables
        </Link>
      </p>
      <h2 id="table-name" className="text-title [overflow-wrap:anywhere]">
        {formatTableName(schema, table)}
      </h2>
      <QueryState query={details} rows={10}>
        {(data) => (
          <>
            <TableFacts details={data} />
            {children(data)}
          </>
        )}
      </QueryState>
    </section>
  )
}

/** Content that reads rows, for operators who may. */
export function RowReaders({ children }: { readonly children: ReactNode }): ReactNode {
  const mayRead = useHasRole('developer')
  if (mayRead) return children
  return (
    <Notice title="Viewers do not read rows">
      Any column may hold personal data. An owner can give you the role developer.
    </Notice>
  )
}
