import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Button, Chip, NoRows, Notice, Page, Row, Rows, Section } from '@holdfast/workspace'
import { Facts } from '../../components/facts.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { request } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useHasRole } from '../../lib/session.ts'
import { EditMetadata } from './edit-metadata.tsx'
import { UserActions } from './user-actions.tsx'
import { describeEnd, isBanned, type UserDetails } from './user-details.ts'
import { useUserChange } from './use-user-change.ts'

const userRoute = getRouteApi('/users/$id')

/** One user: state, sign-in methods, sessions, metadata. */
export function UserScreen(): JSX.Element {
  const { id } = userRoute.useParams()
  const mayRead = useHasRole('developer')
  const details = useQuery({
    queryKey: ['user', id],
    queryFn: ({ signal }) => request<UserDetails>(`GET /users/${encodeURIComponent(id)}`, { signal }),
    enabled: mayRead,
  })
  const title = details.data?.user.email || details.data?.user.phone || `User ${id.slice(0, 8)}`
  return (
    <Page
      title={title}
      actions={details.data ? <UserActions details={details.data} /> : undefined}
      description={
        <span className="flex gap-4">
          <Link to="/users" className="text-accent hover:underline">
            All users
          </Link>
          <Link to="/logs" search={{ user: id }} className="text-accent hover:underline">
            Log of this user
          </Link>
        </span>
      }
    >
      {mayRead ? (
        <QueryState query={details} rows={10}>
          {(data) => (
            <div className="flex flex-col gap-8">
              <UserFacts details={data} />
              <Sessions details={data} />
              <Factors details={data} />
              <EditMetadata key={data.user.updated_at} user={data.user} />
            </div>
          )}
        </QueryState>
      ) : (
        <Notice title="Viewers do not see personal data">An owner can give you the role developer.</Notice>
      )}
    </Page>
  )
}

function UserFacts({ details: { user } }: { readonly details: UserDetails }): JSX.Element {
  const facts: readonly (readonly [string, JSX.Element | string])[] = [
    [
      'State',
      isBanned(user)
        ? `banned until ${formatTime(user.banned_until ?? '')}`
        : user.confirmed_at
          ? 'active'
          : 'unconfirmed',
    ],
    ['Id', user.id],
    ['Role', user.role ?? '–'],
    ['Email address', user.email || '–'],
    ['Phone', user.phone || '–'],
    ['Created', <TimeAgo key="created" at={user.created_at} />],
    ['Last sign-in', <TimeAgo key="seen" at={user.last_sign_in_at ?? null} />],
    ['Sign-in methods', (user.identities ?? []).map(({ provider }) => provider).join(', ') || '–'],
  ]
  return <Facts facts={facts} />
}

function Sessions({ details: { user, sessions } }: { readonly details: UserDetails }): JSX.Element {
  const end = useUserChange(user.id, 'The session was ended')
  const endAll = useUserChange(user.id, 'All sessions were ended')
  return (
    <Section
      title="Sessions"
      description="Ending a session signs its device out and stops its sync at once."
      action={
        sessions.length > 1 ? (
          <Button
            size="sm"
            isPending={endAll.isPending}
            onPress={() => endAll.mutate({ target: `DELETE /users/${user.id}/sessions` })}
          >
            End all
          </Button>
        ) : undefined
      }
    >
      {sessions.length === 0 ? (
        <NoRows>No sessions</NoRows>
      ) : (
        <Rows label="Sessions">
          {sessions.map((session) => (
            <Row
              key={session.id}
              title={session.user_agent || 'Unknown client'}
              mark={
                <>
                  {session.aal === 'aal2' ? <Chip colour="green">second factor</Chip> : null}
                  {session.tag === 'support' ? <Chip colour="amber">support</Chip> : null}
                </>
              }
              actions={
                <Button
                  size="sm"
                  isPending={end.isPending}
                  onPress={() => end.mutate({ target: `DELETE /users/${user.id}/sessions/${session.id}` })}
                >
                  End
                </Button>
              }
            >
              {session.ip ?? 'unknown address'} · started <TimeAgo at={session.created_at} />
              {session.refreshed_at ? (
                <>
                  {' '}
                  · refreshed <TimeAgo at={session.refreshed_at} />
                </>
              ) : null}
              {describeEnd(session) === '' ? null : ` · ${describeEnd(session)}`}
            </Row>
          ))}
        </Rows>
      )}
    </Section>
  )
}

function Factors({ details: { user, factors, passkeys } }: { readonly details: UserDetails }): JSX.Element {
  const remove = useUserChange(user.id, 'Removed')
  const listed = [
    ...factors.map((factor) => ({ ...factor, part: 'factors', what: `Second factor: ${factor.factor_type ?? ''}` })),
    ...passkeys.map((passkey) => ({ ...passkey, part: 'passkeys', what: 'Passkey' })),
  ]
  return (
    <Section title="Second factors and passkeys">
      {listed.length === 0 ? (
        <NoRows>None</NoRows>
      ) : (
        <Rows label="Second factors and passkeys">
          {listed.map(({ id, friendly_name: name, what, part, created_at: createdAt }) => (
            <Row
              key={id}
              title={name || what}
              actions={
                <Button
                  size="sm"
                  tone="danger"
                  isPending={remove.isPending}
                  onPress={() => remove.mutate({ target: `DELETE /users/${user.id}/${part}/${id}` })}
                >
                  Remove
                </Button>
              }
            >
              {what} · added <TimeAgo at={createdAt} />
            </Row>
          ))}
        </Rows>
      )}
    </Section>
  )
}
