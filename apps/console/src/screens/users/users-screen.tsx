import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { UserPlus, UsersRound } from 'lucide-react'
import { type JSX, useState } from 'react'
import type { ListedUser } from '@holdfast/protocol'
import { Button, Chip, EmptyState, Page } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { type ListFilter, ListFilters } from '../../components/list-filters.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { queryOf, request } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import { useHasRole } from '../../lib/session.ts'
import { useDebounced } from '../../lib/use-debounced.ts'
import { AddUser } from './add-user.tsx'
import { userNameOf } from './user-name.ts'

const usersRoute = getRouteApi('/users')

interface Page {
  readonly users: readonly ListedUser[]
  readonly estimate: number
  readonly next?: string
}

const STATES = [
  { value: 'banned', label: 'Banned' },
  { value: 'unconfirmed', label: 'Unconfirmed' },
  { value: 'anonymous', label: 'Anonymous' },
]

/** The users of the project, newest first. */
export function UsersScreen(): JSX.Element {
  const { search = '', state } = usersRoute.useSearch()
  const navigate = useNavigate({ from: '/users' })
  const mayChange = useHasRole('developer')
  const [isAdding, setAdding] = useState(false)
  const settled = useDebounced(search)
  const list = useInfiniteQuery({
    queryKey: ['users', settled, state],
    queryFn: ({ pageParam, signal }) =>
      request<Page>(`GET /users${queryOf({ search: settled, state, after: pageParam })}`, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
  const narrow = (change: ListFilter): void =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
  return (
    <Page
      title="Users"
      actions={
        mayChange ? (
          <Button tone="primary" icon={<UserPlus size={16} aria-hidden />} onPress={() => setAdding(true)}>
            Add user
          </Button>
        ) : undefined
      }
    >
      <ListFilters
        searchLabel={mayChange ? 'Search by address, name, phone or id' : 'Search by id'}
        allLabel="All users"
        states={STATES}
        filter={{ search, ...(state !== undefined && { state }) }}
        onChange={narrow}
      />
      <QueryState query={list} rows={10}>
        {({ pages }) => {
          const users = pages.flatMap((page) => page.users)
          const isNarrowed = settled !== '' || state !== undefined
          return users.length === 0 ? (
            <EmptyState
              icon={<UsersRound size={32} aria-hidden />}
              title={isNarrowed ? 'No user matches' : 'No users yet'}
              action={
                isNarrowed ? <Button onPress={() => narrow({ search: '', state: '' })}>Show all</Button> : undefined
              }
            >
              {isNarrowed
                ? 'Nothing in the accounts matches this search and state.'
                : 'Users appear here when they sign up or are added.'}
            </EmptyState>
          ) : (
            <div className="flex flex-col gap-3">
              <DataTable label="Users" columns={COLUMNS} rows={users} keyOf={({ id }) => id} />
              <p className="flex items-center gap-3 text-small text-muted">
                {formatCount(users.length)} shown
                {list.hasNextPage && !isNarrowed ? `, of about ${formatCount(pages[0]?.estimate ?? 0)}` : ''}
                <ShowMore list={list} />
              </p>
            </div>
          )
        }}
      </QueryState>
      {isAdding ? <AddUser onClose={() => setAdding(false)} /> : null}
    </Page>
  )
}

const COLUMNS: readonly TableColumn<ListedUser>[] = [
  {
    id: 'user',
    label: 'User',
    cell: (user) => (
      <Link to="/users/$id" params={{ id: user.id }} className="font-medium text-accent hover:underline">
        {userNameOf(user)}
      </Link>
    ),
  },
  { id: 'address', label: 'Address', cell: ({ email, phone }) => email ?? phone ?? '–' },
  { id: 'state', label: 'State', cell: (user) => <UserState user={user} /> },
  { id: 'methods', label: 'Sign-in', cell: ({ providers }) => (providers.length === 0 ? '–' : providers.join(', ')) },
  { id: 'sessions', label: 'Sessions', isNumber: true, cell: ({ sessions }) => formatCount(sessions) },
  { id: 'seen', label: 'Last sign-in', cell: ({ lastSignInAt }) => <TimeAgo at={lastSignInAt} /> },
  { id: 'created', label: 'Created', cell: ({ createdAt }) => <TimeAgo at={createdAt} missing="–" /> },
]

function UserState({ user }: { readonly user: ListedUser }): JSX.Element {
  if (user.isBanned) return <Chip colour="coral">banned</Chip>
  if (user.isAnonymous) return <Chip colour="slate">anonymous</Chip>
  return user.isConfirmed ? <Chip colour="green">active</Chip> : <Chip colour="amber">unconfirmed</Chip>
}
