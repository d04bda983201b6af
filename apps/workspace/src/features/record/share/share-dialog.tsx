import { useLocalDatabase, useRecords } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Checkbox } from '../../../components/checkbox.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { LinkButton } from '../../../components/link.tsx'
import { SearchField } from '../../../components/search-field.tsx'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { momentOf } from '../../../lib/fields/dates.ts'
import { useUntilChanged } from '../../../hooks/use-until-changed.ts'
import { uuidV7 } from '../../../lib/fields/uuid-v7.ts'
import type { RecordWriter } from '../../../lib/records/create-record-writer.ts'
import type { RecordChange } from '../../../lib/records/record-change.ts'
import { shareMessages as words } from '../../../messages/shares.ts'
import { type GuestRow, GUESTS, SHARES_TABLE } from './shares.ts'

/** Number of guests from which the list is searchable. */
const SEARCHED_FROM = 12

/** Chooses the guests a record is shared with, and which of them may change it. Each change is stored at once, even offline. */
export function ShareDialog({
  table,
  recordId,
  title,
  workspace,
  mayChange,
  writer,
  onClose,
}: {
  readonly table: TableInfo
  readonly recordId: string
  /** The record's title. */
  readonly title: string
  readonly workspace: string
  /** Whether the user may change the record: no one can grant a right that they lack. */
  readonly mayChange: boolean
  readonly writer: RecordWriter
  readonly onClose: () => void
}): JSX.Element {
  const { userId } = useLocalDatabase()
  const { rows: guests, isLoading } = useRecords<GuestRow>(GUESTS, [table.name, recordId, userId])
  const [searched, setSearched] = useState('')
  const wanted = searched.trim().toLocaleLowerCase()
  const found = guests.filter(({ name }) => name.toLocaleLowerCase().includes(wanted))
  const write = (label: string, change: RecordChange): Promise<boolean> =>
    writer.writeOrTell({ label, changes: [change] })
  return (
    <Dialog
      title={words.title(title)}
      isOpen
      onClose={onClose}
      actions={
        <Button tone="primary" onPress={onClose}>
          {words.done}
        </Button>
      }
    >
      {guests.length === 0 ? (
        isLoading ? null : (
          <NoGuests workspace={workspace} />
        )
      ) : (
        <div className="flex flex-col gap-3">
          <p className="text-muted">{words.detail}</p>
          {guests.length < SEARCHED_FROM ? null : (
            <SearchField label={words.search} value={searched} onChange={setSearched} />
          )}
          {found.length === 0 ? <p className="text-muted">{words.noMatch(searched)}</p> : null}
          <ul aria-label={words.guests} className="flex flex-col">
            {found.map((guest) => (
              <Guest
                key={`${guest.workspace_id} ${guest.user_id}`}
                guest={guest}
                record={{ table_name: table.name, record_id: recordId }}
                canChange={table.descriptor.guests === 'change' && (mayChange || guest.may_change === 1)}
                onChange={write}
              />
            ))}
          </ul>
          <p className="text-small text-muted">{words.rules}</p>
        </div>
      )}
    </Dialog>
  )
}

function NoGuests({ workspace }: { readonly workspace: string }): JSX.Element {
  return (
    <div className="flex flex-col items-start gap-3">
      <p>
        {words.none} {words.noneDetail}
      </p>
      <LinkButton size="sm" to="/w/$ws/people" params={{ ws: workspace }}>
        {words.toPeople}
      </LinkButton>
    </div>
  )
}

function Guest({
  guest,
  record,
  canChange,
  onChange,
}: {
  readonly guest: GuestRow
  readonly record: { readonly table_name: string; readonly record_id: string }
  /** A policy lets guests change records shared with them, and the user may grant that. */
  readonly canChange: boolean
  /** @returns whether it is stored */
  readonly onChange: (label: string, change: RecordChange) => Promise<boolean>
}): JSX.Element {
  const { share, name } = guest
  const untilChanged = useUntilChanged(share)
  const toggle = (): void => {
    const values = {
      workspace_id: guest.workspace_id,
      user_id: guest.user_id,
      ...record,
      may_change: guest.may_change ?? 0,
    }
    untilChanged(() =>
      share === null
        ? onChange(words.label(name), { kind: 'insert', table: SHARES_TABLE, id: uuidV7(), values })
        : onChange(words.unsharedLabel(name), { kind: 'delete', table: SHARES_TABLE, id: share, values }),
    )
  }
  const allow = (mayChange: boolean): void => {
    if (share === null) return
    const values = { may_change: mayChange ? 1 : 0 }
    const before = { may_change: guest.may_change ?? 0 }
    void onChange(words.label(name), { kind: 'update', table: SHARES_TABLE, id: share, values, before })
  }
  const access = accessOf(guest)
  return (
    <li className="flex min-h-9 flex-wrap items-center justify-between gap-x-4">
      <div className="min-w-0">
        <Checkbox isSelected={share !== null} onChange={toggle}>
          {name}
        </Checkbox>
        {access === undefined ? null : <p className="pl-6 text-small text-muted">{access}</p>}
      </div>
      {share !== null && canChange ? (
        <Checkbox aria-label={words.mayChangeNamed(name)} isSelected={guest.may_change === 1} onChange={allow}>
          {words.mayChange}
        </Checkbox>
      ) : null}
    </li>
  )
}

/** Describes whether the guest has access, or when it ends; nothing if it never ends. */
function accessOf({ status, expires_at }: GuestRow): string | undefined {
  if (status !== 'active') return words.suspended
  const until = expires_at === null ? undefined : momentOf(expires_at)
  if (until === undefined) return undefined
  return until <= new Date() ? words.ended(until) : words.until(until)
}
