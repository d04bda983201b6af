import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { showToast } from '../../components/toast.tsx'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import type { AfterEdit, EditorHandle } from './cell-editor-props.ts'
import type { GridColumn } from './grid-layout.ts'
import type { RowWindows } from './row-windows.ts'
import type { GridRow } from './window-cache.ts'
import { type GridSize, selectAfterEdit, type Selection } from './selection.ts'
import type { GridEdits } from './grid-edits.ts'
import { type CellTyping, createCellTyping } from './typed-cell.ts'
import { useUnstoredTexts } from './use-unstored-texts.ts'

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
  /** Where its typing is kept. */
  readonly typing: CellTyping
}

/** An edit belongs to a record and a field, whatever row that gets. */
interface OpenEdit extends Pick<EditedCell, 'typed' | 'problem' | 'field'> {
  readonly id: string
}

/**
 * Opens and closes the editor over the active cell; a checkbox changes at once and has none.
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
  const [edit, setEdit] = useState<OpenEdit>()
  const [typing] = useState(createCellTyping)
  const isLeaving = useRef(false)
  const editor = useRef<EditorHandle>(null)
  const row = windows?.row(selection.active.row)
  const field = columns[selection.active.column]?.field
  const isOpen = edit !== undefined
  const open = (next: OpenEdit): void => {
    typing.drop()
    setEdit(next)
  }
  const { store, reopen } = useUnstoredTexts({ windows, columns, size, edits, isOpen, select, onOpen: open })
  const end = (after: AfterEdit): void => {
    typing.drop()
    setEdit(undefined)
    select(selectAfterEdit(selection.active, after, size))
    if (!isLeaving.current) reopen()
  }
  /** Ends an edit whose editor has gone. */
  const leave = (): void => {
    const typed = typing.find()
    typing.drop()
    setEdit(undefined)
    if (edit && typed) edits.leaveCell(edit.id, edit.field, typed)
  }
  useLostEditor(edit, row && edit && row.id !== edit.id && windows?.indexOf(edit.id) === undefined, leave)
  const isHere = edit !== undefined && edit.id === row?.id && edit.field.name === field?.name
  return {
    isOpen,
    cell: isHere && row ? { row, ...edit, typing } : undefined,
    editor,
    start(typed) {
      if (!row || !field) return
      const problem = whyReadOnly(field)
      if (problem !== undefined) showToast({ text: problem })
      else if (field.kind === 'boolean') {
        void store(row, field, row[field.name] === 1 ? 0 : 1)
      } else {
        open({ id: row.id, field, typed, problem: undefined })
      }
    },
    commit(value, after, label) {
      if (row && field) void store(row, field, value, label)
      end(after)
    },
    cancel: () => end('stay'),
    finish() {
      if (!editor.current) {
        leave()
        return true
      }
      // The person goes to another cell: what has to come back waits for the end of the next edit.
      isLeaving.current = true
      const isFinished = editor.current.finish()
      isLeaving.current = false
      if (isFinished) setEdit(undefined)
      return isFinished
    },
  }
}

/**
 * Ends an edit when its record has left the view, and when the grid goes with a key in the cell.
 *
 * @param isLost - the record has no row any more
 */
function useLostEditor(edit: OpenEdit | undefined, isLost: boolean | undefined, leave: () => void): void {
  const leaveNow = useEffectEvent(() => {
    if (edit) leave()
  })
  // The database tells of rows that go.
  useEffect(() => {
    if (isLost) leaveNow()
  }, [isLost])
  useEffect(() => () => leaveNow(), [])
}
