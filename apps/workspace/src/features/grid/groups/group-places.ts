import type { Field } from '../../../lib/fields/field.ts'
import type { SqlPart } from '../../../lib/sql.ts'
import type { AggregateRow } from '../query/aggregates.ts'
import type { GroupedWindow, GroupLayout, RowGroup } from '../row-groups.ts'

/** A row of the group query: the values that its records share, outer level first. */
export interface GroupRow extends AggregateRow {
  readonly rows: number
}

/** Separates the values of a key. Users' values never contain it. */
const KEY_SIGN = '\u0000'

export function keyOf(row: GroupRow, level: number): string {
  const values = Array.from({ length: level }, (_, index) => row[`k${index}`] ?? null)
  return values.map((value) => (value === null ? '' : `${typeof value}${value}`)).join(KEY_SIGN)
}

/** The content from position `first` on: a header, or the records of a group. */
interface Stretch {
  readonly first: number
  /** Number of the view's records above it. */
  readonly above: number
  readonly level: number
  readonly row: GroupRow
  readonly isHeader: boolean
}

export interface GroupPlacesOptions {
  readonly fields: readonly Field[]
  /** A list per level, in the view's order. */
  readonly groups: readonly (readonly GroupRow[])[]
  readonly collapsed: ReadonlySet<string>
  readonly describe: (level: number, row: GroupRow) => Omit<RowGroup, 'isExpanded'>
  readonly windowSql: (groups: readonly GroupRow[], offset: number, limit: number) => SqlPart
}

/** Maps positions to headers and records. A look-up takes logarithmic time in the number of groups. */
export class GroupPlaces implements GroupLayout {
  readonly levels: number
  readonly places: number
  readonly records: number
  readonly #stretches: readonly Stretch[]
  readonly #options: GroupPlacesOptions
  /** Caches headers, so that the same header is the same object and renders once. */
  readonly #described = new Map<number, RowGroup>()
  readonly #isCollapsed: ReadonlySet<string>

  constructor(options: GroupPlacesOptions) {
    this.#options = options
    this.#isCollapsed = new Set(options.collapsed)
    this.levels = options.fields.length
    const [outer = [], inner] = options.groups
    this.records = outer.reduce((sum, { rows }) => sum + rows, 0)
    const innerOf = Map.groupBy(inner ?? [], (row) => keyOf(row, 1))
    const stretches: Stretch[] = []
    let first = 0
    let above = 0
    const add = (level: number, row: GroupRow, isHeader: boolean): void => {
      stretches.push({ first, above, level, row, isHeader })
      first += isHeader ? 1 : row.rows
      if (!isHeader) above += row.rows
    }
    const addGroup = (level: number, row: GroupRow): void => {
      add(level, row, true)
      if (this.#isCollapsed.has(keyOf(row, level))) {
        above += row.rows
        return
      }
      if (level === this.levels) return add(level, row, false)
      for (const within of innerOf.get(keyOf(row, 1)) ?? []) addGroup(level + 1, within)
    }
    for (const row of outer) addGroup(1, row)
    this.#stretches = stretches
    this.places = first
  }

  groupAt(place: number): RowGroup | undefined {
    const stretch = place < this.places ? this.#stretches[this.#indexAt(place)] : undefined
    if (!stretch?.isHeader) return undefined
    const known = this.#described.get(place)
    if (known) return known
    const { level, row } = stretch
    const group = { ...this.#options.describe(level, row), isExpanded: !this.#isCollapsed.has(keyOf(row, level)) }
    this.#described.set(place, group)
    return group
  }

  recordAt(place: number): number {
    const stretch = this.#stretches[this.#indexAt(place)]
    if (!stretch) return 0
    return stretch.above + (stretch.isHeader ? 0 : place - stretch.first)
  }

  windowAt(first: number, count: number): GroupedWindow {
    const end = Math.min(this.places, first + count)
    const groups: GroupRow[] = []
    const places: number[] = []
    let offset = 0
    for (let index = this.#indexAt(first); index < this.#stretches.length; index++) {
      const stretch = this.#stretches[index]
      if (!stretch || stretch.first >= end) break
      if (stretch.isHeader) continue
      const from = Math.max(first, stretch.first)
      const to = Math.min(end, stretch.first + stretch.row.rows)
      if (from >= to) continue
      if (groups.length === 0) offset = from - stretch.first
      groups.push(stretch.row)
      for (let place = from; place < to; place++) places.push(place - first)
    }
    return { sql: groups.length === 0 ? undefined : this.#options.windowSql(groups, offset, places.length), places }
  }

  /** Returns the last stretch that begins at or before a position. */
  #indexAt(place: number): number {
    let [low, high] = [0, this.#stretches.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#stretches[middle]?.first ?? 0) <= place) low = middle
      else high = middle - 1
    }
    return low
  }
}
