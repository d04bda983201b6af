/** Path of the schema endpoint, below the server's address (`GET`, with the person's token). */
export const SCHEMA_PATH = '/sync/v1/schema'

/** A column as the local database declares it. */
export interface ColumnDescriptor {
  readonly name: string
  /** Its name in Postgres, where that is another; see `local-names.ts`. */
  readonly column?: string
  /** SQLite storage class in the local table. */
  readonly local: 'text' | 'integer' | 'real'
  /** Postgres type as `format_type` prints it, such as `numeric(6,2)` or `action_state`. */
  readonly type: string
  readonly nullable: boolean
  readonly hasDefault: boolean
  /** Set by the database, never by a person: generated columns. */
  readonly generated: boolean
  /** What a value is chosen from, in order: the labels of an enum type, or what a CHECK lists. */
  readonly choices?: readonly string[]
  /**
   * What of a change is sent with the value that the person saw, so that another person's change in between is a conflict. `column`: a change of this
   * column. `row`: every change and deletion of the row.
   */
  readonly guard?: 'column' | 'row'
  /** The column of another table that this one refers to. */
  readonly references?: { readonly table: string; readonly column: string }
  /** `COMMENT ON COLUMN`. */
  readonly comment?: string
}

/** A synced table as the signed-in role may see it. */
export interface TableDescriptor {
  /** Local name: `<table>` for schema public, `<schema>__<table>` otherwise, where that works on devices; see `local-names.ts`. */
  readonly name: string
  readonly schema: string
  readonly table: string
  /** `COMMENT ON TABLE`. */
  readonly comment?: string
  /**
   * The columns that the record's `id` is made of, `['id']` when left out. Of one column the id is the text of its value; of several it is the text of a
   * JSON array of such texts: `["7","open"]`.
   */
  readonly key?: readonly string[]
  readonly columns: readonly ColumnDescriptor[]
  /** What the role may do at all, by grant; row-level security decides per row. */
  readonly can: { readonly insert: boolean; readonly update: boolean; readonly delete: boolean }
  /** Columns that the local schema should index: foreign keys and columns that are often sorted by. */
  readonly indexes: readonly (readonly string[])[]
  /** Who changed what in its records is kept: the table was given to `holdfast.track`. */
  readonly history?: true
  /**
   * Guests see the records that are shared with them: a policy of the table asks `holdfast.shared_record_ids` for it. `change`: and change them where the share says so.
   */
  readonly guests?: 'read' | 'change'
}

export interface SchemaDescriptor {
  /** Changes whenever anything below does. */
  readonly version: string
  readonly tables: readonly TableDescriptor[]
}
