/** What the database has, as one consistent reading. Names are as Postgres stores them, unquoted. */
export interface Catalog {
  /** Hash over all of it: equal when nothing has changed. */
  readonly version: string
  /** Whether some view was locked: whether it can be written is as an earlier reading had it, or assumed. */
  readonly isPartial: boolean
  readonly schemas: readonly Schema[]
  /** Everything with rows, in schemas that are not Postgres's own. Ordered by schema and name. */
  readonly tables: readonly Table[]
  /** Foreign keys in both directions and links through a third table; see {@link Relationship}. */
  readonly relationships: readonly Relationship[]
  readonly routines: readonly Routine[]
  /** What answers in media types of its own. */
  readonly mediaHandlers: readonly MediaHandler[]
  /** PostGIS's function that makes GeoJSON of a row; `undefined` without PostGIS. */
  readonly geoJsonFunction: { readonly schema: string; readonly name: string } | undefined
  /** How domains are written to and read from JSON and text; see {@link Representation}. */
  readonly representations: readonly Representation[]
  /** Roles that a request may take: `authenticator` is a member of them. */
  readonly roles: readonly ApiRole[]
  /** `alter role authenticator set …` and, before it, `… in database … set …`: such as `pgrst.db_schemas`. */
  readonly requestSettings: Readonly<Record<string, string>>
  /** @returns `undefined` when there is no such table */
  table(schema: string, name: string): Table | undefined
  tableByOid(oid: number): Table | undefined
}

export interface Schema {
  readonly name: string
  readonly comment: string | undefined
  /** API roles that have USAGE. */
  readonly usage: readonly string[]
}

export interface ApiRole {
  readonly name: string
  readonly bypassesRls: boolean
  /**
   * `alter role … set …`, such as `statement_timeout`. They apply at login only, so whoever takes the role sets them. Those that `authenticator` has no
   * right to set are left out.
   */
  readonly settings: Readonly<Record<string, string>>
}

export interface Table {
  readonly oid: number
  readonly schema: string
  readonly name: string
  readonly kind: 'table' | 'partitioned table' | 'view' | 'materialized view' | 'foreign table'
  readonly owner: string
  readonly comment: string | undefined
  /** Of the type that its rows have. */
  readonly rowTypeOid: number
  /** For views: which of its columns are columns of tables, in the order of the view. Empty for tables. */
  readonly sources: readonly ViewSource[]
  /** OID of the partitioned table that this is a partition of. */
  readonly partitionOf: number | undefined
  /** In the order of the table. */
  readonly columns: readonly Column[]
  /** Names in the order of the key; empty when there is none. */
  readonly primaryKey: readonly string[]
  /** Unique constraints and whole unique indexes, the primary key included. */
  readonly uniques: readonly UniqueIndex[]
  readonly foreignKeys: readonly ForeignKey[]
  readonly rlsEnabled: boolean
  /** Policies apply to the owner too. */
  readonly rlsForced: boolean
  /** For views: whether policies of the tables beneath apply as the caller. */
  readonly securityInvoker: boolean
  /** What the table itself can do, grants aside (false for most views). */
  readonly insertable: boolean
  readonly updatable: boolean
  readonly deletable: boolean
  /** By API role; a role without any privilege is absent. */
  readonly privileges: ReadonlyMap<string, TablePrivileges>
}

/** What a role was granted, directly or through membership. */
export interface TablePrivileges {
  /** Columns it may read. */
  readonly select: readonly string[]
  readonly insert: readonly string[]
  readonly update: readonly string[]
  readonly delete: boolean
}

export interface Column {
  readonly name: string
  /** `attnum`: from 1, with gaps where columns were dropped. */
  readonly position: number
  readonly typeOid: number
  /** As `format_type` prints it, with its modifiers: `numeric(6,2)`, `text[]`, `action_state`. */
  readonly type: string
  /** Of the type beneath a domain, else of the type: `pg_type.typtype`, b(ase), c(omposite), e(num), r(ange), m(ultirange), p(seudo). */
  readonly typeKind: string
  /** Type beneath a domain, else the same as `typeOid`. */
  readonly baseTypeOid: number
  /** Without modifiers, of the base type: `numeric`, `text[]`. */
  readonly baseType: string
  /** Base element type when it is an array, else 0. */
  readonly elementOid: number
  /** `pg_type.typcategory` of the base type: B, D, N, S, A, E, … */
  readonly category: string
  readonly nullable: boolean
  /** Expression as Postgres prints it. `undefined` for generated columns. */
  readonly default: string | undefined
  readonly generated: 'stored' | 'virtual' | undefined
  readonly identity: 'always' | 'by default' | undefined
  readonly comment: string | undefined
  /** Labels in order, for an enum, a domain over one or an array of one. */
  readonly enumLabels: readonly string[] | undefined
}

/** A unique index that is valid, whole and without expressions. */
export interface UniqueIndex {
  readonly name: string
  /** In the order of the index. */
  readonly columns: readonly string[]
  readonly isPrimary: boolean
  /** Declared as a constraint, rather than as an index only. */
  readonly isConstraint: boolean
  /** Checked with each row, and not at the end of the statement or transaction. */
  readonly isImmediate: boolean
  /** A column of it may be null, so that it does not tell all rows apart. */
  readonly isNullable: boolean
}

/** A column of a view that is a plain column of a table, possibly through other views. */
export interface ViewSource {
  readonly column: string
  readonly tableOid: number
  readonly tableColumn: string
}

/** An implicit cast by function between a domain and `json` or `text`. */
export interface Representation {
  readonly sourceOid: number
  readonly targetOid: number
  readonly direction: 'from domain' | 'to domain'
  /** The type on the other side of the domain. */
  readonly format: 'json' | 'text'
  readonly functionSchema: string
  readonly functionName: string
}

/** A foreign key as it was declared. */
export interface ForeignKey {
  readonly name: string
  /** In the order of the declaration; `columns[i]` refers to `targetColumns[i]`. */
  readonly columns: readonly string[]
  readonly targetOid: number
  readonly targetSchema: string
  readonly targetTable: string
  readonly targetColumns: readonly string[]
  readonly onDelete: 'no action' | 'restrict' | 'cascade' | 'set null' | 'set default'
}

/** A way to get from the rows of one table to those of another. */
export type Relationship =
  | (RelationshipEnds & {
      /** Where the foreign key is: `many-to-one` and `one-to-one` from the table that has it, `one-to-many` from the other. */
      readonly kind: 'many-to-one' | 'one-to-many' | 'one-to-one'
      /** Name of the foreign key. */
      readonly constraint: string
      /** Whether `from` is the table that has the foreign key. */
      readonly fromHasKey: boolean
    })
  | (RelationshipEnds & {
      readonly kind: 'many-to-many'
      /** The table between, whose primary key contains both foreign keys. */
      readonly junctionOid: number
      readonly junctionSchema: string
      readonly junctionTable: string
      /** Foreign key of the junction to `from`, and its columns, matching `fromColumns`. */
      readonly fromConstraint: string
      readonly junctionFromColumns: readonly string[]
      /** Foreign key of the junction to `to`, and its columns, matching `toColumns`. */
      readonly toConstraint: string
      readonly junctionToColumns: readonly string[]
    })

export interface RelationshipEnds {
  readonly fromOid: number
  readonly fromSchema: string
  readonly fromTable: string
  readonly fromColumns: readonly string[]
  readonly toOid: number
  readonly toSchema: string
  readonly toTable: string
  readonly toColumns: readonly string[]
}

export interface Routine {
  readonly oid: number
  readonly schema: string
  readonly name: string
  readonly kind: 'function' | 'procedure'
  readonly comment: string | undefined
  /** What a caller passes, in order. */
  readonly parameters: readonly Parameter[]
  /** The last parameter takes any number of values. */
  readonly variadic: boolean
  readonly returns: RoutineResult
  readonly volatility: 'immutable' | 'stable' | 'volatile'
  readonly securityDefiner: boolean
  readonly strict: boolean
  /** API roles with EXECUTE. */
  readonly execute: readonly string[]
  /** `create function … set …`. */
  readonly settings: Readonly<Record<string, string>>
}

/** Makes a media type of rows. */
export interface MediaHandler {
  /** Of the aggregate; for a function, of the domain that it returns. */
  readonly schema: string
  readonly name: string
  /** In lower case: `image/png`, or `*` + `/*` for any. */
  readonly mediaType: string
  /** The domain is one over `bytea`. */
  readonly binary: boolean
  /** What it is for. `any` stands for every relation; its names are empty. */
  readonly target: { readonly kind: 'relation' | 'routine' | 'any'; readonly schema: string; readonly name: string }
}

export interface Parameter {
  /** Empty when it was declared without one. */
  readonly name: string
  readonly typeOid: number
  readonly type: string
  readonly required: boolean
}

export interface RoutineResult {
  readonly typeOid: number
  readonly type: string
  readonly isSet: boolean
  /** Rows that the planner expects of a set: `create function … rows 1`. 0 when it is no set. */
  readonly rows: number
  /** `composite` also for `returns table (…)` and several OUT parameters. */
  readonly kind: 'scalar' | 'composite' | 'void' | 'trigger' | 'record'
  /** OID of the table whose row type is returned. */
  readonly tableOid: number | undefined
  /** For `returns table (…)` and OUT parameters. */
  readonly columns: readonly { readonly name: string; readonly typeOid: number; readonly type: string }[]
}
