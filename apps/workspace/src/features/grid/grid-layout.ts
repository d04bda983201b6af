import type { CSSProperties } from 'react'
import type { Density } from '../../lib/appearance.ts'
import type { Field } from '../../lib/fields/field.ts'

export const HEADER_PX = 36
/** What the columns calculate, below the rows. */
export const FOOT_PX = 32
/** State glyph and the button that opens the record. */
export const GUTTER_PX = 56
/** Up to here all columns are drawn; above only those in sight. */
export const COLUMNS_DRAWN_MAX = 12
const OVERSCAN_PX = 240

/** Height of a record in the list, and where its text begins. */
export const ITEM_PX = 68
export const ITEM_TEXT_PX = 16
/** Where the text of the first cell begins. */
export const FIRST_TEXT_PX = GUTTER_PX + 8

export const ROW_PX: Readonly<Record<Density, number>> = { compact: 28, standard: 34, relaxed: 44 }

/** A column of the grid with its place. */
export interface GridColumn {
  readonly field: Field
  /** From the left edge of the first column, in pixels. */
  readonly left: number
  readonly width: number
}

/** @param widths - chosen by people, in pixels by field; the others follow from the kind of the field */
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

/** Of the width of the grid, for columns that stay: the rest has to have room to be scrolled. */
const FROZEN_SHARE = 0.65

/** How many of the columns that should stay at the left can, in a grid of this width. */
export function frozenColumns(columns: readonly GridColumn[], wanted: number, viewWidth: number): number {
  const room = viewWidth * FROZEN_SHARE - GUTTER_PX
  const fitting = columns.findIndex(({ left, width }) => left + width > room)
  return Math.min(wanted, fitting < 0 ? columns.length : fitting)
}

/** How far columns that stay at the left cover the others, from the left edge of the first column. */
export function frozenPx(columns: readonly GridColumn[], frozen: number): number {
  const last = columns[frozen - 1]
  return last ? last.left + last.width : 0
}

/** For the class `row-bands`, which stands for rows that are not drawn: how high they are, and where their text begins. */
export function bandsOf(rowPx: number, left: number): CSSProperties {
  return { '--band': `${rowPx}px`, '--band-left': `${left}px` } as CSSProperties
}

/** The width that a column's content needs, never too narrow for its name. */
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
      return 120
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
 * The columns to draw: all of a narrow table; of a wide one those in sight, the first one, and the active one.
 *
 * @param scrollLeft - pixels the grid is scrolled to the right
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
