import type { RowKey } from './row-key.ts'
import type { TypeShape } from './type-shape.ts'

/**
 * Compiled row-level-security policies: the buckets of each row, and the buckets each user may have. All SQL was printed by Postgres or rendered from its parse
 * tree, and is evaluated by Postgres.
 */
export interface SyncPlan {
  /** Changes with anything below. */
  readonly version: string
  readonly tables: readonly TablePlan[]
  /** Declared streams. A table named in a stream is synced only through streams, all others by default. */
  readonly streams: readonly StreamPlan[]
  /** Tables that do not sync, each with its reason. */
  readonly refused: readonly RefusedTable[]
  /**
   * Functions required by key queries: parts of policies inside `SECURITY DEFINER` functions must run with their owner's rights. Created by a superuser; the
   * API roles need `USAGE` on schema `sync`.
   */
  readonly keyFunctions: readonly KeyFunction[]
  /** Tables required in the publication: synced ones and dependencies of key queries. */
  readonly published: readonly TableName[]
  /** Some tables were refused because of locks: recompile soon. */
  readonly isPartial?: boolean
}

/** A declared stream. Its rows are those of the {@link BucketDefinition}s that name it. */
export interface StreamPlan {
  readonly name: string
  /** 0 is sent first. */
  readonly priority: number
  /** Whether devices subscribe by default. */
  readonly autoSubscribe: boolean
  /** The synced tables it selects from. */
  readonly tables: readonly TableName[]
  /** Parameters read as other types than text: evaluating `sql` as the caller fails on invalid values. */
  readonly parameters: readonly { readonly name: string; readonly sql: string }[]
  /** Queries that cannot be compiled. */
  readonly refused: readonly { readonly query: string; readonly reason: string }[]
}

export interface KeyFunction {
  /** `sync.key_<hash>`: hash of owner and body, so the function never changes. `sync.call_<hash>` calls a function its caller cannot name. */
  readonly name: string
  /** Role whose rights it uses; empty for the caller's. */
  readonly owner: string
  /** Roles with EXECUTE. */
  readonly roles: readonly string[]
  /** The database function it was derived from, if any. */
  readonly calledBy?: string
  /** Statement that makes Postgres parse its body by creating a temporary function; `undefined` if it contains no user code. */
  readonly probe: string | undefined
  /** Idempotent statements to create it, run by a superuser in order. */
  readonly statements: readonly string[]
}

export interface TableName {
  readonly schema: string
  readonly name: string
  readonly oid: number
}

export interface RefusedTable extends TableName {
  /** The policy at fault, if any. */
  readonly policy?: string
  /** Explains to the operator what cannot be compiled, and why. */
  readonly reason: string
}

export interface PlannedColumn {
  readonly name: string
  readonly typeOid: number
  /** Base type of a domain, otherwise equal to `typeOid`. */
  readonly baseTypeOid: number
  /** From `format_type`. */
  readonly typeName: string
  /** Quoted, if different from the type's. */
  readonly collation?: string
  /** `pg_type.typtype` of the base type: b(ase), e(num), c(omposite), r(ange), m(ultirange). */
  readonly typeKind: string
  /** OID of an array's element type (base type for domains), otherwise 0. */
  readonly elementOid: number
  readonly shape: TypeShape
  /** Name on the device. */
  readonly localName: string
}

export interface TablePlan extends TableName {
  /** Name on the device. */
  readonly localName: string
  /** Columns that form the rows' ids on the device. */
  readonly key: RowKey
  /** All columns in table order, as in the replication stream. */
  readonly columns: readonly PlannedColumn[]
  readonly definitions: readonly BucketDefinition[]
}

/**
 * One disjunct of a table's policies, possibly narrowed by a stream: the rows it covers, grouped by key. Definitions with the same {@link BucketDefinition.id}
 * have the same rows in the same buckets and differ in entitled users.
 */
export interface BucketDefinition {
  /** Its declared stream; `undefined`: synced by default. */
  readonly stream: string | undefined
  /** Stable across restarts; changes exactly when the bucket's content would. Short: table, dot, 8 hex digits of a hash. */
  readonly id: string
  /** API roles (`anon`, `authenticated`, …) whose `SELECT` policies contain this disjunct. */
  readonly roles: readonly string[]
  /** Source policies, permissive ones first. */
  readonly policies: readonly string[]
  /** Columns that these roles may select, in table order: the content of row data. */
  readonly columns: readonly string[]
  /** Condition on the row alone; `undefined` if every row qualifies. Boolean SQL with columns as `r."column"`, for any row source aliased `r`. */
  readonly rowFilter: RowExpression | undefined
  /** Grouping of rows into buckets; empty for a single bucket. */
  readonly keys: readonly KeyExpression[]
  /**
   * The caller's key values, run as the caller under row-level security: columns `k0 … kn`, cast to text, distinct, without NULLs. Without keys: exactly one
   * row if the caller has the bucket, otherwise none.
   */
  readonly keyQuery: string
  /** Set if rows and users are not linked by an equality: the keys are the columns that the condition reads, and each combination is evaluated. */
  readonly accessClass: AccessClass | undefined
  /** What {@link keyQuery} reads, including nested policies and functions. A change there can change a user's keys. */
  readonly dependencies: readonly Dependency[]
}

/**
 * Rows with equal keys are visible to the same users, whatever the condition. The combinations visible to a user are evaluated as that user, without reading
 * the table.
 */
export interface AccessClass {
  /**
   * Set if part of the condition is an equality: the definition's first `keys` keys must be among the rows of `query`, which is like a {@link
   * BucketDefinition.keyQuery}; only the remaining keys are evaluated.
   */
  readonly link: { readonly keys: number; readonly query: string } | undefined
  /** Boolean SQL over the key columns of `r`, run as the caller. */
  readonly condition: string
  /**
   * One statement run as the caller: `$1` is the combination numbers (`int[]`), `$2`… the values, one `text[]` per evaluated key. Returns the `number`s of
   * visible combinations.
   */
  readonly query: string
}

/** An expression over the row, aliased `r`. */
export interface RowExpression {
  readonly sql: string
  /** Set if the expression is only this column (as a filter: a boolean column that must be true). */
  readonly column: string | undefined
  /** Columns it reads. */
  readonly reads: readonly string[]
  /** For conditions on the clock: SQL over `r` for the earliest time from `now()` on at which the result may change. */
  readonly next?: string | undefined
}

export interface KeyExpression extends RowExpression {
  /**
   * `value`: one key per row (NULL: no bucket); `elements`: an array, one key per distinct non-null element; `class`: one key per row, the column's text; NULL is a key too.
   */
  readonly kind: 'value' | 'elements' | 'class'
}

export interface Dependency extends TableName {
  /** Relevant columns: an UPDATE changing none of them cannot change the keys. */
  readonly columns: readonly string[]
  /** Set if the query reads only rows identified by a user's value in a column; otherwise a change may concern everyone. */
  readonly pin: Pin | undefined
  /** Set if columns are compared with the clock: keys may change without a row change. */
  readonly clock?: DependencyClock
}

/** When the clock may change which rows of a table are read. */
export interface DependencyClock {
  /** SQL over a row `r` and a time `t.after`: the next time at which a comparison may change. Sorted. */
  readonly next: readonly string[]
  /** Type of the pin's column. */
  readonly pinType: string | undefined
}

/**
 * A row change concerns only callers for whom the old or new value of `column` equals `claimSql` (text), or is among the `k0` (text) of `valuesSql`; both run
 * as the caller. Queried values hold as long as no dependency concerns the caller.
 */
export type Pin =
  | { readonly column: string; readonly claimSql: string }
  | { readonly column: string; readonly valuesSql: string }

/** The values of a pin as one query of one text column, to be run as the caller. */
export function pinValues(pin: Pin): string {
  return 'claimSql' in pin ? `select (${pin.claimSql})::text` : pin.valuesSql
}
