import { useEffect, useState } from 'react'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import type { RecordRights } from '../../lib/records/record-rights.ts'
import { useRecordRights } from '../../lib/records/use-record-rights.ts'
import { refusalWords } from '../../lib/records/refusal-words.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import { rightMessages } from '../../messages/rights.ts'
import type { GridRow } from './window-cache.ts'

/** A row that the active cell has been on for so long is asked about, in milliseconds: moving over rows asks nothing. */
const RESTS_AFTER_MS = 120

const NO_VALUES = {}

/** What policies leave of the row that the active cell rests on. Everything, until they have been asked. */
export function useActiveRights(table: TableInfo, fields: readonly Field[], row: GridRow | undefined): RecordRights {
  const [rested, setRested] = useState<GridRow>()
  useEffect(() => {
    const timer = setTimeout(() => setRested(row), RESTS_AFTER_MS)
    return () => clearTimeout(timer)
  }, [row])
  const asked = rested === row ? row : undefined
  return useRecordRights(table, asked?.id, fields, asked ?? NO_VALUES)
}

/** Why a field of a record cannot be changed: it is kept by the database, the role may not, or policies forbid it. `undefined`: it can. */
export function readOnlyWords(field: Field, table: TableInfo, rights: RecordRights): string | undefined {
  const { update: canUpdate } = table.descriptor.can
  if (!field.isEditable || !canUpdate) return canUpdate ? words.readOnlyCell : words.readOnlyTable
  const refusal = rights.fields.get(field.name)
  if (!refusal) return undefined
  const what = rights.readOnly ? rightMessages.readOnly(table.noun) : `${field.label}:`
  return `${what} ${refusalWords(refusal)}`
}
