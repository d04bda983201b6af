import {
  type AriaAttributes,
  type ChangeEvent,
  type JSX,
  type KeyboardEvent,
  type RefObject,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { cx } from '../../lib/cx.ts'
import { isNumeric } from '../../lib/fields/field-kind.ts'
import { toEditText } from '../../lib/fields/format-value.ts'
import { parseValue } from '../../lib/fields/parse-value.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import type { AfterEdit, CellEditorProps } from './cell-editor-props.ts'

/** A cell as text; a long one in several lines. What cannot be taken stays, with the reason below it. */
export function TextEditor(props: CellEditorProps): JSX.Element {
  const { field, isNearEnd } = props
  const noteId = useId()
  const { problem, ...control } = useTextEdit(props)
  const looks = cx(
    'absolute top-0 min-h-full w-full min-w-48 rounded-sm border-2 border-focus bg-bg px-1.5 text-grid text-text shadow-popover outline-none',
    isNumeric(field.kind) ? 'right-0 text-right tabular-nums' : 'left-0',
    problem !== undefined && 'border-danger',
  )
  const labels: AriaAttributes = {
    'aria-label': words.editing(field.label),
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined ? undefined : noteId,
  }
  return (
    <>
      {field.kind === 'long_text' || field.kind === 'json' ? (
        <textarea
          {...control}
          {...labels}
          rows={5}
          className={cx(looks, 'w-80 resize-none py-1.5 whitespace-pre-wrap')}
        />
      ) : (
        <input
          {...control}
          {...labels}
          type="text"
          inputMode={isNumeric(field.kind) ? 'decimal' : field.kind === 'email' ? 'email' : 'text'}
          autoComplete="off"
          className={looks}
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

interface TextEdit {
  readonly ref: RefObject<(HTMLInputElement & HTMLTextAreaElement) | null>
  readonly value: string
  readonly onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onBlur: () => void
  readonly problem: string | undefined
}

/** The edit of a text: it ends once, with a key, by leaving it or by the grid. */
function useTextEdit({ field, value, typed, handle, onCommit, onCancel, ...given }: CellEditorProps): TextEdit {
  const initial = toEditText(field, value)
  const [text, setText] = useState(typed ?? initial)
  const [problem, setProblem] = useState(given.problem)
  const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const isDone = useRef(false)

  // The caret belongs in the editor as soon as it is there.
  useLayoutEffect(() => {
    input.current?.focus({ preventScroll: true })
    if (typed === undefined) input.current?.select()
  }, [typed])

  const finish = (after: AfterEdit): boolean => {
    if (isDone.current) return true
    const parsed = text === initial ? ({ isValid: true, value } as const) : parseValue(field, text)
    if (!parsed.isValid) {
      setProblem(parsed.message)
      return false
    }
    isDone.current = true
    onCommit(parsed.value, after)
    return true
  }
  useImperativeHandle(handle, () => ({ finish: () => finish('stay') }))

  return {
    ref: input,
    value: text,
    problem,
    onChange(event) {
      setText(event.target.value)
      setProblem(undefined)
    },
    onKeyDown(event) {
      event.stopPropagation()
      if (event.nativeEvent.isComposing) return
      const after = afterKey(event)
      if (event.key !== 'Escape' && !after) return
      event.preventDefault()
      if (after) {
        finish(after)
      } else {
        isDone.current = true
        onCancel()
      }
    },
    onBlur: () => finish('stay'),
  }
}

/** Enter goes down, with Shift up; Tab right, with Shift left. Alt+Enter is a new line. */
function afterKey({ key, shiftKey, altKey }: KeyboardEvent): AfterEdit | undefined {
  if (key === 'Enter' && !altKey) return shiftKey ? 'up' : 'down'
  if (key === 'Tab') return shiftKey ? 'left' : 'right'
  return undefined
}
