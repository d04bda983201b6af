import type { Ref } from 'react'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import type { RefusedChoices } from './follow-rights.ts'
import type { CellTyping } from './typed-cell.ts'

/** Where the active cell moves after an edit. */
export type AfterEdit = 'stay' | 'down' | 'up' | 'right' | 'left'

/** Lets the grid finish the edit when the user moves elsewhere. */
export interface EditorHandle {
  /** @returns false if the text is invalid; the editor then stays open and shows the reason */
  finish(): boolean
}

export interface CellEditorProps {
  readonly field: Field
  readonly value: FieldValue
  /** Text typed to start the edit. `undefined`: the editor starts with the value. */
  readonly typed: string | undefined
  /** Why the typed text was rejected. `undefined`: no problem so far. */
  readonly problem: string | undefined
  /** Choices that policies refuse for this record; not offered. */
  readonly refused: RefusedChoices | undefined
  /** Shows the reason for a refusal above the cell, because there is no room below. */
  readonly isNearEnd: boolean
  readonly handle: Ref<EditorHandle>
  /** Text typed before the editor was remounted. */
  readonly typing: CellTyping
  readonly onCommit: (value: FieldValue, after: AfterEdit, label?: string) => void
  readonly onCancel: () => void
}
