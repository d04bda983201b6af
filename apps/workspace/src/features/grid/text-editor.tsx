import {
  type AriaAttributes,
  type ChangeEvent,
  type JSX,
  type KeyboardEvent,
  type RefObject,
  useEffectEvent,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { cx } from '../../lib/cx.ts'
import { isMergedText } from '../../lib/fields/field.ts'
import { isEditedInLines, isNumeric } from '../../lib/fields/field-kind.ts'
import { useTypedHere } from '../../lib/data/typing.ts'
import { toEditText } from '../../lib/fields/format-value.ts'
import { parseValue } from '../../lib/fields/parse-value.ts'
import type { TextsInConflict } from '../../lib/fields/settle-text.ts'
import { latePart, useLatePart } from '../../lib/late-part.ts'
import { errorMessages } from '../../messages/errors.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import { textMessages } from '../../messages/texts.ts'
import type { AfterEdit, CellEditorProps } from './cell-editor-props.ts'
import type { TypedCell } from './typed-cell.ts'

/** Edits a cell as text; long text in several lines. Invalid text stays in the editor, with the reason below. */
export function TextEditor(props: CellEditorProps): JSX.Element {
  const { field, isNearEnd } = props
  const noteId = useId()
  const { problem, conflict, control, choose, goOn } = useTextEdit(props)
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
  const late = conflictCode.find()
  // The control stays the same even if the last line break is deleted.
  const [isInLines] = useState(() => isEditedInLines(field.kind, control.value))
  return (
    <>
      {conflict && late ? <late.CellConflict {...{ conflict }} onChoose={choose} onClose={goOn} /> : null}
      {isInLines ? (
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
  readonly control: {
    readonly ref: RefObject<(HTMLInputElement & HTMLTextAreaElement) | null>
    readonly value: string
    readonly onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void
    readonly onSelect: () => void
    readonly onKeyDown: (event: KeyboardEvent) => void
    readonly onBlur: () => void
  }
  readonly problem: string | undefined
  /** Set if the same lines of the text were changed elsewhere. */
  readonly conflict: TextsInConflict | undefined
  choose(text: string): void
  goOn(): void
}

/** The conflict dialog, loaded on demand because it is rare. */
const conflictCode = latePart(async () => await import('./cell-conflict.tsx'))

/** State of a text edit. It ends once: by a key, by blur or by the grid. */
function useTextEdit(props: CellEditorProps): TextEdit {
  const { field, value, typed, typing, handle, onCommit, onCancel } = props
  const stored = toEditText(field, value)
  const before = typing.find()
  const [text, setText] = useState(before?.text ?? typed ?? stored)
  /** The text that the user saw at the start, or chose to continue from. */
  const [seen, setSeen] = useState(before?.seen ?? stored)
  const [problem, setProblem] = useState(props.problem)
  const [conflict, setConflict] = useState<TextsInConflict>()
  const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const isDone = useRef(false)
  const merging = useLatePart(conflictCode, isMergedText(field) && stored !== seen)

  useCaret(input, typed, before?.caret)

  const finish = (after: AfterEdit, written = text, base = seen): boolean => {
    if (isDone.current) return true
    if (conflict && written === text) return false
    let next = written
    if (isMergedText(field) && written !== base && stored !== base && written !== stored) {
      const settled = merging.part?.settleText(base, written, stored, field.kind === 'long_text')
      if (settled?.kind !== 'text') {
        if (settled) setConflict(settled.conflict)
        else setProblem(merging.hasFailed ? errorMessages.partNotLoaded : textMessages.changedMeanwhile)
        return false
      }
      next = settled.text
    }
    const parsed = written === base ? ({ isValid: true, value } as const) : parseValue(field, next)
    if (!parsed.isValid) {
      setProblem(parsed.message)
      return false
    }
    isDone.current = true
    onCommit(parsed.value, after)
    return true
  }
  useImperativeHandle(handle, () => ({ finish: () => finish('stay') }))
  useTypedHere(text !== seen, () => void finish('stay'))
  const keep = (next: string): void => {
    const { selectionStart, selectionEnd } = input.current ?? { selectionStart: null, selectionEnd: null }
    typing.keep({ text: next, seen, caret: [selectionStart ?? next.length, selectionEnd ?? next.length] })
  }
  return {
    problem,
    conflict,
    choose(chosen) {
      if (!conflict) return
      setConflict(undefined)
      setText(chosen)
      setSeen(conflict.theirs)
      finish('stay', chosen, conflict.theirs)
    },
    goOn: () => setConflict(undefined),
    control: {
      ref: input,
      value: text,
      onChange(event) {
        setText(event.target.value)
        setProblem(undefined)
        keep(event.target.value)
      },
      onSelect() {
        if (text !== seen) keep(text)
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
    },
  }
}

/** Places the caret when the editor mounts, and restores its position on a remount. */
function useCaret(
  input: RefObject<HTMLInputElement | null>,
  typed: string | undefined,
  caret: TypedCell['caret'] | undefined,
): void {
  const start = useEffectEvent(() => {
    input.current?.focus({ preventScroll: true })
    if (caret) input.current?.setSelectionRange(...caret)
    else if (typed === undefined) input.current?.select()
    // Browsers differ in where focus puts the caret.
    else input.current?.setSelectionRange(typed.length, typed.length)
  })
  useLayoutEffect(() => start(), [])
}

/** Enter moves down, Shift+Enter up, Tab right, Shift+Tab left. Alt+Enter inserts a line break. */
function afterKey({ key, shiftKey, altKey }: KeyboardEvent): AfterEdit | undefined {
  if (key === 'Enter' && !altKey) return shiftKey ? 'up' : 'down'
  if (key === 'Tab') return shiftKey ? 'left' : 'right'
  return undefined
}
