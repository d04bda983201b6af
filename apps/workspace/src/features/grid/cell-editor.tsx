import { type JSX, useState } from 'react'
import { LayerNotLoaded } from '../../components/late-content.tsx'
import { KeysMeanwhile } from '../../lib/keys-meanwhile.tsx'
import { latePart, useLatePart } from '../../lib/late-part.ts'
import type { CellEditorProps } from './cell-editor-props.ts'
import { TextEditor } from './text-editor.tsx'

const pickerCode = latePart(async () => await import('./cell-picker.tsx'))
export const preloadPicker = pickerCode.preload

/** The editor of one cell, laid over the cell. */
export function CellEditor(props: CellEditorProps): JSX.Element {
  const { kind, link } = props.field
  return kind === 'choice' || (kind === 'link' && link !== undefined) ? (
    <LatePicker {...props} />
  ) : (
    <TextEditor {...props} />
  )
}

/** Loads the picker after the grid's rows. Keys typed before it arrives are passed on to it. */
function LatePicker(props: CellEditorProps): JSX.Element {
  const { part, hasFailed } = useLatePart(pickerCode, true)
  const [typed, setTyped] = useState(props.typed)
  if (part) return <part.CellPicker {...props} typed={typed} />
  if (hasFailed) return <LayerNotLoaded />
  return <KeysMeanwhile onText={(text) => setTyped((props.typed ?? '') + text)} onCancel={props.onCancel} />
}
