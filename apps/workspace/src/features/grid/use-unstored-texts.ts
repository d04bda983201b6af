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

/** Stores cell values. Text that is not stored returns to its editor, with the reason. */
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
  /** An editor is open; its edit has priority. */
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
  /** Restores the oldest text that could not be stored. */
  readonly reopen: () => void
} {
  const unstored = useRef<UnstoredText[]>([])
  const latest = useRef({ isOpen: false, isGone: false, reopen: () => {} })

  /** A user who cannot see the cell cannot see the reason. The text then goes to the server, which keeps it with its answer. */
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
  // The database's answer arrives later and must meet the grid's state at that time.
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
        // A full device has its own banner.
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
