/** Path of the schema endpoint, below the server's URL (`GET`, with the user's token). */
export const SCHEMA_PATH = '/sync/v1/schema'

/** A default that the app sets: the workspace's day, the current minute, or the caller's membership of the workspace. */
export interface ComputedDefault {
  readonly from: 'today' | 'now' | 'me'
  /** Id of the workspace; absent for `now`. */
  readonly workspace?: string
}

/** A column as declared in the local database. */
export interface ColumnDescriptor {
  readonly name: string
  /** Its name in Postgres, if different; see `local-names.ts`. */
  readonly column?: string
  /** SQLite storage class in the local table. */
  readonly local: 'text' | 'integer' | 'real'
  /** Postgres type as `format_type` prints it, such as `numeric(6,2)` or `action_state`. */
  readonly type: string
  readonly nullable: boolean
  readonly hasDefault: boolean
  /** Present if Postgres computes the default for each new row from something that devices know too. */
  readonly computedDefault?: ComputedDefault
  /** Generated columns, which users cannot set. */
  readonly generated: boolean
  /** Permitted values in order: enum labels, or values listed by a CHECK. */
  readonly choices?: readonly string[]
  /**
   * Which changes are sent with the previous value, so that another user's change in between is a conflict. `column`: changes of this column. `row`: every
   * change and deletion of the row.
   */
  readonly guard?: 'column' | 'row'
  /** Whether no two rows may have the same value. */
  readonly unique?: true
  /** The referenced column of another table. */
  readonly references?: { readonly table: string; readonly column: string }
  /** `COMMENT ON COLUMN`. */
  readonly comment?: string
}

/** A synced table as visible to the signed-in role. */
export interface TableDescriptor {
  /** Local name: `<table>` for schema public, `<schema>__<table>` otherwise, where that works on devices; see `local-names.ts`. */
  readonly name: string
  readonly schema: string
  readonly table: string
  /** `COMMENT ON TABLE`. */
  readonly comment?: string
  /**
   * The columns of the record's `id`; `['id']` if omitted. For one column, the id is the text of its value; for several, a JSON array of such texts:
   * `["7","open"]`.
   */
  readonly key?: readonly string[]
  readonly columns: readonly ColumnDescriptor[]
  /** Commands granted to the role; row-level security decides per row. */
  readonly can: { readonly insert: boolean; readonly update: boolean; readonly delete: boolean }
  /** Columns to index locally: foreign keys and common sort columns. */
  readonly indexes: readonly (readonly string[])[]
  /** Whether changes are recorded with their author, because the table was registered with `holdfast.track`. */
  readonly history?: true
  /**
   * Whether guests see records shared with them: a policy of the table calls `holdfast.shared_record_ids`. `change`: they may also change records if the
   * share allows it.
   */
  readonly guests?: 'read' | 'change'
}

export interface SchemaDescriptor {
  /** Changes with any content below. */
  readonly version: string
  readonly tables: readonly TableDescriptor[]
}
