import type { JSX } from 'react'
import type { CellEditorProps } from './cell-editor-props.ts'
import { CellPicker } from './cell-picker.tsx'
import { TextEditor } from './text-editor.tsx'

/** The editor of one cell, over the cell. */
export function CellEditor(props: CellEditorProps): JSX.Element {
  const { kind, link } = props.field
  return kind === 'choice' || (kind === 'link' && link !== undefined) ? (
    <CellPicker {...props} />
  ) : (
    <TextEditor {...props} />
  )
}
