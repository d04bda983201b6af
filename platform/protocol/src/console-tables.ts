/** What the console's *Tables* screen and its server exchange. Values of rows are texts as Postgres prints them, so that no number is rounded. */

/** Who reads or changes rows: the project's role, a visitor without an account, or a user under their policies. */
export type TableIdentity = { readonly kind: 'postgres' | 'anon' } | { readonly kind: 'user'; readonly id: string }

export type RelationKind = 'table' | 'partitioned table' | 'view' | 'materialized view' | 'foreign table'

/** Whether devices get a table's rows. */
export interface TableSync {
  readonly state: 'synced' | 'refused' | 'none'
  /** Why it does not sync. */
  readonly reason?: string
}

export interface ListedTable {
  readonly name: string
  readonly kind: RelationKind
  /** Postgres's estimate of the rows; `null` before the first analysis, and for views. */
  readonly estimate: number | null
  /** With indexes and large values. */
  readonly bytes: number
  /** Row-level security; `null` for relations that cannot have it. */
  readonly rls: 'on' | 'forced' | 'off' | null
  readonly sync: TableSync
  readonly comment: string | null
}

export interface ListedSchema {
  readonly name: string
  /** Belongs to Holdfast: read-only, with secrets left out. */
  readonly isManaged: boolean
  readonly tables: readonly ListedTable[]
}

/** `GET /tables`. */
export interface TableList {
  readonly schemas: readonly ListedSchema[]
  /** There are more tables than listed. */
  readonly isCut: boolean
}

export interface TableColumnDetails {
  readonly name: string
  readonly type: string
  readonly isNullable: boolean
  /** SQL of the default, or of a generated column. */
  readonly default: string | null
  /** Only Postgres sets it. */
  readonly isGenerated: boolean
  /** Holds secrets: its values are not readable here. */
  readonly isSecret: boolean
  /** Labels of an enum, in order. */
  readonly labels: readonly string[] | null
  readonly comment: string | null
}

export interface TableConstraint {
  readonly name: string
  readonly kind: 'primary key' | 'unique' | 'foreign key' | 'check' | 'exclude'
  readonly definition: string
  readonly columns: readonly string[]
  /** Target of a foreign key. */
  readonly target?: { readonly schema: string; readonly name: string; readonly columns: readonly string[] }
}

export interface TableIndex {
  readonly name: string
  readonly definition: string
  readonly bytes: number
  /** Scans since the statistics were reset. */
  readonly scans: number
  readonly isValid: boolean
}

export interface TablePolicy {
  readonly name: string
  readonly command: 'all' | 'select' | 'insert' | 'update' | 'delete'
  readonly isPermissive: boolean
  /** `public` means every role. */
  readonly roles: readonly string[]
  readonly using: string | null
  readonly check: string | null
}

/** Privileges of a role of the API. */
export interface TableGrant {
  readonly role: string
  readonly privileges: readonly string[]
}

/** `GET /tables/details`. */
export interface TableDetails extends Omit<ListedTable, 'name'> {
  readonly schema: string
  readonly name: string
  readonly isManaged: boolean
  readonly columns: readonly TableColumnDetails[]
  /** Columns that identify a row and order pages; `null` without a usable key: rows are then found by their place in the file. */
  readonly key: readonly string[] | null
  readonly constraints: readonly TableConstraint[]
  readonly indexes: readonly TableIndex[]
  readonly policies: readonly TablePolicy[]
  readonly referencedBy: readonly { readonly schema: string; readonly name: string; readonly constraint: string }[]
  readonly triggers: readonly string[]
  readonly grants: readonly TableGrant[]
  /** SQL of a view. */
  readonly definition: string | null
  /** Why rows cannot be changed here. */
  readonly readOnlyReason: string | null
}

export const FILTER_OPERATORS = [
  'equals',
  'not_equals',
  'less',
  'at_most',
  'greater',
  'at_least',
  'contains',
  'starts_with',
  'includes',
  'is_null',
  'is_not_null',
] as const

export type FilterOperator = (typeof FILTER_OPERATORS)[number]

export interface RowFilter {
  readonly column: string
  readonly operator: FilterOperator
  /** Not for `is_null` and `is_not_null`. */
  readonly value?: string
}

export interface RowSort {
  readonly column: string
  readonly isDescending: boolean
}

/** A value of a row; the beginning of a large one. */
export type TableCell = string | null | { readonly start: string; readonly bytes: number }

export interface TableRow {
  /** Identifies the row: values of the key's columns, or its place. `null` for views. */
  readonly address: readonly string[] | null
  /** Changes with every change of the row. */
  readonly version: string | null
  /** In the order of the readable columns. */
  readonly cells: readonly TableCell[]
}

/** `POST /tables/rows`. */
export interface TablePage {
  /** Names of the readable columns. */
  readonly columns: readonly string[]
  readonly rows: readonly TableRow[]
  /** Position for the next page, if there may be one. */
  readonly next?: string
  /** There may be more rows, but no next page: the relation has no key, or a sorted value is too long. */
  readonly isLimited: boolean
  readonly ms: number
}

/** A column and its new value. */
export interface ColumnValue {
  readonly column: string
  readonly value: string | null
}

/** Outcome of a change of rows. */
export type RowChangeOutcome =
  | { readonly state: 'done'; readonly count: number }
  /** The row has changed since it was read, and was left as it is. */
  | { readonly state: 'stale'; readonly current: TableRow }
  /** The row is no longer there, or no longer visible. */
  | { readonly state: 'gone' }

/** A foreign key between two tables. */
export interface TableRelation {
  /** Of the constraint. */
  readonly name: string
  readonly schema: string
  readonly table: string
  readonly columns: readonly string[]
  readonly targetSchema: string
  readonly targetTable: string
  readonly targetColumns: readonly string[]
}

/** `GET /tables/relations`. */
export interface RelationList {
  readonly relations: readonly TableRelation[]
  /** There are more foreign keys than listed. */
  readonly isCut: boolean
}
