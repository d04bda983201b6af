import { type JSX, type Ref, useEffect, useEffectEvent, useImperativeHandle, useRef } from 'react'
import type { SQLNamespace } from '@codemirror/lang-sql'
import { createSqlEditor, type SqlEditorView } from './editor-view.ts'

/** What the screen asks of the editor. */
export interface SqlEditorHandle {
  readonly select: (position: number) => void
  /** The selected text; `undefined` if nothing is selected. */
  readonly selected: () => string | undefined
}

/** The editor of one tab. A new key mounts a new one. */
export function SqlEditor({
  text,
  names,
  onChange,
  onRun,
  ref,
}: {
  readonly text: string
  readonly names: SQLNamespace | undefined
  readonly onChange: (text: string) => void
  readonly onRun: (selected: string | undefined) => void
  readonly ref: Ref<SqlEditorHandle>
}): JSX.Element {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<SqlEditorView>(null)
  const changed = useEffectEvent(onChange)
  const run = useEffectEvent(onRun)
  const firstText = useEffectEvent(() => text)
  // The editor keeps its own state outside React.
  useEffect(() => {
    const place = host.current
    if (!place) return undefined
    const shadow = place.shadowRoot ?? place.attachShadow({ mode: 'open' })
    const created = createSqlEditor({
      parent: shadow,
      text: firstText(),
      label: 'SQL',
      onChange: (value) => changed(value),
      onRun: (selected) => run(selected),
    })
    editor.current = created
    return () => {
      editor.current = null
      created.destroy()
    }
  }, [])
  useEffect(() => {
    if (names) editor.current?.setNames(names)
  }, [names])
  useImperativeHandle(
    ref,
    () => ({ select: (position) => editor.current?.select(position), selected: () => editor.current?.selected() }),
    [],
  )
  return (
    <div
      ref={host}
      className="h-full min-h-40 overflow-hidden rounded-md border border-control focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-focus *:h-full"
    />
  )
}
