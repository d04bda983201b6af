import { PanelRightOpen } from 'lucide-react'
import { type JSX, memo, type ReactNode } from 'react'
import { RecordStateMark } from '../../components/state-glyph.tsx'
import { cx } from '../../lib/cx.ts'
import type { RowPhotos } from '../../lib/photos/use-row-photos.ts'
import { fileWords } from '../../lib/records/file-words.ts'
import type { RecordMark } from '../../lib/records/record-state.ts'
import type { UnreadComments } from '../../lib/records/unread-comments.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import type { GridDress, ToneLooks } from './grid-dress.ts'
import { GridCell } from './grid-cell.tsx'
import { GUTTER_PX, type GridColumn } from './grid-layout.ts'
import type { GridRow } from './window-cache.ts'

/** Combined margin above and below a thumbnail. */
const THUMBNAIL_MARGIN_PX = 8

export interface GridRowProps {
  readonly dress: GridDress | undefined
  /** Row index in the view, from 0. */
  readonly index: number
  /** Record number in the view, from 1. */
  readonly number: number
  /** Number of group levels above it. */
  readonly level: number
  readonly row: GridRow | undefined
  readonly columns: readonly GridColumn[]
  /** Indexes of the columns to render. */
  readonly drawn: readonly number[]
  readonly height: number
  readonly width: number
  readonly mark: RecordMark | undefined
  readonly photos: RowPhotos | undefined
  readonly unread: UnreadComments | undefined
  readonly title: string
  /** The field whose date has passed. */
  readonly late: string | undefined
  readonly isChecked: boolean
  /** Some records are checked. */
  readonly isChecking: boolean
  /** Its record is open in the panel. */
  readonly isOpen: boolean
  /** Number of columns frozen at the left. */
  readonly frozen: number
  /** -1 if the active cell is in another row. */
  readonly activeColumn: number
  /** First and last selected column; -1 if none is selected. */
  readonly firstSelected: number
  readonly lastSelected: number
  /** Column of the fill handle; -1 if it is in another row. */
  readonly handleColumn: number
  /** Replaces the active cell's value. */
  readonly editor: ReactNode
  /** Fields of the active row that policies keep this user from changing. */
  readonly refused: ReadonlyMap<string, unknown> | undefined
}

/** One row of the grid. Re-renders only when its props change. */
export const GridRowView = memo(function GridRowView(props: GridRowProps): JSX.Element {
  const { index, row, columns, drawn, height, width, mark, isOpen, activeColumn } = props
  const isEdited = props.editor !== undefined
  const { dress } = props
  const tone = row && dress?.toneOf(row, undefined)
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-level={props.level === 0 ? undefined : props.level + 1}
      aria-selected={props.isChecked}
      aria-current={isOpen || undefined}
      data-row={index}
      className={cx(
        'group/row absolute top-0 left-0 flex bg-bg',
        isEdited ? 'z-[25]' : activeColumn >= 0 ? 'z-[1]' : null,
      )}
      style={{ height, width: width + GUTTER_PX, transform: `translateY(${index * height}px)` }}
    >
      <Gutter {...props} tone={tone} />
      {drawn.map((place) => {
        const column = columns[place]
        return column === undefined ? null : (
          <GridCell
            key={column.field.name}
            column={column}
            place={place}
            row={row}
            mark={mark}
            photos={place === 0 ? props.photos : undefined}
            unread={place === 0 ? props.unread : undefined}
            tone={row && dress?.toneOf(row, column.field.name)}
            rowTone={tone}
            isTall={dress?.isTall === true}
            thumbnailSide={height - THUMBNAIL_MARGIN_PX}
            isSticky={place < props.frozen}
            isLate={column.field.name === props.late}
            isOpen={isOpen || props.isChecked}
            isActive={place === activeColumn}
            isSelected={place >= props.firstSelected && place <= props.lastSelected}
            hasHandle={place === props.handleColumn}
            editor={place === activeColumn ? props.editor : undefined}
            isRefused={props.refused?.has(column.field.name) ?? false}
          />
        )
      })}
    </div>
  )
})

function Gutter({
  number,
  index,
  row,
  mark,
  title,
  isChecked,
  isChecking,
  isOpen,
  activeColumn,
  dress,
  tone,
}: GridRowProps & { readonly tone: ToneLooks | undefined }): JSX.Element {
  const files = fileWords(mark)
  const isInUse = activeColumn >= 0 || isOpen
  return (
    <div
      role="gridcell"
      aria-colindex={1}
      className={cx(
        'sticky left-0 z-[3] flex shrink-0 justify-between border-r border-b border-border/70 pr-1 pl-2',
        dress?.isTall ? 'items-start py-1.5' : 'items-center',
        isOpen || isChecked ? 'bg-accent-soft' : tone ? tone.fill : 'bg-bg group-hover/row:bg-surface',
      )}
      style={{ width: GUTTER_PX }}
    >
      {row === undefined ? null : (
        <input
          type="checkbox"
          tabIndex={-1}
          data-check={index}
          aria-label={words.check(title)}
          checked={isChecked}
          readOnly
          className={cx(
            'mr-1.5 size-4 shrink-0 accent-accent',
            !isChecked && !isChecking && 'opacity-0 group-hover/row:opacity-100 coarse:opacity-100',
          )}
        />
      )}
      {tone?.labelled}
      <RecordStateMark state={mark?.state ?? 'clean'} says={files?.text} percent={files?.percent} />
      {row === undefined ? null : (
        <button
          type="button"
          tabIndex={-1}
          data-open={row.id}
          data-number={number}
          aria-label={words.openRecord(title)}
          className={cx(
            'ml-auto inline-flex h-6 min-w-6 items-center justify-end rounded-sm px-1 text-muted tabular-nums hover:bg-hover hover:text-text',
            // Shows the number, or on hover the action. Generated content is not page text; the row announces its own position.
            !isInUse && 'before:text-small before:content-[attr(data-number)] group-hover/row:before:content-none',
          )}
        >
          <PanelRightOpen size={15} aria-hidden className={isInUse ? '' : 'hidden group-hover/row:block'} />
        </button>
      )}
    </div>
  )
}
