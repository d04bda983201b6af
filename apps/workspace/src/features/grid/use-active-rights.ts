import { useLocalDatabase } from '@holdfast/react'
import { useEffect, useState } from 'react'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import type { ActiveRights } from './follow-rights.ts'
import type { GridRow } from './window-cache.ts'

/** Delay in ms before policies are evaluated for the active row, so that moving over rows evaluates nothing. */
const RESTS_AFTER_MS = 120

/** Before policies are evaluated. */
export const ALL_RIGHTS: ActiveRights = { fields: new Map(), choices: new Map() }

/** Returns what policies allow in the active row; everything until they are evaluated. The evaluation code loads after the first rows. */
export function useActiveRights(table: TableInfo, fields: readonly Field[], row: GridRow | undefined): ActiveRights {
  const local = useLocalDatabase()
  const [answer, setAnswer] = useState<{ readonly row: GridRow; readonly rights: ActiveRights }>()
  useEffect(() => {
    if (!row || !table.descriptor.can.update) return
    let stop: (() => void) | undefined
    let isOver = false
    const ask = async (): Promise<void> => {
      const { followRights } = await import('./follow-rights.ts')
      if (!isOver) stop = followRights(local, { table, fields, row }, (rights) => setAnswer({ row, rights }))
    }
    const timer = setTimeout(() => {
      ask().catch(console.info) // only the server then decides what is allowed
    }, RESTS_AFTER_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
      stop?.()
    }
  }, [local, table, fields, row])
  // They stand while they are evaluated again after an edit.
  return answer && answer.row.id === row?.id ? answer.rights : ALL_RIGHTS
}

/** Returns why a field of a record cannot be changed: the database computes it, the role lacks the privilege, or policies refuse. `undefined`: editable. */
export function readOnlyWords(field: Field, table: TableInfo, rights: ActiveRights): string | undefined {
  const { update: canUpdate } = table.descriptor.can
  if (!field.isEditable || !canUpdate) return canUpdate ? words.readOnlyCell : words.readOnlyTable
  return rights.fields.get(field.name)
}
