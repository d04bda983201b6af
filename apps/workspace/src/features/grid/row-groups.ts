import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import type { SqlPart } from '../../lib/sql.ts'

/** A group of records with the same value in a field, as its header shows it. */
export interface RowGroup {
  /** Equal for the same value of the same field. */
  readonly key: string
  /** 1, or 2 for a nested group. */
  readonly level: number
  readonly field: Field
  readonly value: FieldValue
  /** The value as displayed. */
  readonly text: string
  readonly records: number
  readonly isExpanded: boolean
  /** Formatted aggregates of the group's records by field. */
  readonly subtotals: ReadonlyMap<string, string>
}

/** A window of positions: the query for its rows, and the positions they take. */
export interface GroupedWindow {
  /** `undefined`: the window consists of headers only. */
  readonly sql: SqlPart | undefined
  readonly places: readonly number[]
}

/** The positions of a grouped view from top to bottom: headers, and the records of expanded groups. */
export interface GroupLayout {
  readonly levels: number
  readonly places: number
  readonly records: number
  groupAt(place: number): RowGroup | undefined
  /** Index of the record at a position, from 0, counting those in collapsed groups. For a header: the first record below it. */
  recordAt(place: number): number
  windowAt(first: number, count: number): GroupedWindow
}

/** How a view's records are grouped, and which groups are collapsed. `Query` is the type of the view's query. */
export interface Grouping<Query> {
  /** The field of the outer groups. */
  readonly outerField: string
  /** @param isAgain - reuses the groups last read, because only the collapsed ones changed */
  layOut(database: Pick<CommonPowerSyncDatabase, 'getAll'>, query: Query, isAgain: boolean): Promise<GroupLayout>
  /** Collapses or expands a group. */
  toggle(key: string): void
  /** Collapses or expands all groups. */
  toggleAll(isExpanded: boolean): void
}
