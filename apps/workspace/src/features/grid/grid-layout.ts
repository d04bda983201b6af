import type { CSSProperties } from 'react'
import type { Density } from '../../lib/appearance.ts'
import type { Field } from '../../lib/fields/field.ts'

export const HEADER_PX = 36
/** Height of the aggregates below the rows. */
export const FOOT_PX = 32
/** Width of the checkbox, the state glyph and the button that opens the record. */
export const GUTTER_PX = 76
/** With at most this many columns all are rendered; with more, only the visible ones. */
export const COLUMNS_DRAWN_MAX = 12
const OVERSCAN_PX = 240

/** Height of a record in the list, and the left edge of its text. */
export const ITEM_PX = 68
export const ITEM_TEXT_PX = 16
/** Left edge of the text in the first cell. */
export const FIRST_TEXT_PX = GUTTER_PX + 8

export const ROW_PX: Readonly<Record<Density, number>> = { compact: 28, standard: 34, relaxed: 44 }

/** A column of the grid and its position. */
export interface GridColumn {
  readonly field: Field
  /** Distance from the left edge of the first column, in pixels. */
  readonly left: number
  readonly width: number
}

/** @param widths - widths chosen by users, in pixels by field; other widths depend on the field's kind */
export function layOut(
  fields: readonly Field[],
  widths: ReadonlyMap<string, number> = NO_WIDTHS,
): { readonly columns: readonly GridColumn[]; readonly width: number } {
  let left = 0
  const columns = fields.map((field): GridColumn => {
    const column = { field, left, width: widths.get(field.name) ?? widthOf(field) }
    left += column.width
    return column
  })
  return { columns, width: left }
}

export const NO_WIDTHS: ReadonlyMap<string, number> = new Map()

/** Largest share of the grid's width for frozen columns; the rest must have room to scroll. */
const FROZEN_SHARE = 0.65

/** Returns how many of the wanted frozen columns fit in a grid of this width. */
export function frozenColumns(columns: readonly GridColumn[], wanted: number, viewWidth: number): number {
  const room = viewWidth * FROZEN_SHARE - GUTTER_PX
  const fitting = columns.findIndex(({ left, width }) => left + width > room)
  return Math.min(wanted, fitting < 0 ? columns.length : fitting)
}

/** Returns the width that frozen columns cover, from the left edge of the first column. */
export function frozenPx(columns: readonly GridColumn[], frozen: number): number {
  const last = columns[frozen - 1]
  return last ? last.left + last.width : 0
}

/** Returns the style for the class `row-bands`, which stands in for rows that are not rendered: row height and left edge of the text. */
export function bandsOf(rowPx: number, left: number): CSSProperties {
  return { '--band': `${rowPx}px`, '--band-left': `${left}px` } as CSSProperties
}

/** Returns the width that a column's content needs, at least that of its name. */
function widthOf(field: Field): number {
  const label = 48 + field.label.length * 7.5
  return Math.round(Math.min(320, Math.max(label, contentWidth(field))))
}

function contentWidth({ kind, isTitle }: Field): number {
  if (isTitle) return 280
  switch (kind) {
    case 'long_text':
      return 280
    case 'text':
    case 'link':
    case 'url':
    case 'email':
      return 190
    case 'json':
      return 200
    case 'datetime':
      return 170
    case 'choice':
    case 'phone':
      return 140
    case 'date':
      return 136
    case 'integer':
    case 'number':
      return 96
    case 'boolean':
      return 84
    default:
      return 110
  }
}

/**
 * Returns the columns to render: all of a narrow table; of a wide one the visible columns, the first one and the active one.
 *
 * @param scrollLeft - horizontal scroll position in pixels
 */
export function drawnColumns(
  columns: readonly GridColumn[],
  scrollLeft: number,
  viewWidth: number,
  activeColumn: number,
  frozen = 1,
): readonly number[] {
  const all = columns.map((_, index) => index)
  if (columns.length <= COLUMNS_DRAWN_MAX) return all
  const from = scrollLeft - OVERSCAN_PX
  const to = scrollLeft + viewWidth + OVERSCAN_PX
  return all.filter((index) => {
    const column = columns[index]
    if (!column) return false
    return (
      index < Math.max(1, frozen) || index === activeColumn || (column.left + column.width > from && column.left < to)
    )
  })
}
