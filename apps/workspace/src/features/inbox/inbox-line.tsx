import { useRecords } from '@holdfast/react'
import { Link } from '@tanstack/react-router'
import { CalendarClock, Zap } from 'lucide-react'
import type { JSX } from 'react'
import { Avatar } from '../../components/avatar.tsx'
import { cx } from '../../lib/cx.ts'
import { useAuthorSql } from '../../lib/data/comments-table.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useRecordTitle } from '../../lib/data/use-record-title.ts'
import { useTableInfo } from '../../lib/data/use-tables.tsx'
import { momentOf } from '../../lib/fields/dates.ts'
import { formatTime } from '../../lib/format.ts'
import { type InboxItem, isUnread } from '../../lib/records/inbox.ts'
import { useMarkRead } from '../../lib/records/read-marks.ts'
import { inboxMessages as words } from '../../messages/inbox.ts'
import { recordMessages } from '../../messages/record.ts'
import { workMessages } from '../../messages/work.ts'

interface LineProps {
  readonly item: InboxItem
  readonly workspace: string
}

/** One inbox item. Opening it marks its record as read. Renders nothing if the record is gone. */
export function InboxLine(props: LineProps): JSX.Element | null {
  const table = useTableInfo(props.item.table)
  return table ? <Line {...props} table={table} /> : null
}

function Line({ item, workspace, table }: LineProps & { readonly table: TableInfo }): JSX.Element | null {
  const { kind, record, at, text } = item
  const { title, isHere, isLoading } = useRecordTitle(table, record)
  const who = useActor(item)
  const markRead = useMarkRead()
  const moment = momentOf(at)
  // Reserves space while loading, so that nothing below shifts.
  if (isLoading && !isHere) return <li aria-hidden className="my-2 h-12 animate-breathe rounded-sm bg-border/30" />
  if (!isHere && kind !== 'notice') return null
  const isNew = isUnread(item)
  const tab = { mention: 'comments', comment: 'comments', assigned: 'history', due: undefined, notice: undefined }[kind]
  return (
    <li className="border-b border-border/60">
      <Link
        to="/w/$ws/t/$table/r/$record"
        params={{ ws: workspace, table: table.name, record }}
        search={tab === undefined ? {} : { tab }}
        // Comments are marked as read once they are on screen, where the new ones are highlighted.
        onClick={() => isNew && tab !== 'comments' && markRead({ table: table.name, record }, at)}
        className="focus-inset flex items-start gap-3 rounded-sm px-1 py-2 text-text no-underline hover:bg-hover"
      >
        <span
          aria-hidden
          className={cx('mt-2 size-2 shrink-0 rounded-full', isNew ? 'bg-accent forced:border' : 'bg-transparent')}
        />
        {kind === 'due' ? (
          <span className="flex size-6 shrink-0 items-center justify-center text-warning">
            <CalendarClock size={18} aria-hidden />
          </span>
        ) : kind === 'notice' ? (
          <span className="flex size-6 shrink-0 items-center justify-center text-accent">
            <Zap size={18} aria-hidden />
          </span>
        ) : (
          <Avatar name={who} size="sm" />
        )}
        <span className="min-w-0 flex-1">
          <span className={cx('block truncate', isNew && 'font-medium')}>
            {title}
            {isNew ? <span className="sr-only">, {words.unread}</span> : null}
          </span>
          <span className="block text-small text-muted">
            {words.what[kind](who)} · {table.noun}
          </span>
          {kind === 'due' || text === null ? null : (
            <span className="line-clamp-2 text-body [overflow-wrap:anywhere]">
              {text}
              {item.more ? ` (${words.more(item.more)})` : null}
            </span>
          )}
        </span>
        {kind === 'due' || moment === undefined ? null : (
          <time dateTime={moment.toISOString()} className="shrink-0 text-small text-muted tabular-nums">
            {formatTime(moment)}
          </time>
        )}
      </Link>
    </li>
  )
}

function useActor({ kind, actor }: InboxItem): string {
  const author = useAuthorSql('?')
  const { rows } = useRecords<{ readonly name: string | null }>(
    actor === null ? '' : `select ${author} as name`,
    author === 'null' || actor === null ? [] : [actor],
  )
  return rows[0]?.name ?? (kind === 'assigned' && actor === null ? workMessages.system : recordMessages.someone)
}
