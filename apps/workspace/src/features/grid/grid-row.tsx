import { PanelRightOpen } from 'lucide-react'
import { type JSX, memo, type ReactNode } from 'react'
import { FieldValueView } from '../../components/fields/field-value.tsx'
import { RECORD_STATES, RecordStateMark } from '../../components/state-glyph.tsx'
import { RowThumbnails } from '../../components/records/row-thumbnails.tsx'
import { cx } from '../../lib/cx.ts'
import { isNumeric } from '../../lib/fields/field-kind.ts'
import { formatValue } from '../../lib/fields/format-value.ts'
import type { RowPhotos } from '../../lib/photos/use-row-photos.ts'
import { fileWords } from '../../lib/records/file-words.ts'
import type { RecordMark } from '../../lib/records/record-state.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import { photoMessages } from '../../messages/photos.ts'
import { GUTTER_PX, type GridColumn } from './grid-layout.ts'
import { LABEL_PREFIX } from './query/grid-query.ts'
import type { GridRow } from './window-cache.ts'

/** Between the line above a picture and the line below it. */
const THUMBNAIL_MARGIN_PX = 8

export interface GridRowProps {
  /** Place in the view, from 0. */
  readonly index: number
  readonly row: GridRow | undefined
  readonly columns: readonly GridColumn[]
  /** The columns to draw, by their place. */
  readonly drawn: readonly number[]
  readonly height: number
  readonly width: number
  readonly mark: RecordMark | undefined
  readonly photos: RowPhotos | undefined
  readonly title: string
  /** Its record is open in the panel. */
  readonly isOpen: boolean
  readonly isTitleSticky: boolean
  /** -1 when the active cell is in another row. */
  readonly activeColumn: number
  /** Selected columns, -1 when none. */
  readonly firstSelected: number
  readonly lastSelected: number
  /** In place of the active cell's value. */
  readonly editor: ReactNode
}

/** One row of the grid. It is drawn again only when something of it changed. */
export const GridRowView = memo(function GridRowView(props: GridRowProps): JSX.Element {
  const { index, row, columns, drawn, height, width, mark, isOpen, activeColumn } = props
  const isEdited = props.editor !== undefined
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isOpen}
      data-row={index}
      className={cx(
        'group/row absolute top-0 left-0 flex bg-bg',
        isEdited ? 'z-20' : activeColumn >= 0 ? 'z-[1]' : null,
      )}
      style={{ height, width: width + GUTTER_PX, transform: `translateY(${index * height}px)` }}
    >
      <Gutter {...props} />
      {drawn.map((place) => {
        const column = columns[place]
        return column === undefined ? null : (
          <Cell
            key={column.field.name}
            column={column}
            place={place}
            row={row}
            mark={mark}
            photos={place === 0 ? props.photos : undefined}
            thumbnailSide={height - THUMBNAIL_MARGIN_PX}
            isSticky={place === 0 && props.isTitleSticky}
            isOpen={isOpen}
            isActive={place === activeColumn}
            isSelected={place >= props.firstSelected && place <= props.lastSelected}
            editor={place === activeColumn ? props.editor : undefined}
          />
        )
      })}
    </div>
  )
})

const CELL = 'absolute inset-y-0 flex items-center border-r border-b border-border/70 px-2 text-grid whitespace-nowrap'

function Gutter({ row, mark, title, isOpen, activeColumn }: GridRowProps): JSX.Element {
  const files = fileWords(mark)
  return (
    <div
      role="gridcell"
      aria-colindex={1}
      className={cx(
        'sticky left-0 z-[3] flex shrink-0 items-center justify-between border-r border-b border-border/70 pr-1 pl-2',
        isOpen ? 'bg-accent-soft' : 'bg-bg group-hover/row:bg-surface',
      )}
      style={{ width: GUTTER_PX }}
    >
      <RecordStateMark state={mark?.state ?? 'clean'} says={files?.text} percent={files?.percent} />
      {row === undefined ? null : (
        <button
          type="button"
          tabIndex={-1}
          data-open={row.id}
          aria-label={words.openRecord(title)}
          className={cx(
            'ml-auto inline-flex size-6 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-text',
            activeColumn >= 0 || isOpen ? 'opacity-100' : 'opacity-0 group-hover/row:opacity-100 coarse:opacity-100',
          )}
        >
          <PanelRightOpen size={15} aria-hidden />
        </button>
      )}
    </div>
  )
}

function Cell({
  column: { field, left, width },
  place,
  row,
  mark,
  photos,
  thumbnailSide,
  isSticky,
  isOpen,
  isActive,
  isSelected,
  editor,
}: {
  readonly column: GridColumn
  readonly place: number
  readonly row: GridRow | undefined
  readonly mark: RecordMark | undefined
  readonly photos: RowPhotos | undefined
  readonly thumbnailSide: number
  readonly isSticky: boolean
  readonly isOpen: boolean
  readonly isActive: boolean
  readonly isSelected: boolean
  readonly editor: ReactNode
}): JSX.Element {
  const value = row?.[field.name] ?? null
  const label = row?.[LABEL_PREFIX + field.name]
  const fieldState = mark?.fields.get(field.name) ?? 'clean'
  const isChanged = fieldState !== 'clean'
  const text = formatValue(field, value, label)
  const state = fieldState === 'clean' ? '' : `, ${words.changedCell}, ${RECORD_STATES[fieldState].word}`
  const photographs = photos === undefined ? '' : `, ${photoMessages.ofRow(photos.count)}`
  return (
    <div
      role="gridcell"
      aria-colindex={place + 2}
      aria-label={`${words.cell(field.label, text === '' ? words.emptyCell : text)}${photographs}${state}`}
      aria-selected={isSelected}
      aria-readonly={!field.isEditable}
      data-column={place}
      // Every cell can have the focus: taking that from the focused one would take the focus.
      tabIndex={isActive ? 0 : -1}
      data-active={isActive || undefined}
      className={cx(
        isSticky
          ? 'sticky z-[2] h-full shrink-0 border-r border-b border-border/70 px-2 text-grid flex items-center whitespace-nowrap'
          : CELL,
        isSelected
          ? 'bg-selection'
          : isOpen
            ? 'bg-accent-soft'
            : isSticky
              ? 'bg-bg group-hover/row:bg-surface'
              : 'group-hover/row:bg-surface',
        isNumeric(field.kind) && 'justify-end tabular-nums',
        isActive && 'z-[1] shadow-none outline-2 -outline-offset-2 outline-focus',
        !field.isEditable && !isSelected && 'text-muted',
      )}
      style={isSticky ? { left: GUTTER_PX, width } : { left: GUTTER_PX + left, width }}
    >
      {row === undefined ? (
        <span className="h-2.5 w-3/5 rounded-sm bg-border/45" />
      ) : (
        <FieldValueView field={field} value={value} label={label} />
      )}
      {photos === undefined ? null : <RowThumbnails photos={photos} side={thumbnailSide} />}
      {isChanged ? (
        <span
          aria-hidden
          className="absolute top-0 right-0 border-4 border-transparent border-t-warning border-r-warning"
        />
      ) : null}
      {editor}
    </div>
  )
}
