import { type JSX, memo, type ReactNode } from 'react'
import { FieldValueView } from '../../components/fields/field-value.tsx'
import { RowThumbnails } from '../../components/records/row-thumbnails.tsx'
import { UnreadMark } from '../../components/records/unread-mark.tsx'
import { StateGlyph } from '../../components/state-glyph.tsx'
import { cx } from '../../lib/cx.ts'
import { isAlignedRight, isTextual } from '../../lib/fields/field-kind.ts'
import { formatValue } from '../../lib/fields/format-value.ts'
import type { RowPhotos } from '../../lib/photos/use-row-photos.ts'
import type { RecordMark, RecordState } from '../../lib/records/record-state.ts'
import type { UnreadComments } from '../../lib/records/unread-comments.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import { mentionMessages } from '../../messages/mentions.ts'
import { photoMessages } from '../../messages/photos.ts'
import type { ToneLooks } from './grid-dress.ts'
import { GUTTER_PX, type GridColumn } from './grid-layout.ts'
import { LABEL_PREFIX } from './query/grid-query.ts'
import type { GridRow } from './window-cache.ts'
import { stateMessages } from '../../messages/states.ts'

export interface GridCellProps {
  readonly column: GridColumn
  readonly place: number
  readonly row: GridRow | undefined
  readonly mark: RecordMark | undefined
  readonly photos: RowPhotos | undefined
  readonly unread: UnreadComments | undefined
  /** How a colour rule marks the value, and the record. */
  readonly tone: ToneLooks | undefined
  readonly rowTone: ToneLooks | undefined
  /** The row has room for several lines. */
  readonly isTall: boolean
  readonly thumbnailSide: number
  readonly isSticky: boolean
  /** The date has passed. */
  readonly isLate: boolean
  readonly isOpen: boolean
  readonly isActive: boolean
  readonly isSelected: boolean
  /** The last selected cell: dragging its corner fills the cells below. */
  readonly hasHandle: boolean
  /** Replaces the value during an edit. */
  readonly editor: ReactNode
  /** Policies keep this user from changing it. */
  readonly isRefused: boolean
}

const CELL = 'flex border-r border-b border-border/70 px-2 text-grid whitespace-nowrap'

/** One value of a row, with its marks. Re-renders only when its props change. */
export const GridCell = memo(function GridCell(props: GridCellProps): JSX.Element {
  const {
    place,
    rowTone,
    tone = rowTone,
    isTall,
    isSticky,
    isLate,
    isOpen,
    isActive,
    isSelected,
    isRefused,
    editor,
  } = props
  const { field, left, width } = props.column
  const isChanged = stateOf(props) !== 'clean'
  return (
    <div
      role="gridcell"
      aria-colindex={place + 2}
      aria-label={nameOf(props)}
      aria-selected={isSelected}
      aria-readonly={!field.isEditable || isRefused}
      data-column={place}
      // All cells stay focusable: removing tabindex from the focused cell would blur it.
      tabIndex={isActive ? 0 : -1}
      data-active={isActive || undefined}
      className={cx(
        CELL,
        isTall ? 'items-start py-2' : 'items-center',
        isSticky ? 'sticky z-[2] h-full shrink-0' : 'absolute inset-y-0',
        isSelected
          ? 'bg-selection'
          : isOpen
            ? 'bg-accent-soft'
            : tone
              ? tone.fill
              : isSticky
                ? 'bg-bg group-hover/row:bg-surface'
                : 'group-hover/row:bg-surface',
        isAlignedRight(field.kind) && 'justify-end tabular-nums',
        place === 0 && 'font-[490]',
        isActive && 'z-[1] shadow-none outline-2 -outline-offset-2 outline-focus',
        (isLate || props.tone || props.unread) && 'gap-1',
        isLate ? 'text-danger' : !field.isEditable && !isSelected && 'text-muted',
      )}
      style={{ left: GUTTER_PX + left, width }}
    >
      <Content {...props} />
      {isChanged ? (
        <span
          aria-hidden
          className="absolute top-0 right-0 border-4 border-transparent border-t-warning border-r-warning"
        />
      ) : null}
      {props.hasHandle ? (
        <span
          data-fill
          title={words.fillHandle}
          className="absolute right-0 bottom-0 z-[2] size-2 cursor-crosshair touch-none border border-bg bg-focus"
        />
      ) : null}
      {editor}
    </div>
  )
})

function Content({
  column: { field },
  row,
  photos,
  unread,
  thumbnailSide,
  isLate,
  isTall,
  tone,
}: GridCellProps): JSX.Element {
  if (row === undefined) return <span className="h-2.5 w-3/5 rounded-sm bg-border/45" />
  return (
    <>
      {tone?.glyph}
      {isLate ? <StateGlyph name="clock" size={13} /> : null}
      {isTall && isTextual(field.kind) ? (
        <span className="line-clamp-4 break-words whitespace-pre-line">{row[field.name]}</span>
      ) : (
        <FieldValueView field={field} value={row[field.name] ?? null} label={row[LABEL_PREFIX + field.name]} />
      )}
      {unread === undefined ? null : <UnreadMark unread={unread} />}
      {photos === undefined ? null : <RowThumbnails photos={photos} side={thumbnailSide} />}
    </>
  )
}

/** Returns the accessible name of the cell. */
function nameOf(props: GridCellProps): string {
  const { row, photos, unread, isLate, tone } = props
  const { field } = props.column
  const text = formatValue(field, row?.[field.name] ?? null, row?.[LABEL_PREFIX + field.name])
  const state = stateOf(props)
  return [
    words.cell(field.label, text === '' ? words.emptyCell : text),
    ...(isLate ? [words.late] : []),
    ...(tone ? [tone.word] : []),
    ...(photos === undefined ? [] : [photoMessages.ofRow(photos.count)]),
    ...(unread === undefined ? [] : [mentionMessages.unread(unread.count, unread.mentions)]),
    ...(state === 'clean' ? [] : [words.changedCell, stateMessages[state]]),
  ].join(', ')
}

function stateOf({ mark, column: { field } }: GridCellProps): RecordState {
  return mark?.fields.get(field.name) ?? 'clean'
}
