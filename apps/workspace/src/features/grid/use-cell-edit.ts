import { type RefObject, useRef, useState } from 'react'
import { showToast } from '../../components/toast.tsx'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import type { AfterEdit, EditorHandle } from './cell-editor-props.ts'
import type { GridColumn } from './grid-layout.ts'
import type { RowWindows } from './row-windows.ts'
import type { GridRow } from './window-cache.ts'
import { type GridSize, selectAfterEdit, type Selection } from './selection.ts'
import type { GridEdits } from './use-grid-edits.ts'

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
}

/** Opens and closes the editor over the active cell; a checkbox changes at once and has none. */
export function useCellEdit({
  windows,
  columns,
  size,
  selection,
  edits,
  canUpdate,
  select,
}: {
  readonly windows: RowWindows | undefined
  readonly columns: readonly GridColumn[]
  readonly size: GridSize
  readonly selection: Selection
  readonly edits: GridEdits
  readonly canUpdate: boolean
  readonly select: (next: Selection) => void
}): CellEdit {
  const [edit, setEdit] = useState<{ readonly typed: string | undefined }>()
  const editor = useRef<EditorHandle>(null)
  const row = windows?.row(selection.active.row)
  const field = columns[selection.active.column]?.field

  const end = (after: AfterEdit): void => {
    setEdit(undefined)
    select(selectAfterEdit(selection.active, after, size))
  }
  return {
    isOpen: edit !== undefined,
    cell: edit && row && field ? { row, field, typed: edit.typed } : undefined,
    editor,
    start(typed) {
      if (!row || !field) return
      if (!field.isEditable || !canUpdate) {
        showToast({ text: canUpdate ? words.readOnlyCell : words.readOnlyTable })
      } else if (field.kind === 'boolean') {
        void edits.setCell(row, field, row[field.name] === 1 ? 0 : 1, undefined)
      } else {
        setEdit({ typed })
      }
    },
    commit(value, after, label) {
      if (row && field) void edits.setCell(row, field, value, label)
      end(after)
    },
    cancel: () => end('stay'),
    finish() {
      if (editor.current?.finish() === false) return false
      setEdit(undefined)
      return true
    },
  }
}
