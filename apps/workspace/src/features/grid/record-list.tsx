import { ChevronRight, Square, SquareCheck } from 'lucide-react'
import { type JSX, useEffect, useRef } from 'react'
import { ChoiceChip } from '../../components/fields/choice-chip.tsx'
import { RowThumbnails } from '../../components/records/row-thumbnails.tsx'
import { UnreadMark } from '../../components/records/unread-mark.tsx'
import { LateFact } from '../../components/fields/late-fact.tsx'
import { RecordStateMark } from '../../components/state-glyph.tsx'
import { cx } from '../../lib/cx.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import { useLateness } from '../../hooks/use-lateness.ts'
import { formatValue } from '../../lib/fields/format-value.ts'
import { isPlace, stateFieldOf } from './record-words.ts'
import { type RowPhotos, useRowPhotos } from '../../lib/photos/use-row-photos.ts'
import { fileWords } from '../../lib/records/file-words.ts'
import type { RecordMark } from '../../lib/records/record-state.ts'
import { type UnreadComments, useUnreadComments } from '../../lib/records/unread-comments.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import { mentionMessages } from '../../messages/mentions.ts'
import { photoMessages } from '../../messages/photos.ts'
import { LABEL_PREFIX } from './query/grid-query.ts'
import type { WindowsState } from './row-windows-state.ts'
import type { RowWindows } from './row-windows.ts'
import type { GridDress } from './grid-dress.ts'
import type { GridRow } from './window-cache.ts'
import { bandsOf, ITEM_PX, ITEM_TEXT_PX } from './grid-layout.ts'
import { rowsToDraw } from './rows-to-draw.ts'
import { useLongPress } from './use-long-press.ts'
import type { RowChecks } from './use-row-checks.ts'
import { type CheckedRows, useSelected } from './use-view-selection.ts'
import { useGridScroll } from './use-grid-scroll.ts'

const OVERSCAN = 5
/** Limit of facts on the second line. */
const FACTS_MAX = 3

export interface RecordListProps {
  readonly table: TableInfo
  /** The visible fields. */
  readonly fields: readonly Field[]
  readonly all: readonly Field[]
  readonly today: string
  readonly GroupItem: GridDress['GroupItem'] | undefined
  readonly windows: RowWindows | undefined
  readonly state: WindowsState
  readonly marks: ReadonlyMap<string, RecordMark>
  readonly checked: CheckedRows
  readonly checks: RowChecks
  readonly onOpenRecord: (id: string) => void
}

/** The grid's records as a list with two lines each, for narrow windows and for screen reader users who prefer lists. */
export function RecordList({
  table,
  fields,
  all,
  today,
  GroupItem,
  windows,
  state,
  marks,
  checked,
  checks,
  onOpenRecord,
}: RecordListProps): JSX.Element {
  const viewport = useRef<HTMLDivElement>(null)
  const scroll = useGridScroll(viewport, ITEM_PX, 0)
  const count = state.rows ?? 0
  const { first, last } = rowsToDraw(scroll, OVERSCAN, count)
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the visible range depends on the count, too
  useEffect(() => windows?.show(first, Math.max(first, last)), [windows, first, last, count])
  const shape = shapeOf(fields)
  const lateIn = useLateness(all, today)
  const places = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
  const photos = useRowPhotos(table.name, (place) => windows?.row(place)?.id, first, last)
  const unread = useUnreadComments(table.name)
  const checkedRows = useSelected(checked, (rows) => rows)
  return (
    <div ref={viewport} className="min-h-0 flex-1 overflow-auto overscroll-contain">
      <ul
        aria-label={words.listName(table.label)}
        className="row-bands relative"
        style={{ height: count * ITEM_PX, ...bandsOf(ITEM_PX, ITEM_TEXT_PX) }}
      >
        {places.map((place) => {
          const row = windows?.row(place)
          const group = windows?.groupAt(place)
          return (
            <li
              key={row?.id ?? group?.key ?? place}
              aria-setsize={state.count === undefined ? -1 : count}
              aria-posinset={place + 1}
              className={cx('absolute inset-x-0 top-0 border-b border-border/70', row && 'bg-bg')}
              style={{ height: ITEM_PX, transform: `translateY(${place * ITEM_PX}px)` }}
            >
              {group && GroupItem ? (
                <GroupItem {...{ table, group }} onToggle={(key) => windows?.toggleGroup(key)} />
              ) : row === undefined ? null : (
                <Item
                  row={row}
                  shape={shape}
                  late={lateIn(row)}
                  mark={marks.get(row.id)}
                  photos={photos.get(row.id)}
                  unread={unread.get(row.id)}
                  isChecked={checks.isChecking ? checkedRows.has(row.id) : undefined}
                  onCheck={() => checks.toggle(place)}
                  onOpen={() => onOpenRecord(row.id)}
                />
              )}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

interface ListShape {
  readonly title: Field | undefined
  readonly choice: Field | undefined
  readonly facts: readonly Field[]
}

/** Returns the fields of both lines: title and state on the first; links, dates and numbers in field order on the second. */
function shapeOf(fields: readonly Field[]): ListShape {
  const title = fields.find((field) => field.isTitle) ?? fields[0]
  const choice = stateFieldOf(fields)
  // What the owner lets the app compute matters more than texts.
  const rank = ({ kind, computed }: Field): number =>
    computed && kind !== 'date' ? 0.5 : ['date', 'link', 'text', 'number', 'integer', 'datetime'].indexOf(kind)
  const facts = fields
    .filter((field) => field !== title && field !== choice && rank(field) >= 0 && !isPlace(field))
    .toSorted((a, b) => Number(b.use === 'due') - Number(a.use === 'due') || rank(a) - rank(b))
  return { title, choice, facts }
}

function Item({
  row,
  shape,
  late,
  mark,
  photos,
  unread,
  isChecked,
  onCheck,
  onOpen,
}: {
  readonly row: GridRow
  readonly shape: ListShape
  readonly late: string | undefined
  readonly mark: RecordMark | undefined
  readonly photos: RowPhotos | undefined
  readonly unread: UnreadComments | undefined
  /** `undefined`: no record is checked. */
  readonly isChecked: boolean | undefined
  readonly onCheck: () => void
  readonly onOpen: () => void
}): JSX.Element {
  const press = useLongPress(onCheck)
  const files = fileWords(mark)
  const text = (field: Field): string => formatValue(field, row[field.name] ?? null, row[LABEL_PREFIX + field.name])
  const title = shape.title ? text(shape.title) : ''
  const choice = shape.choice ? (row[shape.choice.name] ?? null) : null
  const isNamed = ({ kind, name }: Field): boolean => kind !== 'link' || Boolean(row[LABEL_PREFIX + name])
  const facts = shape.facts
    .filter(isNamed) // an id tells the user nothing
    .map((field) => ({ name: field.name, label: hasLabel(field) ? field.label : undefined, text: text(field) }))
    .filter((fact) => fact.text !== '')
    .slice(0, FACTS_MAX)
  return (
    <button
      type="button"
      {...press.handlers}
      onClick={() => {
        if (press.wasLong()) return
        if (isChecked === undefined) onOpen()
        else onCheck()
      }}
      aria-pressed={isChecked}
      className={cx(
        'focus-inset flex h-full w-full items-center gap-3 px-4 text-left select-none active:bg-pressed',
        isChecked && 'bg-accent-soft',
      )}
    >
      <CheckMark isChecked={isChecked} />
      <span className="flex min-w-0 flex-1 flex-col gap-1">
        <span className="flex items-center gap-2">
          <span className="min-w-0 flex-1 truncate text-[0.9375rem] font-medium">
            {title === '' ? row.id.slice(0, 8) : title}
          </span>
          {unread === undefined ? null : (
            <>
              <span className="sr-only">{mentionMessages.unread(unread.count, unread.mentions)}</span>
              <UnreadMark unread={unread} />
            </>
          )}
          {choice === null || !shape.choice ? null : (
            <ChoiceChip choice={String(choice)} among={shape.choice.choices} words={shape.choice.choiceWords} />
          )}
        </span>
        <span className="flex items-center gap-2 text-small text-muted">
          {mark ? (
            <span className="shrink-0 whitespace-nowrap">
              <RecordStateMark state={mark.state} says={files?.text} percent={files?.percent} hasWord />
            </span>
          ) : null}
          <Facts facts={facts} late={late} />
        </span>
      </span>
      {photos === undefined ? null : <Photos photos={photos} />}
      <ChevronRight size={16} aria-hidden className="text-subtle" />
    </button>
  )
}

/** A person or a place says what it is; a number, a date or a text of an imported table does not. */
function hasLabel({ kind }: Field): boolean {
  return kind !== 'link'
}

function Facts({
  facts,
  late,
}: {
  readonly facts: readonly { readonly name: string; readonly label: string | undefined; readonly text: string }[]
  readonly late: string | undefined
}): JSX.Element {
  return (
    <span className="truncate">
      {facts.map(({ name, label, text }, index) => (
        <span key={name}>
          {index > 0 ? ' · ' : null}
          {label === undefined ? null : <span className="text-subtle">{label} </span>}
          {name === late ? <LateFact text={text} /> : text}
        </span>
      ))}
    </span>
  )
}

function Photos({ photos }: { readonly photos: RowPhotos }): JSX.Element {
  return (
    <>
      <span className="sr-only">{photoMessages.ofRow(photos.count)}</span>
      <RowThumbnails photos={photos} side={44} max={1} />
    </>
  )
}

/** Shown once a record is checked. */
function CheckMark({ isChecked }: { readonly isChecked: boolean | undefined }): JSX.Element | null {
  if (isChecked === undefined) return null
  return isChecked ? (
    <SquareCheck size={20} aria-hidden className="shrink-0 text-accent" />
  ) : (
    <Square size={20} aria-hidden className="shrink-0 text-muted" />
  )
}
