import { useSchema } from '@holdfast/react'
import { ArrowDown, ArrowUp, GripVertical, Plus } from 'lucide-react'
import { type JSX, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { Select } from '../../../components/select.tsx'
import { TextField } from '../../../components/text-field.tsx'
import { useDragOrder } from '../../../hooks/use-drag-order.ts'
import { useOneAtATime } from '../../../hooks/use-one-at-a-time.ts'
import { cx } from '../../../lib/cx.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'
import type { Field } from '../../../lib/fields/field.ts'
import type { RecordWriter } from '../../../lib/records/create-record-writer.ts'
import { arrangeMessages as words } from '../../../messages/arrange.ts'
import { commonMessages } from '../../../messages/common.ts'
import { recordMessages } from '../../../messages/record.ts'
import { type FieldLayout, headingOf } from '../../../lib/data/arrange-fields.ts'
import { useArrangedFor } from './use-may-arrange.ts'
import { addSection, changesFor, moveOver, moveTo, type Part, partsOf, step } from './arrangement.ts'

const TITLE_MAX = 60

/** Arranges the fields of a table's record page for everyone. Nothing is written until the user saves. */
export function ArrangeDialog({
  table,
  fields,
  writer,
  onClose,
}: {
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly writer: RecordWriter
  readonly onClose: () => void
}): JSX.Element {
  const { parts, before, said, list, labelOf, setParts, move, stepBy, dragged, onGrab } = useParts(table, fields)
  const titleOf = (part: Part): string => titleIn(table.layout, part)
  const whom = useArrangedFor(table)
  // A second press would create every row of the arrangement twice.
  const alone = useOneAtATime<void>()
  const save = async (): Promise<void> => {
    const changes = changesFor(table, parts, before, fields, whom?.workspace)
    if (changes.length === 0 || (await writer.write({ label: words.arrangement(table.label), changes }))) onClose()
  }
  return (
    <Dialog
      title={words.title(table.label)}
      isOpen
      onClose={onClose}
      size="md"
      actions={
        <>
          <Button onPress={onClose}>{commonMessages.cancel}</Button>
          <Button tone="primary" onPress={() => void alone(save)}>
            {words.save}
          </Button>
        </>
      }
    >
      <p className="pb-3 text-small text-muted">{words.lead}</p>
      <p role="status" className="sr-only">
        {said}
      </p>
      <div ref={list} className={cx('flex flex-col gap-4', dragged !== undefined && 'select-none')}>
        {parts.map((part, index) => (
          <section key={`${part.place} ${part.title ?? ''}`} aria-label={titleOf(part)}>
            <h3 className="border-b border-border pb-1 text-small font-medium text-muted">{titleOf(part)}</h3>
            {part.fields.length === 0 ? (
              <p data-drag={`${EMPTY_PART}${index}`} className="pt-1.5 text-small text-subtle">
                {words.empty}
              </p>
            ) : null}
            <ul>
              {part.fields.map((field, place) => (
                <ArrangedField
                  key={field}
                  field={field}
                  label={labelOf(field)}
                  titles={parts.map(titleOf)}
                  part={index}
                  isFirst={index === 0 && place === 0}
                  isLast={index === parts.length - 1 && place === part.fields.length - 1}
                  isDragged={dragged === field}
                  onGrab={(event) => onGrab(event, field)}
                  onStep={(by) => stepBy(field, by)}
                  onMove={(to) => move(field, to)}
                />
              ))}
            </ul>
          </section>
        ))}
      </div>
      <NewSection onAdd={(title) => setParts(addSection(parts, title))} />
    </Dialog>
  )
}

/** Before the index of a part without fields, in place of one. No column has such a name. */
const EMPTY_PART = ' part '

interface Parts {
  readonly parts: readonly Part[]
  /** The parts when the dialog opened. */
  readonly before: readonly Part[]
  /** Screen reader announcement of the last move. */
  readonly said: string
  readonly list: RefObject<HTMLDivElement | null>
  readonly labelOf: (field: string) => string
  readonly setParts: (parts: readonly Part[]) => void
  readonly move: (field: string, to: number) => void
  readonly stepBy: (field: string, by: -1 | 1) => void
  readonly dragged: string | undefined
  readonly onGrab: (event: PointerEvent, field: string) => void
}

function useParts(table: TableInfo, fields: readonly Field[]): Parts {
  const schema = useSchema()
  const [before] = useState(() => partsOf(fields, schema, table.layout))
  const [parts, setParts] = useState(before)
  const [said, setSaid] = useState('')
  const list = useRef<HTMLDivElement>(null)
  const [moved, setMoved] = useState<{ readonly field: string; readonly by: -1 | 1 }>()
  const labelOf = (name: string): string => fields.find((field) => field.name === name)?.label ?? name
  const put = (next: readonly Part[], field: string): void => {
    setParts(next)
    const part = next.find((one) => one.fields.includes(field))
    if (part) {
      setSaid(
        words.movedTo(labelOf(field), titleIn(table.layout, part), part.fields.indexOf(field) + 1, part.fields.length),
      )
    }
  }
  const drag = useDragOrder(list, (field, over, isBelow) =>
    put(
      over.startsWith(EMPTY_PART)
        ? moveTo(parts, field, Number(over.slice(EMPTY_PART.length)))
        : moveOver(parts, field, over, isBelow),
      field,
    ),
  )
  // A button that moves in the document loses the focus.
  useEffect(() => {
    if (!moved) return
    const { field, by } = moved
    const buttons = list.current?.querySelectorAll<HTMLButtonElement>(
      `[data-arranged="${CSS.escape(field)}"] [data-step] button`,
    )
    const [up, down] = [...(buttons ?? [])]
    const button = by === -1 ? up : down
    ;(button?.disabled ? (button === up ? down : up) : button)?.focus()
  }, [moved])
  return {
    parts,
    before,
    said,
    list,
    labelOf,
    setParts,
    ...drag,
    move: (field, to) => put(moveTo(parts, field, to), field),
    stepBy: (field, by) => {
      setMoved({ field, by })
      put(step(parts, field, by), field)
    },
  }
}

function titleIn(layout: FieldLayout | undefined, { place, title }: Part): string {
  if (title !== undefined) return layout ? headingOf(layout, title) : title
  return {
    main: words.main,
    beside: recordMessages.whoAndWhen,
    bottom: recordMessages.system,
    hidden: words.hidden,
  }[place]
}

function ArrangedField({
  field,
  label,
  titles,
  part,
  isFirst,
  isLast,
  isDragged,
  onGrab,
  onStep,
  onMove,
}: {
  readonly field: string
  readonly label: string
  /** Titles of all parts. */
  readonly titles: readonly string[]
  /** Index of the part with the field. */
  readonly part: number
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly isDragged: boolean
  readonly onGrab: (event: PointerEvent) => void
  readonly onStep: (by: -1 | 1) => void
  readonly onMove: (to: number) => void
}): JSX.Element {
  return (
    <li
      data-arranged={field}
      data-drag={field}
      className={cx('flex items-center gap-1 py-1', isDragged && 'opacity-60')}
    >
      {/* The buttons at the end do the same by key. */}
      <span
        aria-hidden
        className="flex h-8 w-6 shrink-0 cursor-grab touch-none items-center justify-center rounded-sm text-subtle hover:bg-hover coarse:h-11 coarse:w-9"
        onPointerDown={onGrab}
      >
        <GripVertical size={16} />
      </span>
      <span className="min-w-0 flex-1 truncate text-body">{label}</span>
      <Select
        label={words.partOf(label)}
        isLabelHidden
        className="w-36 shrink-0 tablet:w-48"
        value={String(part)}
        options={titles.map((title, index) => ({ value: String(index), label: title }))}
        onChange={(to) => onMove(Number(to))}
      />
      <span data-step className="flex shrink-0">
        <IconButton
          label={words.up(label)}
          size="sm"
          icon={<ArrowUp size={16} aria-hidden />}
          isDisabled={isFirst}
          onPress={() => onStep(-1)}
        />
        <IconButton
          label={words.down(label)}
          size="sm"
          icon={<ArrowDown size={16} aria-hidden />}
          isDisabled={isLast}
          onPress={() => onStep(1)}
        />
      </span>
    </li>
  )
}

function NewSection({ onAdd }: { readonly onAdd: (title: string) => void }): JSX.Element {
  const [title, setTitle] = useState('')
  const add = (): void => {
    onAdd(title.trim())
    setTitle('')
  }
  return (
    <div className="flex items-end gap-2 pt-4">
      <TextField
        label={words.newSection}
        value={title}
        onChange={setTitle}
        maxLength={TITLE_MAX}
        className="min-w-0 flex-1"
        onKeyDown={(event) => {
          if (event.key === 'Enter') add()
        }}
      />
      <Button onPress={add} isDisabled={title.trim() === ''}>
        <Plus size={16} aria-hidden /> {words.addSection}
      </Button>
    </div>
  )
}
