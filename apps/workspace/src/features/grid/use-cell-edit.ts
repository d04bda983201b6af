import { type RefObject, useEffect, useRef, useState } from 'react'
import { showToast } from '../../components/toast.tsx'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { toEditText } from '../../lib/fields/format-value.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import type { AfterEdit, EditorHandle } from './cell-editor-props.ts'
import type { GridColumn } from './grid-layout.ts'
import type { RowWindows } from './row-windows.ts'
import type { GridRow } from './window-cache.ts'
import { type GridSize, selectAfterEdit, selectCell, type Selection } from './selection.ts'
import type { GridEdits } from './grid-edits.ts'

/** The edit of the active cell. */
export interface CellEdit {
  readonly isOpen: boolean
  /** The edited cell; `undefined` also while the row of an open edit is not here. */
  readonly cell: EditedCell | undefined
  readonly editor: RefObject<EditorHandle | null>
  /** @param typed - the text to start with; `undefined`: the value */
  start(typed: string | undefined): void
  commit(value: FieldValue, after: AfterEdit, label?: string): void
  cancel(): void
  /** Ends the edit because the person goes on elsewhere. @returns false when the text cannot be taken: the editor stays */
  finish(): boolean
}

export interface EditedCell {
  readonly row: GridRow
  readonly field: Field
  readonly typed: string | undefined
  readonly problem: string | undefined
}

/** A text that this device had no room for. */
interface UnstoredText {
  readonly id: string
  readonly field: Field
  readonly text: string
}

/**
 * Opens and closes the editor over the active cell; a checkbox changes at once and has none. A text that could not be stored comes back into its editor.
 */
export function useCellEdit({
  windows,
  columns,
  size,
  selection,
  edits,
  whyReadOnly,
  select,
}: {
  readonly windows: RowWindows | undefined
  readonly columns: readonly GridColumn[]
  readonly size: GridSize
  readonly selection: Selection
  readonly edits: GridEdits
  /** Why a field of the active row cannot be changed; `undefined`: it can. */
  readonly whyReadOnly: (field: Field) => string | undefined
  readonly select: (next: Selection) => void
}): CellEdit {
  const [edit, setEdit] = useState<Pick<EditedCell, 'typed' | 'problem'>>()
  const unstored = useRef<UnstoredText[]>([])
  const latest = useRef({ isOpen: false, reopen: () => {} })
  const isLeaving = useRef(false)
  const editor = useRef<EditorHandle>(null)
  const row = windows?.row(selection.active.row)
  const field = columns[selection.active.column]?.field

  const end = (after: AfterEdit): void => {
    setEdit(undefined)
    select(selectAfterEdit(selection.active, after, size))
    if (!isLeaving.current) reopen()
  }
  const store = async (into: GridRow, of: Field, value: FieldValue, label: string | undefined): Promise<void> => {
    if (await edits.setCell(into, of, value, label)) return
    if (of.kind === 'boolean' || of.kind === 'choice' || of.kind === 'link') return
    unstored.current.push({ id: into.id, field: of, text: toEditText(of, value) })
    // What is edited by now comes first.
    if (!latest.current.isOpen) latest.current.reopen()
  }
  /** Brings back the text that could not be stored first. */
  const reopen = (): void => {
    const first = unstored.current.shift()
    const place = {
      row: first ? (windows?.indexOf(first.id) ?? -1) : -1,
      column: columns.findIndex((column) => column.field.name === first?.field.name),
    }
    if (!first || place.row < 0 || place.column < 0) return
    select(selectCell(place, size))
    setEdit({ typed: first.text, problem: words.notStored })
  }
  const isOpen = edit !== undefined
  // An answer of the database meets the grid as it is then.
  useEffect(() => {
    latest.current = { isOpen, reopen }
  })
  return {
    isOpen,
    cell: edit && row && field ? { row, field, ...edit } : undefined,
    editor,
    start(typed) {
      if (!row || !field) return
      const problem = whyReadOnly(field)
      if (problem !== undefined) showToast({ text: problem })
      else if (field.kind === 'boolean') {
        void store(row, field, row[field.name] === 1 ? 0 : 1, undefined)
      } else {
        setEdit({ typed, problem: undefined })
      }
    },
    commit(value, after, label) {
      if (row && field) void store(row, field, value, label)
      end(after)
    },
    cancel: () => end('stay'),
    finish() {
      // The person goes to another cell: what has to come back waits for the end of the next edit.
      isLeaving.current = true
      const isFinished = editor.current?.finish() !== false
      isLeaving.current = false
      if (!isFinished) return false
      setEdit(undefined)
      return true
    },
  }
}
