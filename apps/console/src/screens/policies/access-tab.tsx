import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import type { PolicyIdentity, RowFilter, SeenRowsPage, TableDetails, TableRow } from '@holdfast/protocol'
import { Button, Chip, EmptyState, Notice, Select } from '@holdfast/workspace'
import { QueryState } from '../../components/query-state.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { UserField } from '../../components/user-field.tsx'
import { request } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import { FilterBar } from '../tables/filter-bar.tsx'
import { RowsGrid } from '../tables/rows-grid.tsx'
import { AUDITED_READ } from '../tables/use-rows.ts'
import { ValueDialog } from '../tables/value-dialog.tsx'
import { ExplainDialog } from './explain-dialog.tsx'

const policiesRoute = getRouteApi('/policies')

const VISITOR = 'anon'

type Opened =
  | { readonly kind: 'insert' }
  | { readonly kind: 'row'; readonly row: TableRow }
  | ({ readonly kind: 'value' } & Pick<Parameters<typeof ValueDialog>[0], 'row' | 'column' | 'cell'>)
  | undefined

/** Which rows a user sees, and why; what they may write. The user is in the address, so that a finding can be shared. */
export function AccessTab({ details }: { readonly details: TableDetails }): JSX.Element {
  const { user } = policiesRoute.useSearch()
  const navigate = useNavigate({ from: '/policies' })
  const choose = (chosen: string): void =>
    void navigate({ search: (before) => ({ ...before, user: chosen }), replace: true })
  return (
    <div className="flex flex-col gap-4">
      <UserBar chosen={user} onChoose={choose} />
      {user === undefined ? (
        <EmptyState title="Choose a user">
          You see which rows they get, and which policy keeps the others from them.
        </EmptyState>
      ) : (
        <SeenRows key={user} details={details} as={user === VISITOR ? { kind: 'anon' } : { kind: 'user', id: user }} />
      )}
    </div>
  )
}

function UserBar({
  chosen,
  onChoose,
}: {
  readonly chosen: string | undefined
  readonly onChoose: (user: string) => void
}): JSX.Element {
  const [kind, setKind] = useState(chosen === VISITOR ? VISITOR : 'user')
  const [user, setUser] = useState(chosen === undefined || chosen === VISITOR ? '' : chosen)
  return (
    <form
      aria-label="User"
      className="flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (kind === VISITOR) onChoose(VISITOR)
        else if (user.trim() !== '') onChoose(user.trim())
      }}
    >
      <Select
        label="As"
        options={[
          { value: 'user', label: 'User' },
          { value: VISITOR, label: 'Visitor (anon)' },
        ]}
        value={kind}
        onChange={setKind}
        className="w-40"
      />
      {kind === VISITOR ? null : <UserField label="User" value={user} onChange={setUser} className="w-72 max-w-full" />}
      <Button type="submit" tone="primary">
        Show
      </Button>
    </form>
  )
}

function SeenRows({ details, as }: { readonly details: TableDetails; readonly as: PolicyIdentity }): JSX.Element {
  const { schema, name: table } = details
  const [filters, setFilters] = useState<readonly RowFilter[]>([])
  const [opened, setOpened] = useState<Opened>()
  const list = useSeenRows({ schema, table, as }, filters)
  const columns = details.columns.filter(({ isSecret }) => !isSecret)
  const close = (): void => setOpened(undefined)
  const onAsk = (row: TableRow): void => setOpened({ kind: 'row', row })
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-2">
        <FilterBar columns={columns.map(({ name }) => name)} filters={filters} onChange={setFilters} />
        <Button size="sm" onPress={() => setOpened({ kind: 'insert' })}>
          May they insert…
        </Button>
      </div>
      <QueryState query={list} rows={10}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.rows)
          const seen = new Map(rows.map((row) => [idOf(row), row.isSeen]))
          const count = rows.filter(({ isSeen }) => isSeen).length
          return (
            <>
              {pages[0]?.problem === undefined ? null : (
                <Notice tone="warning" title="They can select nothing from this table">
                  {pages[0].problem}
                </Notice>
              )}
              {rows.length === 0 ? (
                <EmptyState title={filters.length > 0 ? 'No row matches' : 'The table is empty'} />
              ) : (
                <RowsGrid
                  label={`Rows of ${table}`}
                  columns={columns}
                  rows={rows}
                  sort={undefined}
                  selected={undefined}
                  onSort={undefined}
                  onSelect={() => undefined}
                  onOpen={undefined}
                  lead={{
                    label: 'They see it',
                    cell: (row, line) => SeenMark({ row, line, isSeen: seen.get(idOf(row)) === true, onAsk }),
                  }}
                  onShow={(row, column, cell) => setOpened({ kind: 'value', row, column, cell })}
                />
              )}
              <div className="flex flex-wrap items-center gap-3 text-small text-muted tabular-nums">
                <p role="status">{`They see ${formatCount(count)} of these ${formatCount(rows.length)} rows.`}</p>
                <ShowMore list={list} />
              </div>
            </>
          )
        }}
      </QueryState>
      {opened?.kind === 'value' ? (
        <ValueDialog target={{ schema, table, as: { kind: 'postgres' } }} {...opened} onClose={close} />
      ) : null}
      {opened?.kind === 'row' || opened?.kind === 'insert' ? (
        <ExplainDialog
          target={{ schema, table, as }}
          columns={columns}
          row={opened.kind === 'row' ? opened.row : undefined}
          onClose={close}
        />
      ) : null}
    </>
  )
}

const idOf = ({ address, version }: TableRow): string => JSON.stringify([address, version])

function SeenMark({
  row,
  line,
  isSeen,
  onAsk,
}: {
  readonly row: TableRow
  readonly line: number
  readonly isSeen: boolean
  readonly onAsk: (row: TableRow) => void
}): JSX.Element {
  return (
    <span className="flex items-center gap-2">
      <Chip colour={isSeen ? 'green' : 'coral'}>{isSeen ? 'seen' : 'hidden'}</Chip>
      <button
        type="button"
        aria-label={`Why: row ${line}`}
        disabled={row.address === null}
        onClick={() => onAsk(row)}
        className="min-h-6 rounded-sm px-1.5 text-small text-accent hover:underline"
      >
        Why
      </button>
    </span>
  )
}

function useSeenRows(
  target: { readonly schema: string; readonly table: string; readonly as: PolicyIdentity },
  filters: readonly RowFilter[],
) {
  return useInfiniteQuery({
    queryKey: ['rows', 'seen', target, filters],
    queryFn: ({ pageParam, signal }) =>
      request<SeenRowsPage>('POST /policies/rows', {
        signal,
        body: { ...target, filters, ...(pageParam !== undefined && { after: pageParam }) },
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    ...AUDITED_READ,
  })
}
