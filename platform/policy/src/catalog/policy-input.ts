import type { TypeStructure, UniqueIndex } from '@holdfast/postgres'

/**
 * Snapshot of the parts of a database's catalog that determine row visibility. Expressions were printed by Postgres with only `pg_catalog` on the search path,
 * so all other names are qualified.
 */
export interface PolicyInput {
  /** `server_version_num`. */
  readonly serverVersion: number
  /** Schemas whose tables are synced. */
  readonly schemas: readonly string[]
  /** Search path of functions that set none. */
  readonly searchPath: string
  /** OIDs of the request roles, without `BYPASSRLS` ones. */
  readonly apiRoles: readonly number[]
  /** The API roles, and the owners of tables and functions. */
  readonly roles: readonly RoleInfo[]
  /** Every relation outside the system schemas. */
  readonly tables: readonly TableInfo[]
  readonly policies: readonly PolicyInfo[]
  /** Enforced CHECK constraints by name; only with write policies. */
  readonly checks?: readonly CheckInfo[]
  /** Column defaults by table and column; only with write policies. */
  readonly defaults?: readonly DefaultInfo[]
  readonly types: readonly TypeInfo[]
  /** Every function named in a policy, directly or through function bodies. */
  readonly functions: readonly FunctionInfo[]
  readonly operators: readonly OperatorInfo[]
  readonly casts: readonly CastInfo[]
  /** Declared streams by name. */
  readonly streams: readonly StreamInfo[]
}

/** A stream as declared. */
export interface StreamInfo {
  readonly name: string
  /** 0 is sent first. */
  readonly priority: number
  readonly autoSubscribe: boolean
  readonly queries: readonly {
    /** As written. */
    readonly text: string
    /** Resolved and printed by Postgres like a view's query; parameters have the types they are compared with. */
    readonly resolved: ResolvedBody
  }[]
}

export interface RoleInfo {
  readonly oid: number
  readonly name: string
  /** Superuser or `BYPASSRLS`. */
  readonly bypassesRls: boolean
  readonly superuser: boolean
  /** Schemas on which it has `USAGE`. */
  readonly schemas: readonly string[]
  /**
   * Roles whose rights it has, including itself; determines which policies apply. Limited to roles named in this database's policies or owning something in it,
   * because superusers have the rights of every role.
   */
  readonly memberOf: readonly number[]
}

export interface ColumnInfo {
  readonly name: string
  readonly typeOid: number
  /** From `format_type`. */
  readonly typeName: string
  /** Its collation may treat different texts as equal. */
  readonly nondeterministic: boolean
  /** Set if it differs from the type's. */
  readonly collation: { readonly schema: string; readonly name: string } | null
  /** `s`tored, `v`irtual, or empty. */
  readonly generated: string
}

export interface TableInfo {
  readonly oid: number
  readonly schema: string
  readonly name: string
  /** `pg_class.relkind`. */
  readonly kind: string
  /** `pg_class.relpersistence`. */
  readonly persistence: string
  readonly isPartition: boolean
  /** It has or is an inheritance child. */
  readonly inherits: boolean
  readonly owner: number
  readonly rls: boolean
  readonly forceRls: boolean
  readonly columns: readonly ColumnInfo[]
  readonly uniqueIndexes: readonly UniqueIndex[]
  /** Of a view: its query, and whether it runs with the caller's rights. */
  readonly view: { readonly definition: string; readonly securityInvoker: boolean } | null
  /** Columns that each role of {@link PolicyInput.roles} may select, by OID. */
  readonly selectable: Readonly<Record<string, readonly string[]>>
}

export interface PolicyInfo {
  readonly table: number
  readonly name: string
  readonly permissive: boolean
  /** `r` or `*`; with write policies also `a`, `w` and `d`. */
  readonly command: string
  /** Role OIDs; 0 is PUBLIC. */
  readonly roles: readonly number[]
  readonly using: string | null
  /** Only with write policies. */
  readonly check?: string | null
  /** `COMMENT ON POLICY`, with write policies. */
  readonly comment?: string | null
}

export interface CheckInfo {
  readonly table: number
  readonly name: string
  /** Referenced columns. */
  readonly columns: readonly string[]
  readonly expression: string
  /** `COMMENT ON CONSTRAINT`. */
  readonly comment: string | null
}

export interface DefaultInfo {
  readonly table: number
  readonly column: string
  /** `null`: a sequence, a type's default, or an unreadable expression. */
  readonly expression: string | null
}

export interface TypeInfo extends TypeStructure {
  readonly oid: number
  /** Schema and name of `pg_type`. */
  readonly schema: string
  readonly name: string
  /** From `format_type`. */
  readonly sql: string
  /** Its array type, or 0. */
  readonly array: number
  /** Of a composite; otherwise 0. */
  readonly relation: number
  readonly inVolatility: string
  readonly outVolatility: string
}

export interface FunctionInfo {
  readonly oid: number
  readonly schema: string
  readonly name: string
  readonly language: string
  /** `pg_proc.prokind`. */
  readonly kind: string
  /** `i`, `s` or `v`. */
  readonly volatility: string
  readonly securityDefiner: boolean
  readonly owner: number
  readonly strict: boolean
  readonly returnsSet: boolean
  readonly returnType: number
  /** From `pg_get_function_result`. */
  readonly result: string
  /** Of input arguments. */
  readonly argTypes: readonly number[]
  /** Of input arguments; empty if unnamed. */
  readonly argNames: readonly string[]
  /** Default expressions of input arguments, as printed by Postgres. */
  readonly argDefaults: readonly (string | null)[]
  /** `OUT` and `TABLE` columns. */
  readonly outColumns: readonly { readonly name: string; readonly typeOid: number }[]
  readonly variadic: boolean
  readonly defaults: number
  /** `SET` clauses as `name=value`. */
  readonly settings: readonly string[]
  /** Qualifier of its arguments in {@link bodies}. */
  readonly bodyName: string
  /** For SQL functions: the statements as resolved and printed by Postgres, by search path; under the empty key if the path makes no difference. */
  readonly bodies: Readonly<Record<string, ResolvedBody>>
  /** For PL/pgSQL functions: the `CREATE` statement. */
  readonly procedure: string | null
  /**
   * For PL/pgSQL functions: the queries as `SELECT`s, resolved and printed by Postgres, by search path as in {@link bodies}. Omits queries that read a variable
   * whose type is unknown before execution.
   */
  readonly queries: Readonly<Record<string, Readonly<Record<string, ResolvedBody>>>>
  /** Changes with its definition. */
  readonly hash: string
  /** OIDs of {@link PolicyInput.roles} that may execute it, if they can name it. */
  readonly executableBy: readonly number[]
}

export type ResolvedBody =
  | { readonly text: string }
  /** Why Postgres cannot resolve it. */
  | { readonly error: string }

export interface OperatorInfo {
  readonly schema: string
  readonly name: string
  /** 0 for a prefix operator. */
  readonly left: number
  readonly right: number
  readonly result: number
  readonly volatility: string
  /** Underlying function. */
  readonly code: { readonly schema: string; readonly name: string }
}

export interface CastInfo {
  readonly source: number
  readonly target: number
  /** Of its function; `i` if there is none. */
  readonly volatility: string
  /** Its function is built in, or there is none. */
  readonly system: boolean
  /** Underlying project function in SQL or PL/pgSQL. */
  readonly code: { readonly schema: string; readonly name: string } | null
}
