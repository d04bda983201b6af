import { useRecords, useSchema } from '@holdfast/react'
import type { JSX } from 'react'
import { momentOf } from '../../../lib/fields/dates.ts'
import { pageLocale } from '../../../lib/language.ts'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'
import { TileNote } from './shown-tile.tsx'

const RESTORABLE_DAYS = 30

export interface DeletedTable {
  readonly label: string
  readonly at: string
}

/** Returns a table that was deleted and can be restored; `undefined` for any other, without a name for none. */
export function useDeletedTable(name: string | undefined): DeletedTable | undefined {
  const isKept = useSchema().tables.some(
    (table) => table.name === 'hf_tables' && table.columns.some((column) => column.name === 'deleted_at'),
  )
  const { rows } = useRecords<DeletedTable>(
    isKept && name !== undefined
      ? `select coalesce(label, table_name) as label, deleted_at as at from hf_tables
          where schema_name = 'public' and table_name = ? and deleted_at is not null`
      : '',
    isKept && name !== undefined ? [name] : [],
  )
  return rows[0]
}

/** Explains why the table of a tile is missing. */
export function NoTable({
  name,
  deleted,
}: {
  readonly name: string
  readonly deleted: DeletedTable | undefined
}): JSX.Element {
  if (!deleted) return <TileNote title={words.noTable}>{words.noTableDetail(name)}</TileNote>
  const until = momentOf(deleted.at)
  until?.setDate(until.getDate() + RESTORABLE_DAYS)
  return (
    <TileNote title={words.tableDeleted(deleted.label)}>
      {until ? words.restorableUntil(until.toLocaleDateString(pageLocale())) : null}
    </TileNote>
  )
}
