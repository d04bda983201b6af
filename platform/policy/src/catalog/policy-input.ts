import type { TypeStructure, UniqueIndex } from '@holdfast/postgres'

/**
 * What the compiler knows about a database: a plain copy of the parts of its catalog that decide who may see which row. Expressions are text
 * that Postgres printed with only `pg_catalog` on the search path, so that every other name in them is qualified.
 */
export interface PolicyInput {
  /** `server_version_num`. */
  readonly serverVersion: number
  /** Schemas whose tables are to be synced. */
  readonly schemas: readonly string[]
  /** The search path that functions without one of their own run under. */
  readonly searchPath: string
  /** OIDs of the roles that requests run as, `BYPASSRLS` ones left out. */
  readonly apiRoles: readonly number[]
  /** The API roles, the owners of tables and the owners of functions. */
  readonly roles: readonly RoleInfo[]
  /** Every relation outside the system schemas. */
  readonly tables: readonly TableInfo[]
  readonly policies: readonly PolicyInfo[]
  /** CHECK constraints that are in force, by name; only where policies for writing are read. */
  readonly checks?: readonly CheckInfo[]
  /** Values that new rows get, by table and column; only where policies for writing are read. */
  readonly defaults?: readonly DefaultInfo[]
  readonly types: readonly TypeInfo[]
  /** Every function whose name occurs in a policy, or in the body of such a function. */
  readonly functions: readonly FunctionInfo[]
  readonly operators: readonly OperatorInfo[]
  readonly casts: readonly CastInfo[]
  /** Declared streams, by name. */
  readonly streams: readonly StreamInfo[]
}

/** A stream as it was declared. */
export interface StreamInfo {
  readonly name: string
  /** 0 is sent first. */
  readonly priority: number
  readonly autoSubscribe: boolean
  readonly queries: readonly {
    /** As it was written. */
    readonly text: string
    /** Resolved and printed by Postgres as a view's query is, parameters with the types that they are compared with. */
    readonly resolved: ResolvedBody
  }[]
}

export interface RoleInfo {
  readonly oid: number
  readonly name: string
  /** Superuser or `BYPASSRLS`. */
  readonly bypassesRls: boolean
  readonly superuser: boolean
  /** Schemas that it has `USAGE` on. */
  readonly schemas: readonly string[]
  /**
   * Roles whose rights it has, itself included: what decides whether a policy applies to it. Only those that policies of this database name and that own something
   * in it: superusers have the rights of every role of the cluster.
   */
  readonly memberOf: readonly number[]
}

export interface ColumnInfo {
  readonly name: string
  readonly typeOid: number
  /** As `format_type` prints it. */
  readonly typeName: string
  /** Its collation can call different texts equal. */
  readonly nondeterministic: boolean
  /** Where it is another than that of its type. */
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
  /** It has, or is, a child by inheritance. */
  readonly inherits: boolean
  readonly owner: number
  readonly rls: boolean
  readonly forceRls: boolean
  readonly columns: readonly ColumnInfo[]
  readonly uniqueIndexes: readonly UniqueIndex[]
  /** Of a view: its query, and whether it runs with the rights of whoever selects from it. */
  readonly view: { readonly definition: string; readonly securityInvoker: boolean } | null
  /** For each role of {@link PolicyInput.roles}, by OID: the columns it may select. */
  readonly selectable: Readonly<Record<string, readonly string[]>>
}

export interface PolicyInfo {
  readonly table: number
  readonly name: string
  readonly permissive: boolean
  /** `r` or `*`; where policies for writing are read as well, also `a`, `w` and `d`. */
  readonly command: string
  /** Role OIDs; 0 is everybody. */
  readonly roles: readonly number[]
  readonly using: string | null
  /** Only where policies for writing are read. */
  readonly check?: string | null
  /** `COMMENT ON POLICY`, where policies for writing are read. */
  readonly comment?: string | null
}

export interface CheckInfo {
  readonly table: number
  readonly name: string
  /** Columns that it names. */
  readonly columns: readonly string[]
  readonly expression: string
  /** `COMMENT ON CONSTRAINT`. */
  readonly comment: string | null
}

export interface DefaultInfo {
  readonly table: number
  readonly column: string
  /** `null`: a sequence's next value, a default of the type, or one that could not be read. */
  readonly expression: string | null
}

export interface TypeInfo extends TypeStructure {
  readonly oid: number
  /** Schema and name of `pg_type`. */
  readonly schema: string
  readonly name: string
  /** As `format_type` prints it. */
  readonly sql: string
  /** The array type over it, or 0. */
  readonly array: number
  /** Of a composite; else 0. */
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
  /** As `pg_get_function_result` prints it. */
  readonly result: string
  /** Of the input arguments. */
  readonly argTypes: readonly number[]
  /** Of the input arguments; empty where unnamed. */
  readonly argNames: readonly string[]
  /** Of the input arguments: what stands in where a call leaves one out, as Postgres prints it. */
  readonly argDefaults: readonly (string | null)[]
  /** `OUT` and `TABLE` columns. */
  readonly outColumns: readonly { readonly name: string; readonly typeOid: number }[]
  readonly variadic: boolean
  readonly defaults: number
  /** `SET` clauses, `name=value`. */
  readonly settings: readonly string[]
  /** The name by which {@link bodies} qualify its arguments. */
  readonly bodyName: string
  /**
   * Of a function in SQL: its statements, resolved and printed by Postgres, for each search path that it may run under; under the empty key when that
   * makes no difference.
   */
  readonly bodies: Readonly<Record<string, ResolvedBody>>
  /** Of a function in PL/pgSQL: the statement that creates it. */
  readonly procedure: string | null
  /**
   * Of a function in PL/pgSQL: its queries, each as a `SELECT`, resolved and printed by Postgres, for each search path as in {@link bodies}. A query that is
   * missing reads a variable whose type is not known before it runs.
   */
  readonly queries: Readonly<Record<string, Readonly<Record<string, ResolvedBody>>>>
  /** Changes with its definition. */
  readonly hash: string
  /** OIDs of {@link PolicyInput.roles} that may call it, if they can name it. */
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
  /** The function behind it. */
  readonly code: { readonly schema: string; readonly name: string }
}

export interface CastInfo {
  readonly source: number
  readonly target: number
  /** Of its function; `i` when there is none. */
  readonly volatility: string
  /** Its function is Postgres's own, or there is none. */
  readonly system: boolean
  /** The function behind it, of a project and in SQL or PL/pgSQL. */
  readonly code: { readonly schema: string; readonly name: string } | null
}
