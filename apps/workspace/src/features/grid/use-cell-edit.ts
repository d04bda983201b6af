import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { showToast } from '../../components/toast.tsx'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import type { AfterEdit, EditorHandle } from './cell-editor-props.ts'
import type { GridColumn } from './grid-layout.ts'
import type { RowWindows } from './row-windows.ts'
import type { GridRow } from './window-cache.ts'
import { cellsIn, type GridSize, rangeOf, selectAfterEdit, type Selection } from './selection.ts'
import type { GridEdits } from './grid-edits.ts'
import { type CellTyping, createCellTyping } from './typed-cell.ts'
import { useUnstoredTexts } from './use-unstored-texts.ts'

/** The edit of the active cell. */
export interface CellEdit {
  readonly isOpen: boolean
  /** The edited cell; `undefined` also while the row of an open edit is not loaded. */
  readonly cell: EditedCell | undefined
  /** Number of selected cells that the edit changes. */
  readonly cells: number
  readonly editor: RefObject<EditorHandle | null>
  /** @param typed - the initial text; `undefined`: the value */
  start(typed: string | undefined): void
  commit(value: FieldValue, after: AfterEdit, label?: string): void
  cancel(): void
  /** Ends the edit because the user moves elsewhere. @returns false if the text is invalid; the editor then stays open */
  finish(): boolean
}

export interface EditedCell {
  readonly row: GridRow
  readonly field: Field
  readonly typed: string | undefined
  readonly problem: string | undefined
  /** Stores the typed text. */
  readonly typing: CellTyping
}

/** An edit belongs to a record and a field, regardless of the row's position. */
interface OpenEdit extends Pick<EditedCell, 'typed' | 'problem' | 'field'> {
  readonly id: string
}

/** Opens and closes the editor of the active cell. A checkbox toggles at once, without an editor. */
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
  /** Returns why a field cannot be changed, in the active row or `inAll` rows; `undefined`: editable. */
  readonly whyReadOnly: (field: Field, inAll: boolean) => string | undefined
  readonly select: (next: Selection) => void
}): CellEdit {
  const [edit, setEdit] = useState<OpenEdit>()
  const [typing] = useState(createCellTyping)
  const isLeaving = useRef(false)
  const editor = useRef<EditorHandle>(null)
  const row = windows?.row(selection.active.row)
  const field = columns[selection.active.column]?.field
  const isOpen = edit !== undefined
  const cells = cellsIn(rangeOf(selection))
  const open = (next: OpenEdit): void => {
    typing.drop()
    setEdit(next)
  }
  const { store, reopen } = useUnstoredTexts({ windows, columns, size, edits, isOpen, select, onOpen: open })
  const end = (after: AfterEdit): void => {
    typing.drop()
    setEdit(undefined)
    // Several cells stay selected, so that their new values are seen.
    select(cells > 1 ? selection : selectAfterEdit(selection.active, after, size))
    if (!isLeaving.current) reopen()
  }
  /** Sets the active cell, or all selected ones. */
  const setValue = (target: GridRow, of: Field, value: FieldValue, label?: string): void =>
    void (cells > 1 ? edits.setCells(rangeOf(selection), of, value, label) : store(target, of, value, label))
  /** Ends an edit whose editor has unmounted. */
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
    cells,
    start(typed) {
      if (!row || !field) return
      const problem = whyReadOnly(field, cells > 1)
      if (problem !== undefined) showToast({ text: problem })
      else if (field.kind === 'boolean') {
        setValue(row, field, row[field.name] === 1 ? 0 : 1)
      } else {
        open({ id: row.id, field, typed, problem: undefined })
      }
    },
    commit(value, after, label) {
      // Leaving an unchanged text changes no other cell.
      const isLeft = after === 'stay' && isText(field) && (row?.[field?.name ?? ''] ?? null) === value
      if (row && field && !(cells > 1 && isLeft)) setValue(row, field, value, label)
      end(after)
    },
    cancel: () => end('stay'),
    finish() {
      if (!editor.current) {
        leave()
        return true
      }
      // The user moves to another cell: text to restore waits until the next edit ends.
      isLeaving.current = true
      const isFinished = editor.current.finish()
      isLeaving.current = false
      if (isFinished) setEdit(undefined)
      return isFinished
    },
  }
}

/** Whether the field is edited as text, which may be left without a decision. */
function isText(field: Field | undefined): boolean {
  return field?.kind !== 'choice' && field?.kind !== 'link'
}

/**
 * Ends an edit when its record leaves the view, and when the grid unmounts during typing.
 *
 * @param isLost - the record is no longer in any row
 */
function useLostEditor(edit: OpenEdit | undefined, isLost: boolean | undefined, leave: () => void): void {
  const leaveNow = useEffectEvent(() => {
    if (edit) leave()
  })
  // The database reports removed rows.
  useEffect(() => {
    if (isLost) leaveNow()
  }, [isLost])
  useEffect(() => () => leaveNow(), [])
}
