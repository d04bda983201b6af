import { type JSX, type KeyboardEvent, useId, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import { cx } from '../../lib/cx.ts'
import { isNumeric } from '../../lib/fields/field-kind.ts'
import { toEditText } from '../../lib/fields/format-value.ts'
import { parseValue } from '../../lib/fields/parse-value.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import type { AfterEdit, CellEditorProps } from './cell-editor-props.ts'
import { CellPicker } from './cell-picker.tsx'

/** The editor of one cell, over the cell. */
export function CellEditor(props: CellEditorProps): JSX.Element {
  const { kind, link } = props.field
  return kind === 'choice' || (kind === 'link' && link !== undefined) ? (
    <CellPicker {...props} />
  ) : (
    <TextEditor {...props} />
  )
}

function TextEditor({ field, value, typed, isNearEnd, handle, onCommit, onCancel }: CellEditorProps): JSX.Element {
  const initial = toEditText(field, value)
  const [text, setText] = useState(typed ?? initial)
  const [problem, setProblem] = useState<string>()
  const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const noteId = useId()
  const isDone = useRef(false)

  // The caret belongs in the editor as soon as it is there.
  useLayoutEffect(() => {
    input.current?.focus({ preventScroll: true })
    if (typed === undefined) input.current?.select()
  }, [typed])

  const finish = (after: AfterEdit): boolean => {
    if (isDone.current) return true
    if (text === initial) {
      isDone.current = true
      onCommit(value, after)
      return true
    }
    const parsed = parseValue(field, text)
    if (!parsed.isValid) {
      setProblem(parsed.message)
      return false
    }
    isDone.current = true
    onCommit(parsed.value, after)
    return true
  }
  useImperativeHandle(handle, () => ({ finish: () => finish('stay') }))

  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation()
    if (event.nativeEvent.isComposing) return
    const after = afterKey(event)
    if (event.key === 'Escape') {
      event.preventDefault()
      isDone.current = true
      onCancel()
    } else if (after) {
      event.preventDefault()
      finish(after)
    }
  }

  const looks = cx(
    'absolute top-0 min-h-full w-full min-w-48 rounded-sm border-2 border-focus bg-bg px-1.5 text-grid text-text shadow-popover outline-none',
    isNumeric(field.kind) ? 'right-0 text-right tabular-nums' : 'left-0',
    problem !== undefined && 'border-danger',
  )
  const shared = {
    ref: input,
    value: text,
    'aria-label': words.editing(field.label),
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined ? undefined : noteId,
    onKeyDown,
    onBlur: () => finish('stay'),
  }
  return (
    <>
      {field.kind === 'long_text' || field.kind === 'json' ? (
        <textarea
          {...shared}
          rows={5}
          className={cx(looks, 'w-80 resize-none py-1.5 whitespace-pre-wrap')}
          onChange={(event) => {
            setText(event.target.value)
            setProblem(undefined)
          }}
        />
      ) : (
        <input
          {...shared}
          type="text"
          inputMode={isNumeric(field.kind) ? 'decimal' : field.kind === 'email' ? 'email' : 'text'}
          autoComplete="off"
          className={looks}
          onChange={(event) => {
            setText(event.target.value)
            setProblem(undefined)
          }}
        />
      )}
      {problem === undefined ? null : (
        <p
          id={noteId}
          role="alert"
          className={cx(
            'absolute z-10 w-64 rounded-md border border-danger bg-danger-soft px-2 py-1.5 text-small whitespace-normal text-danger shadow-popover',
            isNumeric(field.kind) ? 'right-0' : 'left-0',
            isNearEnd ? 'bottom-full mb-1' : 'top-full mt-1',
          )}
        >
          {problem}
        </p>
      )}
    </>
  )
}

/** Enter goes down, with Shift up; Tab right, with Shift left. Alt+Enter is a new line. */
function afterKey({ key, shiftKey, altKey }: KeyboardEvent): AfterEdit | undefined {
  if (key === 'Enter' && !altKey) return shiftKey ? 'up' : 'down'
  if (key === 'Tab') return shiftKey ? 'left' : 'right'
  return undefined
}
