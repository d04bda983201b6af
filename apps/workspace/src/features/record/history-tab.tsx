import { useEngineStatus, useLocalDatabase, useRecords, useStream } from '@holdfast/react'
import { Cog, RotateCcw } from 'lucide-react'
import { type JSX, useMemo } from 'react'
import { Avatar } from '../../components/avatar.tsx'
import { showToast } from '../../components/toast.tsx'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { FieldValueView } from '../../components/fields/field-value.tsx'
import { Spinner } from '../../components/spinner.tsx'
import { useAuthorSql } from '../../lib/data/comments-table.ts'
import { HISTORY_KEPT_SECONDS, HISTORY_STREAM, HISTORY_TABLE } from '../../lib/data/history-table.ts'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { momentOf } from '../../lib/fields/dates.ts'
import { formatValue } from '../../lib/fields/format-value.ts'
import { formatCount, formatMoment } from '../../lib/format.ts'
import { type FieldChange, fieldChanges, type HistoryRow } from '../../lib/records/history.ts'
import { fieldMessages } from '../../messages/fields.ts'
import { historyMessages as words } from '../../messages/history.ts'
import type { RecordTabsProps } from './record-tabs-props.ts'
import { useLinkLabels } from './use-link-labels.ts'

const SHOWN_MAX = 200

interface ShownRow extends HistoryRow {
  readonly actor: string | null
}

interface Entry {
  readonly row: ShownRow
  readonly changes: readonly FieldChange[]
}

/** Shows who changed the record, when and how. An earlier value can be restored as a normal edit. */
export function HistoryTab(props: RecordTabsProps): JSX.Element {
  const { table, recordId, fields, mark } = props
  const isOnline = useEngineStatus((status) => status.connected)
  const stream = useStream(HISTORY_STREAM, { records: [recordId] }, { ttl: HISTORY_KEPT_SECONDS })
  const { rows, isLoading } = useRecords<ShownRow>(
    `select h.id, h.kind, h.at, h.actor_id, h.actor_role, h.changes, ${useAuthorSql('h.actor_id')} as actor
       from ${HISTORY_TABLE} h where h.table_name = ? and h.record_id = ? order by cast(h.id as integer) desc limit ${SHOWN_MAX}`,
    [table.descriptor.table, recordId],
  )
  const entries = useMemo(() => entriesOf(rows, fields), [rows, fields])
  const labels = useLinkLabels(useMemo(() => entries.flatMap(({ changes }) => changes), [entries]))
  if (isLoading) return <div aria-busy="true" />
  return (
    <div className="flex flex-col gap-4 px-4">
      {mark === undefined ? null : <p className="text-small text-muted">{words.waiting}</p>}
      {entries.length > 0 ? (
        <ol className="flex flex-col gap-5">
          {entries.map((entry) => (
            <HistoryEntry key={entry.row.id} {...props} entry={entry} linkLabels={labels} />
          ))}
        </ol>
      ) : (
        <NothingHere hasSynced={stream.hasSynced} isOnline={isOnline} />
      )}
      {rows.length === SHOWN_MAX ? (
        <p className="text-small text-muted">{words.onlyNewest(formatCount(SHOWN_MAX))}</p>
      ) : null}
    </div>
  )
}

/** Returns the entries. Leaves out changes without a visible field, such as those of removed fields. */
function entriesOf(rows: readonly ShownRow[], fields: readonly Field[]): readonly Entry[] {
  return rows
    .map((row) => ({ row, changes: fieldChanges(row, fields) }))
    .filter(({ row, changes }) => row.kind === 'insert' || changes.length > 0)
}

function NothingHere({
  hasSynced,
  isOnline,
}: {
  readonly hasSynced: boolean
  readonly isOnline: boolean
}): JSX.Element {
  if (hasSynced) return <EmptyState title={words.empty}>{words.emptyDetail}</EmptyState>
  if (!isOnline) return <EmptyState title={words.notHere}>{words.notHereDetail}</EmptyState>
  return (
    <p role="status" className="flex items-center gap-2 text-body text-muted">
      <Spinner size={14} /> {words.coming}
    </p>
  )
}

function HistoryEntry({
  entry: { row, changes },
  linkLabels,
  ...record
}: RecordTabsProps & {
  readonly entry: Entry
  readonly linkLabels: ReadonlyMap<string, FieldValue>
}): JSX.Element {
  const { userId } = useLocalDatabase()
  const who = row.actor_id === userId ? words.you : (row.actor ?? words.system)
  const at = momentOf(row.at)
  const when = at === undefined ? row.at : formatMoment(at)
  return (
    <li className="flex gap-2.5">
      {who === words.system ? (
        <span className="grid size-5 shrink-0 place-items-center rounded-full bg-sunken text-muted">
          <Cog size={13} aria-hidden />
        </span>
      ) : (
        <Avatar name={row.actor ?? who} size="sm" />
      )}
      <article aria-label={words.changeBy(who, when)} className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2 text-small text-muted">
          <span className="text-body font-medium text-text">{who}</span>
          {row.kind === 'insert' ? words.created : words.changed}
          <time dateTime={at?.toISOString()}>{when}</time>
        </p>
        <dl className="flex flex-col gap-1.5 pt-1">
          {changes.map((change) => (
            <ChangedField key={change.field.name} {...record} change={change} linkLabels={linkLabels} />
          ))}
        </dl>
      </article>
    </li>
  )
}

function ChangedField({
  change: { field, from, to, isOmitted },
  linkLabels,
  values,
  table,
  rights,
  onCommit,
}: Omit<RecordTabsProps, 'labels'> & {
  readonly change: FieldChange
  readonly linkLabels: ReadonlyMap<string, FieldValue>
}): JSX.Element {
  const label = (value: FieldValue): FieldValue | undefined => linkLabels.get(`${field.name}/${value ?? ''}`)
  const mayWrite =
    table.descriptor.can.update &&
    field.isEditable &&
    rights.isKnown &&
    !rights.readOnly &&
    !rights.fields.has(field.name) &&
    !rights.choices.get(field.name)?.has(String(from))
  const restore = async (): Promise<void> => {
    const notStored = await onCommit(field, from)
    if (notStored?.kind === 'refused') showToast({ text: fieldMessages.notSaved(notStored.words) })
  }
  const isNow = (values[field.name] ?? null) === from
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
      <dt className="w-full shrink-0 tablet:w-28 text-small leading-5 text-muted">{field.label}</dt>
      <dd className="flex min-w-0 flex-1 basis-40 flex-wrap items-center gap-x-2 gap-y-0.5 text-body [overflow-wrap:anywhere]">
        {isOmitted ? (
          <span className="text-muted">{words.omitted}</span>
        ) : (
          <>
            <span className="sr-only">{words.from}</span>
            <span className="text-muted">
              <HistoryValue field={field} value={from} label={label(from)} />
            </span>
            <span aria-hidden className="text-subtle">
              →
            </span>
            <span className="sr-only">{words.to}</span>
            <HistoryValue field={field} value={to} label={label(to)} />
          </>
        )}
      </dd>
      {isOmitted || !mayWrite || isNow ? null : (
        <dd>
          <Button
            size="sm"
            aria-label={words.restoreLabel(field.label, formatValue(field, from, label(from)))}
            onPress={() => void restore()}
          >
            <RotateCcw size={14} aria-hidden /> {words.restore}
          </Button>
        </dd>
      )}
    </div>
  )
}

/** Shows long texts in full, because users come here to find text lost in an edit. */
function HistoryValue({
  field,
  value,
  label,
}: {
  readonly field: Field
  readonly value: FieldValue
  readonly label: FieldValue | undefined
}): JSX.Element {
  if (value === null) return <span className="text-subtle italic">{words.nothing}</span>
  if (field.kind === 'long_text') return <span className="whitespace-pre-wrap">{String(value)}</span>
  return <FieldValueView field={field} value={value} label={label} />
}
