import { GripVertical } from 'lucide-react'
import { type JSX, useEffect, useRef, useState } from 'react'
import { useDragOrder } from '../../hooks/use-drag-order.ts'
import { cx } from '../../lib/cx.ts'
import { builderMessages as words } from '../../messages/checklist-builder.ts'
import { type ChecklistDraft, moveEntry, questionsIn, stepEntry } from './builder-draft.ts'
import { QuestionCard, SectionCard } from './entry-card.tsx'
import { type EntryListProps, nameOf } from './entry-props.ts'

/** The sections and questions in order. Handles move them: by pointer, touch, or the arrow keys. */
export function EntryList(props: EntryListProps): JSX.Element {
  const { draft, onChange } = props
  const list = useRef<HTMLOListElement>(null)
  const [said, setSaid] = useState('')
  const [moved, setMoved] = useState<{ readonly id: string }>()
  const put = (next: ChecklistDraft, id: string): void => {
    if (next === draft) return
    onChange(next)
    const at = next.entries.findIndex((entry) => entry.id === id)
    const entry = next.entries[at]
    if (entry) setSaid(words.moved(nameOf(entry), at + 1, next.entries.length))
  }
  const step = (id: string, by: -1 | 1): void => {
    put(stepEntry(draft, id, by), id)
    setMoved({ id })
  }
  // A handle that moves in the document loses the focus.
  useEffect(() => {
    if (moved) list.current?.querySelector<HTMLElement>(`[data-handle="${CSS.escape(moved.id)}"]`)?.focus()
  }, [moved])
  const { dragged, onGrab } = useDragOrder(list, (id, over) => put(moveEntry(draft, id, over), id))
  const numbers = new Map(questionsIn(draft).map(({ question }, at) => [question.id, at + 1]))
  return (
    <>
      <p role="status" className="sr-only">
        {said}
      </p>
      <p className="sr-only" id="drag-help">
        {words.dragHelp}
      </p>
      <ol ref={list} className="flex flex-col gap-2">
        {draft.entries.map((entry) => {
          const handle = (
            <button
              type="button"
              data-handle={entry.id}
              aria-label={words.drag(nameOf(entry))}
              aria-describedby="drag-help"
              className="flex h-9 w-6 shrink-0 cursor-grab touch-none items-center justify-center rounded-sm text-subtle hover:bg-hover coarse:h-11 coarse:w-9"
              onPointerDown={(event) => onGrab(event, entry.id)}
              onKeyDown={(event) => {
                if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
                event.preventDefault()
                step(entry.id, event.key === 'ArrowUp' ? -1 : 1)
              }}
            >
              <GripVertical size={16} aria-hidden />
            </button>
          )
          return (
            <li
              key={entry.id}
              data-drag={entry.id}
              className={cx(entry.type === 'section' && 'pt-3', dragged === entry.id && 'opacity-60')}
            >
              {entry.type === 'section' ? (
                <SectionCard {...props} {...{ entry, handle }} onStep={(by) => step(entry.id, by)} />
              ) : (
                <QuestionCard
                  {...props}
                  {...{ entry, handle }}
                  number={numbers.get(entry.id) ?? 0}
                  onStep={(by) => step(entry.id, by)}
                />
              )}
            </li>
          )
        })}
      </ol>
    </>
  )
}
