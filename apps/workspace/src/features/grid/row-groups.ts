import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import type { SqlPart } from '../../lib/sql.ts'

/** Records of a view that have the same value in a field, as the header above them shows it. */
export interface RowGroup {
  /** The same for the same value of the same field. */
  readonly key: string
  /** 1, or 2 for a group within a group. */
  readonly level: number
  readonly field: Field
  readonly value: FieldValue
  /** The value as people read it. */
  readonly text: string
  readonly records: number
  readonly isExpanded: boolean
  /** What the columns that calculate have calculated of its records, as texts by field. */
  readonly subtotals: ReadonlyMap<string, string>
}

/** A window of places: what to read, and at which places of the window the rows are. */
export interface GroupedWindow {
  /** `undefined`: the window has headers only. */
  readonly sql: SqlPart | undefined
  readonly places: readonly number[]
}

/** The places of a grouped view from top to bottom: headers, and below those that are expanded their records. */
export interface GroupLayout {
  readonly levels: number
  readonly places: number
  readonly records: number
  groupAt(place: number): RowGroup | undefined
  /** Which record of the view stands at a place, from 0, those of collapsed groups counted; at a header, the first one below it. */
  recordAt(place: number): number
  windowAt(first: number, count: number): GroupedWindow
}

/** How the records of a view are grouped, and which of its groups are collapsed. `Query` is what the view is read by. */
export interface Grouping<Query> {
  /** The field of the outer groups. */
  readonly outerField: string
  /** @param isAgain - the groups are as they were read last; only which are collapsed has changed */
  layOut(database: Pick<CommonPowerSyncDatabase, 'getAll'>, query: Query, isAgain: boolean): Promise<GroupLayout>
  /** Collapses or expands a group. */
  toggle(key: string): void
  /** Collapses or expands all groups. */
  toggleAll(isExpanded: boolean): void
}
