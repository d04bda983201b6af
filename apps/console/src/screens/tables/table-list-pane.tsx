import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { type JSX, useState } from 'react'
import type { ListedTable, TableList } from '@holdfast/protocol'
import { NoRows, SearchField } from '@holdfast/workspace'
import { formatBytes, formatCount } from '../../lib/format.ts'

/** Screens that show one table. */
export type TableScreen = '/tables' | '/policies'

/** Tables by schema, with a search. Schemas of Holdfast are folded until they match. */
export function TableListPane({
  list,
  to,
  chosen,
}: {
  readonly list: TableList
  /** The screen that shows a table. */
  readonly to: TableScreen
  readonly chosen: { readonly schema: string; readonly table: string } | undefined
}): JSX.Element {
  const [search, setSearch] = useState('')
  const wanted = search.trim().toLowerCase()
  const schemas = list.schemas.flatMap((schema) => {
    const tables = schema.tables.filter(({ name }) => `${schema.name}.${name}`.toLowerCase().includes(wanted))
    return tables.length === 0 ? [] : [{ ...schema, tables }]
  })
  return (
    <nav aria-label="Tables" className="flex flex-col gap-3">
      <SearchField label="Search tables" value={search} onChange={setSearch} />
      {schemas.length === 0 ? <NoRows>{wanted === '' ? 'No tables yet' : 'No table matches'}</NoRows> : null}
      {schemas.map(({ name, isManaged, tables }) => (
        <details key={name} open={!isManaged || wanted !== '' || chosen?.schema === name} className="group">
          <summary className="flex min-h-7 cursor-pointer items-center rounded-sm text-small font-medium text-muted">
            <ChevronRight size={14} aria-hidden className="mr-1 shrink-0 transition-transform group-open:rotate-90" />
            <span className="min-w-0 flex-1 truncate">{name}</span>
            <span className="text-subtle tabular-nums">{formatCount(tables.length)}</span>
          </summary>
          <ul aria-label={`Tables of ${name}`}>
            {tables.map((table) => (
              <li key={table.name}>
                <Link
                  to={to}
                  search={{ schema: name, table: table.name }}
                  className="flex min-h-8 items-center gap-2 rounded-md px-2 text-muted hover:bg-hover hover:text-text coarse:min-h-11"
                  activeProps={{ className: 'bg-accent-soft font-medium text-accent!', 'aria-current': 'page' }}
                  title={describe(table)}
                >
                  <span className="min-w-0 flex-1 truncate">{table.name}</span>
                  <span className="shrink-0 text-small text-subtle tabular-nums">
                    {table.estimate === null ? SHORT_KIND[table.kind] : shortCount(table.estimate)}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </details>
      ))}
      {list.isCut ? <p className="text-small text-muted">There are more tables than this list holds.</p> : null}
    </nav>
  )
}

const SHORT_KIND: Readonly<Record<ListedTable['kind'], string>> = {
  table: '–',
  'partitioned table': 'parts',
  view: 'view',
  'materialized view': 'view',
  'foreign table': 'foreign',
}

function describe({ kind, estimate, bytes, comment }: ListedTable): string {
  const rows = estimate === null ? [] : [`about ${formatCount(estimate)} rows`]
  return [kind, ...rows, ...(bytes > 0 ? [formatBytes(bytes)] : []), ...(comment === null ? [] : [comment])].join(' · ')
}

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact' })

function shortCount(count: number): string {
  return COMPACT.format(count)
}
