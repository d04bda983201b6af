import type { JSX } from 'react'
import type { ChangePreview, EstimatedDownload, PreviewedRows, PreviewedTable, PreviewedUser } from '@holdfast/protocol'
import { Chip, EmptyState, Notice, Section } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { formatBytes, formatCount, formatMs, formatTableName } from '../../lib/format.ts'
import { type DeviceTotal, totalOf } from './preview-totals.ts'

/** What a change would do to the devices of users. */
export function PreviewResult({ preview }: { readonly preview: ChangePreview }): JSX.Element {
  const { users, tables, rowsMax } = preview
  const devices = users.map((user, at) => ({ user, ...totalOf(tables.map((table) => table.users[at])) }))
  return (
    <div className="flex flex-col gap-7">
      <Effects preview={preview} />
      {users.length === 0 ? <Notice title="There are no users yet">Only tables are compared.</Notice> : null}
      {tables.length === 0 ? (
        <EmptyState title="Nothing changes on devices">Users have the same rows before and after.</EmptyState>
      ) : (
        <>
          {users.length === 0 ? null : (
            <Section title="Per device" description="All tables together. Downloads are estimates without compression.">
              <DataTable label="Per device" columns={DEVICE_COLUMNS} rows={devices} keyOf={({ user }) => keyOf(user)} />
            </Section>
          )}
          {tables.map((table) => (
            <TableChanges
              key={JSON.stringify([table.schema, table.table])}
              table={table}
              users={users}
              rowsMax={rowsMax}
            />
          ))}
        </>
      )}
    </div>
  )
}

/** How long the preview took, what it locked, and what outlives it. */
function Effects({
  preview: { ms, lockedMs, locks, sequences, tables },
}: {
  readonly preview: ChangePreview
}): JSX.Element {
  const hasWritten = tables.some(({ written }) => written !== undefined)
  const locked = locks.map(({ schema, table, blocks }) => `${formatTableName(schema, table)} (${BLOCKED[blocks]})`)
  return (
    <div className="flex flex-col gap-1 text-small text-muted">
      <p role="status" className="tabular-nums">
        {`Rolled back after ${formatMs(ms)}. ${
          locked.length === 0 ? 'No table was locked.' : `Locked for ${formatMs(lockedMs)}: ${locked.join(', ')}.`
        }${hasWritten ? ' The rows that the SQL writes were locked meanwhile.' : ''}`}
      </p>
      {sequences.length === 0 ? null : (
        <p>{`These sequences moved on meanwhile and keep their values: ${sequences.join(', ')}.`}</p>
      )}
    </div>
  )
}

const BLOCKED = { all: 'reads and writes', writes: 'writes' } as const

const keyOf = ({ id, label }: PreviewedUser): string => id ?? label

const DEVICE_COLUMNS: readonly TableColumn<DeviceTotal & { readonly user: PreviewedUser }>[] = [
  { id: 'user', label: 'User', cell: ({ user }) => user.label },
  { id: 'role', label: 'Role', cell: ({ user }) => user.role },
  { id: 'gained', label: 'Gains', isNumber: true, cell: ({ gained }) => signed(gained, '+') },
  { id: 'lost', label: 'Loses', isNumber: true, cell: ({ lost }) => signed(lost, '−') },
  { id: 'changed', label: 'Changes', isNumber: true, cell: ({ changed }) => signed(changed, '') },
  {
    id: 'download',
    label: 'Downloads',
    isNumber: true,
    cell: ({ download, isIncomplete }) => (
      <div>
        {downloadText(download)}
        {isIncomplete ? <span className="block text-small text-muted">not all tables compared</span> : null}
      </div>
    ),
  },
]

function signed(count: number, sign: string): JSX.Element | string {
  if (count === 0) return '–'
  const colour = sign === '+' ? 'text-success' : sign === '−' ? 'text-danger' : ''
  return <span className={colour}>{`${sign}${formatCount(count)}`}</span>
}

const BOUNDS = { exact: '', most: 'up to ', least: 'more than ' } as const

function downloadText({ rows, bytes, bound }: EstimatedDownload): string {
  if (rows === 0) return '–'
  return `${BOUNDS[bound]}${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}, ${formatBytes(bytes)}`
}

const SYNC_CHIPS = {
  begins: { colour: 'green', label: 'begins to sync' },
  stops: { colour: 'coral', label: 'stops syncing' },
  synced: { colour: 'slate', label: 'syncs' },
  none: { colour: 'slate', label: 'does not sync' },
} as const

function TableChanges({
  table: { schema, table, sync, reason, isStreamed, written, users: rows },
  users,
  rowsMax,
}: {
  readonly table: PreviewedTable
  readonly users: readonly PreviewedUser[]
  readonly rowsMax: number
}): JSX.Element {
  const lines = users.flatMap((user, at) => {
    const of = rows[at]
    return of && !isSame(of) ? [{ user, rows: of }] : []
  })
  return (
    <Section
      title={formatTableName(schema, table)}
      action={<Chip colour={SYNC_CHIPS[sync].colour}>{SYNC_CHIPS[sync].label}</Chip>}
    >
      {reason === undefined ? null : (
        <Notice tone="warning" title="Devices drop this table">
          {reason}
        </Notice>
      )}
      {isStreamed ? (
        <p className="text-muted">Syncs through declared streams: a device has those of these rows that they select.</p>
      ) : null}
      {written === undefined ? null : (
        <p className="text-muted">
          {`The SQL inserts ${formatCount(written.inserted)}, updates ${formatCount(written.updated)} and deletes ${formatCount(written.deleted)} rows.`}
        </p>
      )}
      {lines.length === 0 ? (
        <p className="text-muted">
          {sync === 'none' ? 'Devices do not have this table.' : 'These users have the same rows before and after.'}
        </p>
      ) : (
        <DataTable
          label={`Changes of ${table}`}
          columns={rowColumns(rowsMax)}
          rows={lines}
          keyOf={({ user }) => keyOf(user)}
        />
      )}
    </Section>
  )
}

/** Whether it is known that nothing changes. */
function isSame({ changes, download }: PreviewedRows): boolean {
  return changes !== undefined && changes.gained + changes.lost + changes.changed === 0 && (download?.rows ?? 0) === 0
}

type Line = { readonly user: PreviewedUser; readonly rows: PreviewedRows }

function rowColumns(rowsMax: number): readonly TableColumn<Line>[] {
  const count = (rows: number | undefined): string =>
    rows === undefined ? '?' : rows > rowsMax ? `more than ${formatCount(rowsMax)}` : formatCount(rows)
  return [
    { id: 'user', label: 'User', cell: ({ user }) => user.label },
    {
      id: 'rows',
      label: 'Rows',
      isNumber: true,
      cell: ({ rows: { before, after } }) => `${count(before)} → ${count(after)}`,
    },
    {
      id: 'gained',
      label: 'Gains',
      cell: ({ rows: { changes } }) =>
        changes ? <Keys count={changes.gained} keys={changes.gainedKeys} sign="+" /> : '?',
    },
    {
      id: 'lost',
      label: 'Loses',
      cell: ({ rows: { changes } }) => (changes ? <Keys count={changes.lost} keys={changes.lostKeys} sign="−" /> : '?'),
    },
    {
      id: 'changed',
      label: 'Changes',
      isNumber: true,
      cell: ({ rows: { changes } }) => (changes ? signed(changes.changed, '') : '?'),
    },
    { id: 'download', label: 'Downloads', cell: ({ rows }) => <Download rows={rows} rowsMax={rowsMax} /> },
  ]
}

/** What a device downloads of a table, or why it is unknown. */
function Download({
  rows: { changes, download, problem, problemBefore },
  rowsMax,
}: {
  readonly rows: PreviewedRows
  readonly rowsMax: number
}): JSX.Element {
  return (
    <div>
      {download ? downloadText(download) : '?'}
      {problemBefore === undefined ? null : <span className="block text-danger">{`Before: ${problemBefore}`}</span>}
      {problem === undefined ? null : <span className="block text-danger">{problem}</span>}
      {(problem ?? problemBefore) === undefined && !changes ? (
        <span className="block text-small text-muted">{`More than ${formatCount(rowsMax)} rows are not compared.`}</span>
      ) : null}
    </div>
  )
}

function Keys({
  count,
  keys,
  sign,
}: {
  readonly count: number
  readonly keys: readonly string[]
  readonly sign: string
}): JSX.Element {
  return (
    <div>
      {signed(count, sign)}
      {keys.length === 0 ? null : (
        <span className="block text-small text-muted">{`${keys.join(', ')}${count > keys.length ? ' …' : ''}`}</span>
      )}
    </div>
  )
}
