import { useLocalDatabase, useRecords, useSchema, useStream } from '@holdfast/react'
import { type JSX, useMemo } from 'react'
import { Avatar } from '../../components/avatar.tsx'
import { useAuthorSql } from '../../lib/data/comments-table.ts'
import { HISTORY_KEPT_SECONDS, HISTORY_STREAM, HISTORY_TABLE } from '../../lib/data/history-table.ts'
import { useTables } from '../../lib/data/use-tables.tsx'
import { momentOf } from '../../lib/fields/dates.ts'
import { fieldsOf } from '../../lib/fields/field.ts'
import { formatAgo } from '../../lib/format.ts'
import { fieldChanges, type HistoryRow } from '../../lib/records/history.ts'
import { workMessages as words } from '../../messages/work.ts'
import { RecordLine } from '../../components/records/record-line.tsx'

/** Limit of records whose history is subscribed to. */
const RECORDS_MAX = 100
const SHOWN_MAX = 6

interface MyRecord {
  readonly table: string
  readonly id: string
  readonly title: string | number | null
}

interface OthersRow extends HistoryRow {
  readonly table_name: string
  readonly record_id: string
  readonly actor: string | null
}

/** Returns the latest changes by others to these records; none if the project keeps no history. */
export function useOthersOnMyRecords(records: readonly MyRecord[]): {
  readonly changes: readonly OthersRow[]
  readonly isLoading: boolean
} {
  const schema = useSchema()
  const { userId } = useLocalDatabase()
  const hasHistory = schema.tables.some(({ name }) => name === HISTORY_TABLE)
  const ids = useMemo(
    () =>
      records
        .slice(0, RECORDS_MAX)
        .map(({ id }) => id)
        .toSorted(),
    [records],
  )
  const isAsked = hasHistory && ids.length > 0
  useStream(HISTORY_STREAM, isAsked ? { records: ids } : undefined, { ttl: HISTORY_KEPT_SECONDS })
  const author = useAuthorSql('h.actor_id')
  const { rows, isLoading } = useRecords<OthersRow>(
    isAsked
      ? `select h.id, h.table_name, h.record_id, h.kind, h.at, h.actor_id, h.actor_role, h.changes, ${author} as actor
           from ${HISTORY_TABLE} h
          where h.record_id in (select value from json_each(?)) and h.kind = 'update' and h.actor_id is not ?
          order by cast(h.id as integer) desc limit ${SHOWN_MAX}`
      : '',
    isAsked ? [JSON.stringify(ids), userId] : [],
  )
  return { changes: isAsked ? rows : [], isLoading: isAsked && isLoading }
}

/** Shows the changes of {@link useOthersOnMyRecords}: who changed which fields of which record, and when. */
export function OthersOnMyRecords({
  changes,
  records,
  workspace,
}: {
  readonly changes: readonly OthersRow[]
  readonly records: readonly MyRecord[]
  readonly workspace: string
}): JSX.Element | null {
  const schema = useSchema()
  const tables = useTables()
  if (changes.length === 0) return null
  return (
    <section aria-labelledby="home-others">
      <h2 id="home-others" className="pb-2 text-heading">
        {words.others}
      </h2>
      <ul className="flex flex-col">
        {changes.map((row) => {
          const table = tables.find(({ descriptor }) => descriptor.table === row.table_name)
          const record = records.find(({ id }) => id === row.record_id)
          if (!table || !record) return null
          const changed = fieldChanges(row, fieldsOf(table.descriptor, schema)).map(({ field }) => field.label)
          const at = momentOf(row.at)
          const who = row.actor ?? words.system
          return (
            <RecordLine
              key={row.id}
              workspace={workspace}
              table={table.name}
              id={record.id}
              tab="history"
              before={<Avatar name={who} size="sm" />}
              title={String(record.title ?? '')}
              detail={`${who} ${words.changed(changed.join(', '))}`}
              after={at === undefined ? null : <span className="shrink-0 text-small text-muted">{formatAgo(at)}</span>}
            />
          )
        })}
      </ul>
    </section>
  )
}
