import type { Ref } from 'react'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import type { RefusedChoices } from './follow-rights.ts'
import type { CellTyping } from './typed-cell.ts'

/** Where the active cell goes after an edit. */
export type AfterEdit = 'stay' | 'down' | 'up' | 'right' | 'left'

/** Lets the grid finish the edit when the person goes on elsewhere. */
export interface EditorHandle {
  /** @returns false when the text cannot be taken: the editor stays, with the reason */
  finish(): boolean
}

export interface CellEditorProps {
  readonly field: Field
  readonly value: FieldValue
  /** What was typed to start the edit; `undefined`: the editor starts with the value. */
  readonly typed: string | undefined
  /** Why the text that was typed has come back; `undefined`: nothing is wrong yet. */
  readonly problem: string | undefined
  /** Choices that the rules forbid for this record: they are not offered. */
  readonly refused: RefusedChoices | undefined
  /** The reason of a refusal goes above when there is no room below. */
  readonly isNearEnd: boolean
  readonly handle: Ref<EditorHandle>
  /** What was typed before the editor was made again. */
  readonly typing: CellTyping
  readonly onCommit: (value: FieldValue, after: AfterEdit, label?: string) => void
  readonly onCancel: () => void
}
