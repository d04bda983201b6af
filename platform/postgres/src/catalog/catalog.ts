/** A consistent snapshot of the database's definitions. Names are unquoted, as Postgres stores them. */
export interface Catalog {
  /** Hash of the content: equal if nothing has changed. */
  readonly version: string
  /** Some views were locked; their writability comes from an earlier snapshot or is assumed. */
  readonly isPartial: boolean
  readonly schemas: readonly Schema[]
  /** All relations with rows outside Postgres's own schemas, ordered by schema and name. */
  readonly tables: readonly Table[]
  /** Foreign keys in both directions and links through junction tables; see {@link Relationship}. */
  readonly relationships: readonly Relationship[]
  readonly routines: readonly Routine[]
  /** Handlers of custom media types. */
  readonly mediaHandlers: readonly MediaHandler[]
  /** PostGIS's function that converts a row to GeoJSON; `undefined` without PostGIS. */
  readonly geoJsonFunction: { readonly schema: string; readonly name: string } | undefined
  /** Conversions between domains and JSON or text; see {@link Representation}. */
  readonly representations: readonly Representation[]
  /** Roles that requests may use: those `authenticator` is a member of. */
  readonly roles: readonly ApiRole[]
  /** Settings from `alter role authenticator set …`, which override `… in database … set …`; such as `pgrst.db_schemas`. */
  readonly requestSettings: Readonly<Record<string, string>>
  table(schema: string, name: string): Table | undefined
  tableByOid(oid: number): Table | undefined
}

export interface Schema {
  readonly name: string
  readonly comment: string | undefined
  /** API roles with USAGE. */
  readonly usage: readonly string[]
}

export interface ApiRole {
  readonly name: string
  readonly bypassesRls: boolean
  /**
   * Settings from `alter role … set …`, such as `statement_timeout`. Postgres applies them only at login, so they are set when assuming the role. Excludes
   * settings that `authenticator` may not set.
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
  /** OID of its row type. */
  readonly rowTypeOid: number
  /** For views: the columns that are plain table columns, in view order. Empty for tables. */
  readonly sources: readonly ViewSource[]
  /** OID of its partitioned table, for partitions. */
  readonly partitionOf: number | undefined
  /** In table order. */
  readonly columns: readonly Column[]
  /** Names in key order; empty without a key. */
  readonly primaryKey: readonly string[]
  /** Unique constraints and full unique indexes, including the primary key. */
  readonly uniques: readonly UniqueIndex[]
  readonly foreignKeys: readonly ForeignKey[]
  readonly rlsEnabled: boolean
  /** Policies also apply to the owner. */
  readonly rlsForced: boolean
  /** For views: whether the policies of underlying tables apply as the caller. */
  readonly securityInvoker: boolean
  /** Whether inserting is possible at all, apart from grants (false for most views). */
  readonly insertable: boolean
  readonly updatable: boolean
  readonly deletable: boolean
  /** By API role; roles without privileges are absent. */
  readonly privileges: ReadonlyMap<string, TablePrivileges>
}

/** Privileges granted directly or through membership. */
export interface TablePrivileges {
  /** Readable columns. */
  readonly select: readonly string[]
  readonly insert: readonly string[]
  readonly update: readonly string[]
  readonly delete: boolean
}

export interface Column {
  readonly name: string
  /** `attnum`: starts at 1, with gaps for dropped columns. */
  readonly position: number
  readonly typeOid: number
  /** From `format_type`, with modifiers: `numeric(6,2)`, `text[]`, `action_state`. */
  readonly type: string
  /** `pg_type.typtype` of the base type: b(ase), c(omposite), e(num), r(ange), m(ultirange), p(seudo). */
  readonly typeKind: string
  /** Type under a domain, otherwise equal to `typeOid`. */
  readonly baseTypeOid: number
  /** Base type without modifiers: `numeric`, `text[]`. */
  readonly baseType: string
  /** Base element type of an array, otherwise 0. */
  readonly elementOid: number
  /** `pg_type.typcategory` of the base type: B, D, N, S, A, E, … */
  readonly category: string
  readonly nullable: boolean
  /** Expression as printed by Postgres. `undefined` for generated columns. */
  readonly default: string | undefined
  readonly generated: 'stored' | 'virtual' | undefined
  readonly identity: 'always' | 'by default' | undefined
  readonly comment: string | undefined
  /** Ordered labels of an enum, a domain over one, or an array of one. */
  readonly enumLabels: readonly string[] | undefined
}

/** A valid, full unique index without expressions. */
export interface UniqueIndex {
  readonly name: string
  /** In index order. */
  readonly columns: readonly string[]
  readonly isPrimary: boolean
  /** Declared as a constraint rather than only an index. */
  readonly isConstraint: boolean
  /** Checked per row rather than at the end of the statement or transaction. */
  readonly isImmediate: boolean
  /** Has a nullable column, so it does not identify all rows. */
  readonly isNullable: boolean
}

/** A view column that is a plain table column, possibly through other views. */
export interface ViewSource {
  readonly column: string
  readonly tableOid: number
  readonly tableColumn: string
}

/** An implicit cast function between a domain and `json` or `text`. */
export interface Representation {
  readonly sourceOid: number
  readonly targetOid: number
  readonly direction: 'from domain' | 'to domain'
  /** The non-domain type. */
  readonly format: 'json' | 'text'
  readonly functionSchema: string
  readonly functionName: string
}

/** A foreign key as declared. */
export interface ForeignKey {
  readonly name: string
  /** In order of declaration; `columns[i]` references `targetColumns[i]`. */
  readonly columns: readonly string[]
  readonly targetOid: number
  readonly targetSchema: string
  readonly targetTable: string
  readonly targetColumns: readonly string[]
  readonly onDelete: 'no action' | 'restrict' | 'cascade' | 'set null' | 'set default'
}

/** A path from the rows of one table to those of another. */
export type Relationship =
  | (RelationshipEnds & {
      /** `many-to-one` and `one-to-one` from the table with the foreign key, `one-to-many` from the other. */
      readonly kind: 'many-to-one' | 'one-to-many' | 'one-to-one'
      /** Name of the foreign key. */
      readonly constraint: string
      /** Whether `from` has the foreign key. */
      readonly fromHasKey: boolean
    })
  | (RelationshipEnds & {
      readonly kind: 'many-to-many'
      /** Junction table, whose primary key contains both foreign keys. */
      readonly junctionOid: number
      readonly junctionSchema: string
      readonly junctionTable: string
      /** The junction's foreign key to `from`, and its columns, matching `fromColumns`. */
      readonly fromConstraint: string
      readonly junctionFromColumns: readonly string[]
      /** The junction's foreign key to `to`, and its columns, matching `toColumns`. */
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
  /** Input parameters in order. */
  readonly parameters: readonly Parameter[]
  /** The last parameter is variadic. */
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

/** Converts rows to a media type. */
export interface MediaHandler {
  /** Of the aggregate; for a function, of the returned domain. */
  readonly schema: string
  readonly name: string
  /** Lowercase: `image/png`, or `*` + `/*` for any. */
  readonly mediaType: string
  /** The domain is based on `bytea`. */
  readonly binary: boolean
  /** Rows it applies to. `any` stands for every relation; its names are empty. */
  readonly target: { readonly kind: 'relation' | 'routine' | 'any'; readonly schema: string; readonly name: string }
}

export interface Parameter {
  /** Empty if unnamed. */
  readonly name: string
  readonly typeOid: number
  readonly type: string
  readonly required: boolean
}

export interface RoutineResult {
  readonly typeOid: number
  readonly type: string
  readonly isSet: boolean
  /** Planner estimate for a set: `create function … rows 1`. 0 for functions that return no set. */
  readonly rows: number
  /** `composite` includes `returns table (…)` and several OUT parameters. */
  readonly kind: 'scalar' | 'composite' | 'void' | 'trigger' | 'record'
  /** OID of the table whose row type is returned. */
  readonly tableOid: number | undefined
  /** For `returns table (…)` and OUT parameters. */
  readonly columns: readonly { readonly name: string; readonly typeOid: number; readonly type: string }[]
}
