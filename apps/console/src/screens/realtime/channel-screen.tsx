import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import type { ChannelDetails, ChannelMember } from '@holdfast/protocol'
import { NoRows, Notice, Page, Section } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { queryOf, request } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import { useHasRole } from '../../lib/session.ts'
import { AccessChip } from './access-chip.tsx'
import { ChannelsUnavailable, isUnavailable } from './channels-unavailable.tsx'
import { REFRESH_MS } from './limits.ts'
import { SendBroadcast } from './send-broadcast.tsx'
import { TopicMessages } from './topic-messages.tsx'

const channelRoute = getRouteApi('/realtime/channel')

/** Who is in a channel, and the stored messages of a private topic. */
export function ChannelScreen(): JSX.Element {
  const { topic = '', access } = channelRoute.useSearch()
  const isPrivate = access === 'private'
  const isDeveloper = useHasRole('developer')
  return (
    <Page
      title={topic}
      description={
        <span className="flex flex-wrap items-center gap-2">
          <AccessChip isPrivate={isPrivate} />
          <Link to="/realtime" className="text-accent underline">
            All channels
          </Link>
        </span>
      }
      actions={<SendBroadcast channel={{ topic, isPrivate }} />}
    >
      {isDeveloper ? (
        <div className="flex flex-col gap-8">
          <Members topic={topic} isPrivate={isPrivate} />
          {isPrivate ? <TopicMessages key={topic} topic={topic} /> : null}
        </div>
      ) : (
        <Notice title="Viewers do not see members and messages">An owner can give you the role developer.</Notice>
      )}
    </Page>
  )
}

function Members({ topic, isPrivate }: { readonly topic: string; readonly isPrivate: boolean }): JSX.Element {
  const channel = useQuery({
    queryKey: ['realtime', 'channel', topic, isPrivate],
    queryFn: ({ signal }) =>
      request<ChannelDetails>(`GET /realtime/channel${queryOf({ topic, isPrivate: String(isPrivate) })}`, { signal }),
    refetchInterval: REFRESH_MS,
  })
  if (isUnavailable(channel.error)) return <ChannelsUnavailable error={channel.error} />
  return (
    <QueryState query={channel}>
      {(found) => (
        <>
          <Section
            title="Members"
            description={found.members > 0 ? `${formatCount(found.members)} on this server` : undefined}
          >
            {found.members > 0 ? (
              <>
                <DataTable label="Members" columns={MEMBERS} rows={numbered(found.users)} keyOf={keyOf} />
                <Cut listed={found.users.length} count={found.members} />
              </>
            ) : (
              <NoRows>No client is in this channel on this server</NoRows>
            )}
          </Section>
          {found.present > 0 ? (
            <Section title="Presence" description="Keys that members track, with the entries under each.">
              <DataTable label="Presence" columns={PRESENCE} rows={numbered(found.presence)} keyOf={keyOf} />
              <Cut listed={found.presence.reduce((sum, { entries }) => sum + entries, 0)} count={found.present} />
            </Section>
          ) : null}
        </>
      )}
    </QueryState>
  )
}

function Cut({ listed, count }: { readonly listed: number; readonly count: number }): JSX.Element | null {
  if (listed >= count) return null
  return (
    <p className="text-small text-muted">
      The first {formatCount(listed)} of {formatCount(count)}
    </p>
  )
}

type Numbered<Row> = Row & { readonly index: number }

/** A user is listed once per client, so that no field tells rows apart. */
function numbered<Row extends object>(rows: readonly Row[]): readonly Numbered<Row>[] {
  return rows.map((row, index) => ({ ...row, index }))
}

const keyOf = ({ index }: { readonly index: number }): string => `${index}`

const MEMBERS: readonly TableColumn<ChannelMember>[] = [
  {
    id: 'user',
    label: 'User',
    cell: ({ userId, email }) =>
      userId === undefined ? (
        <span className="text-muted">no user</span>
      ) : (
        <Link to="/users/$id" params={{ id: userId }} className="text-accent hover:underline">
          {email ?? userId}
        </Link>
      ),
  },
  { id: 'role', label: 'Role', cell: ({ role }) => role },
]

const PRESENCE: readonly TableColumn<ChannelDetails['presence'][number]>[] = [
  { id: 'key', label: 'Key', cell: ({ key }) => key },
  { id: 'entries', label: 'Entries', isNumber: true, cell: ({ entries }) => formatCount(entries) },
]
