import { useEffect, useRef } from 'react'
import { showToast } from '../../components/toast.tsx'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { toEditText } from '../../lib/fields/format-value.ts'
import type { NotStored } from '../../lib/records/not-stored.ts'
import { fieldMessages } from '../../messages/fields.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import type { GridEdits } from './grid-edits.ts'
import type { GridColumn } from './grid-layout.ts'
import type { RowWindows } from './row-windows.ts'
import { type CellPlace, type GridSize, selectCell, type Selection } from './selection.ts'
import type { GridRow } from './window-cache.ts'

/** A text that was not stored. */
interface UnstoredText {
  readonly row: GridRow
  readonly field: Field
  readonly value: FieldValue
  readonly why: NotStored
}

/** Stores values of cells; a text that is not stored comes back into its editor, with the reason. */
export function useUnstoredTexts({
  windows,
  columns,
  size,
  edits,
  isOpen,
  select,
  onOpen,
}: {
  readonly windows: RowWindows | undefined
  readonly columns: readonly GridColumn[]
  readonly size: GridSize
  readonly edits: GridEdits
  /** An editor is open: what is edited by now comes first. */
  readonly isOpen: boolean
  readonly select: (next: Selection) => void
  readonly onOpen: (edit: {
    readonly id: string
    readonly field: Field
    readonly typed: string
    readonly problem: string
  }) => void
}): {
  readonly store: (row: GridRow, field: Field, value: FieldValue, label?: string) => Promise<void>
  /** Brings back the text that could not be stored first. */
  readonly reopen: () => void
} {
  const unstored = useRef<UnstoredText[]>([])
  const latest = useRef({ isOpen: false, isGone: false, reopen: () => {} })

  /** Who cannot see the cell cannot read why: then it goes to the server, and what was typed is kept with its answer. */
  const leaveToServer = ({ row, field, value, why }: UnstoredText): void => {
    if (why.kind === 'refused') void edits.setCell(row, field, value, undefined, true)
  }
  const reopen = (): void => {
    const first = unstored.current.shift()
    if (!first) return
    const place: CellPlace = {
      row: windows?.indexOf(first.row.id) ?? -1,
      column: columns.findIndex((column) => column.field.name === first.field.name),
    }
    if (place.row < 0 || place.column < 0) return leaveToServer(first)
    select(selectCell(place, size))
    const { row, field, value, why } = first
    onOpen({ id: row.id, field, typed: toEditText(field, value), problem: problemOf(why) })
  }
  // An answer of the database meets the grid as it is then.
  useEffect(() => {
    latest.current = { isOpen, isGone: false, reopen }
  })
  useEffect(
    () => () => {
      latest.current.isGone = true
    },
    [],
  )
  return {
    reopen,
    async store(row, field, value, label) {
      const why = await edits.setCell(row, field, value, label)
      if (!why) return
      if (field.kind === 'boolean' || field.kind === 'choice' || field.kind === 'link') {
        // Of a full device a banner tells.
        if (why.kind === 'refused') showToast({ text: problemOf(why) })
        return
      }
      const text = { row, field, value, why }
      if (latest.current.isGone) return leaveToServer(text)
      unstored.current.push(text)
      if (!latest.current.isOpen) latest.current.reopen()
    },
  }
}

function problemOf(why: NotStored): string {
  return why.kind === 'full' ? words.notStored : fieldMessages.notSaved(why.words)
}
