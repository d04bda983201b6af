import { useHasSynced, useSchema, useStream } from '@holdfast/react'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { CheckCheck } from 'lucide-react'
import { type JSX, useMemo } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { HomeLink } from '../../components/home-link.tsx'
import { LinkButton } from '../../components/link.tsx'
import { Page } from '../../components/page.tsx'
import { FirstRowsNote } from '../../components/records/first-rows-note.tsx'
import { RefusedSection } from '../../components/records/refused-section.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { StateGlyph } from '../../components/state-glyph.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { HISTORY_KEPT_SECONDS, HISTORY_STREAM, HISTORY_TABLE } from '../../lib/data/history-table.ts'
import { dayOf, formatDay, momentOf } from '../../lib/fields/dates.ts'
import { pageLocale } from '../../lib/language.ts'
import { type InboxItem, isUnread } from '../../lib/records/inbox.ts'
import { useMarkRead } from '../../lib/records/read-marks.ts'
import { useInbox } from '../../lib/records/use-inbox.ts'
import { inboxMessages as words } from '../../messages/inbox.ts'
import { InboxLine } from './inbox-line.tsx'

const FILTERS = ['unread', 'mentions', 'all'] as const
type Filter = (typeof FILTERS)[number]
/** Limit of records whose history is subscribed to; the history has the assignments. */
const RECORDS_MAX = 100

/** News for the user by day: rejected changes, mentions, comments on their work, assignments and due work. */
export function InboxScreen(): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/inbox' })
  const { filter = 'unread' } = useSearch({ from: '/signed-in/w/$ws/inbox' })
  const navigate = useNavigate()
  const { items, isLoading } = useInbox()
  useHistoryOf(items)
  const markRead = useMarkRead()
  const unread = items.filter(isUnread)
  const newest = items[0]?.at
  const shown: Readonly<Record<Filter, readonly InboxItem[]>> = {
    unread,
    mentions: items.filter(({ kind }) => kind === 'mention'),
    all: items,
  }
  return (
    <Page
      title={words.title}
      width="reading"
      actions={
        unread.length > 0 && newest !== undefined ? (
          <Button size="sm" onPress={() => markRead(undefined, newest)}>
            <CheckCheck size={16} aria-hidden /> {words.markAll}
          </Button>
        ) : null
      }
    >
      <div className="flex flex-col gap-6">
        <RefusedSection workspace={ws} />
        <Tabs
          label={words.filter}
          selected={filter}
          onSelect={(next) =>
            void navigate({ to: '/w/$ws/inbox', params: { ws }, search: { filter: next }, replace: true })
          }
          tabs={FILTERS.map((id) => ({
            id,
            label: words.filters[id],
            ...(id === 'unread' && { count: unread.length }),
            content: isLoading ? <Skeleton rows={6} /> : <Days items={shown[id]} workspace={ws} filter={id} />,
          }))}
        />
      </div>
    </Page>
  )
}

function Days({
  items,
  workspace,
  filter,
}: {
  readonly items: readonly InboxItem[]
  readonly workspace: string
  readonly filter: Filter
}): JSX.Element {
  const hasSynced = useHasSynced()
  if (items.length === 0 && !hasSynced) return <FirstRowsNote rows={6} />
  if (items.length === 0) {
    return (
      <EmptyState
        title={words.nothing}
        icon={<StateGlyph name="check" size={28} />}
        action={
          filter === 'all' ? (
            <HomeLink />
          ) : (
            <LinkButton to="/w/$ws/inbox" params={{ ws: workspace }} search={{ filter: 'all' }}>
              {words.showAll}
            </LinkButton>
          )
        }
      >
        {filter === 'all' ? words.nothingDetailAll : words.nothingDetail}
      </EmptyState>
    )
  }
  const days = Map.groupBy(items, dayOfItem)
  return (
    <div className="flex flex-col gap-5 pt-4">
      {[...days].map(([day, together]) => (
        <section key={day} aria-labelledby={`inbox-${day}`}>
          <h2 id={`inbox-${day}`} className="pb-1 text-small font-medium text-muted">
            {formatDay(day, pageLocale())}
          </h2>
          <ul className="flex flex-col">
            {together.map((item) => (
              <InboxLine key={`${item.kind}/${item.id}`} item={item} workspace={workspace} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

/** Returns the item's day in this device's time zone. Due dates are the same everywhere. */
function dayOfItem({ kind, at, text }: InboxItem): string {
  if (kind === 'due' && text !== null) return text
  const moment = momentOf(at)
  return moment === undefined ? at.slice(0, 10) : dayOf(moment)
}

/** Syncs the history of the listed records to this device. */
function useHistoryOf(items: readonly InboxItem[]): void {
  const hasHistory = useSchema().tables.some(({ name }) => name === HISTORY_TABLE)
  const records = useMemo(
    () => [...new Set(items.map(({ record }) => record))].toSorted().slice(0, RECORDS_MAX),
    [items],
  )
  useStream(HISTORY_STREAM, hasHistory && records.length > 0 ? { records } : undefined, { ttl: HISTORY_KEPT_SECONDS })
}
