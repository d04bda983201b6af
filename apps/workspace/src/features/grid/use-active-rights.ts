import { useLocalDatabase } from '@holdfast/react'
import { useEffect, useState } from 'react'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import type { ActiveRights } from './follow-rights.ts'
import type { GridRow } from './window-cache.ts'

/** A row that the active cell has been on for so long is asked about, in milliseconds: moving over rows asks nothing. */
const RESTS_AFTER_MS = 120

const ALL: ActiveRights = { fields: new Map(), choices: new Map() }

/** What the rules leave of the row that the active cell rests on; everything, until they have been asked. They are loaded after the first rows. */
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
      ask().catch(console.info) // then the server alone says what is allowed
    }, RESTS_AFTER_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
      stop?.()
    }
  }, [local, table, fields, row])
  return answer && answer.row === row ? answer.rights : ALL
}

/** Why a field of a record cannot be changed: it is kept by the database, the role may not, or the rules forbid it. `undefined`: it can. */
export function readOnlyWords(field: Field, table: TableInfo, rights: ActiveRights): string | undefined {
  const { update: canUpdate } = table.descriptor.can
  if (!field.isEditable || !canUpdate) return canUpdate ? words.readOnlyCell : words.readOnlyTable
  return rights.fields.get(field.name)
}
