import type { RowKey } from './row-key.ts'
import type { TypeShape } from './type-shape.ts'

/**
 * What the row-level-security policies of a database compile to: which buckets each row belongs to, and which buckets each person may have.
 * Everything that is SQL here was printed by Postgres or rendered from its own parse tree, and is evaluated by Postgres.
 */
export interface SyncPlan {
  /** Changes whenever anything below does. */
  readonly version: string
  readonly tables: readonly TablePlan[]
  /** Declared streams. A table that is named in one is wanted only through such streams; all others are wanted by default. */
  readonly streams: readonly StreamPlan[]
  /** Tables that stay on the server, each with its reason. */
  readonly refused: readonly RefusedTable[]
  /**
   * Functions that have to exist before a key query runs. A key query calls one where a policy goes through a `SECURITY DEFINER` function, whose part
   * has to run with its owner's rights. A superuser creates them; the API roles need `USAGE` on schema `sync`.
   */
  readonly keyFunctions: readonly KeyFunction[]
  /** All tables whose changes must be in the publication: the synced ones and those that key queries depend on. */
  readonly published: readonly TableName[]
  /** Tables are refused because something that they need was locked: it is worth compiling again soon. */
  readonly isPartial?: boolean
}

/** A declared stream. Its rows are those of its tables' {@link BucketDefinition}s that name it. */
export interface StreamPlan {
  readonly name: string
  /** 0 is sent first. */
  readonly priority: number
  /** Whether every device has it that wants the defaults. */
  readonly autoSubscribe: boolean
  /** The synced tables that it selects from. */
  readonly tables: readonly TableName[]
  /** Parameters that are read as another type than text: evaluating `sql`, as the caller of the subscription, fails when the value is none. */
  readonly parameters: readonly { readonly name: string; readonly sql: string }[]
  /** Queries that cannot be followed. */
  readonly refused: readonly { readonly query: string; readonly reason: string }[]
}

export interface KeyFunction {
  /** `sync.key_<hash>`: the hash is over owner and body, so a function of this name never changes. `sync.call_<hash>` calls what its caller cannot name. */
  readonly name: string
  /** Whose rights it runs with; empty for its caller's. */
  readonly owner: string
  /** Who may execute it. */
  readonly roles: readonly string[]
  /** The function of the database whose body it was made of, when that is one. */
  readonly calledBy?: string
  /** Has Postgres parse its body, by creating a temporary function with it; `undefined` when there is none that users wrote. */
  readonly probe: string | undefined
  /** Creates it, or leaves it as it is; each is one statement, to be run by a superuser in order. */
  readonly statements: readonly string[]
}

export interface TableName {
  readonly schema: string
  readonly name: string
  readonly oid: number
}

export interface RefusedTable extends TableName {
  /** The policy that could not be followed, when one is to blame. */
  readonly policy?: string
  /** For the operator: what cannot be followed and why. */
  readonly reason: string
}

export interface PlannedColumn {
  readonly name: string
  readonly typeOid: number
  /** Base type for a domain, else the same as `typeOid`. */
  readonly baseTypeOid: number
  /** As `format_type` prints it. */
  readonly typeName: string
  /** Quoted, where it is another than that of the type. */
  readonly collation?: string
  /** `pg_type.typtype` of the base type: b(ase), e(num), c(omposite), r(ange), m(ultirange). */
  readonly typeKind: string
  /** OID of the element type (base type for domains) when this is an array, else 0. */
  readonly elementOid: number
  readonly shape: TypeShape
  /** Its name on the device. */
  readonly localName: string
}

export interface TablePlan extends TableName {
  /** Name of the table on the device. */
  readonly localName: string
  /** What the rows' ids on the device are made of. */
  readonly key: RowKey
  /** All columns in the order of the table, as the replication stream has them. */
  readonly columns: readonly PlannedColumn[]
  readonly definitions: readonly BucketDefinition[]
}

/**
 * One disjunct of a table's policies, or of the part of them that a stream keeps: the rows it covers, grouped by key. Those of one table with the same
 * {@link BucketDefinition.id} hold the same rows in the same buckets, and differ in who gets them.
 */
export interface BucketDefinition {
  /** The declared stream that it is part of; `undefined`: devices have it by default. */
  readonly stream: string | undefined
  /** Stable over restarts: changes exactly when what the bucket holds would. Short (table, dot, 8 hex digits of a hash). */
  readonly id: string
  /** API roles (`anon`, `authenticated`, …) whose `SELECT` policies contain this disjunct. */
  readonly roles: readonly string[]
  /** Names of the policies that it comes from, permissive ones first. */
  readonly policies: readonly string[]
  /** Columns that those roles may select, in table order: what the row's data holds. */
  readonly columns: readonly string[]
  /**
   * Condition on the row alone, or `undefined` when every row qualifies. Boolean SQL over the table's columns, each written as
   * `r."column"`, so that it can be evaluated over any row source aliased `r`.
   */
  readonly rowFilter: RowExpression | undefined
  /** What groups the rows into buckets; empty: one bucket for the whole definition. */
  readonly keys: readonly KeyExpression[]
  /**
   * The caller's key values, run as the caller under row-level security with the claims set: columns `k0 … kn`, cast to text, distinct, without
   * NULLs. Without keys: exactly one row, no matter which column, when the caller has the bucket, else none.
   */
  readonly keyQuery: string
  /** Set when rows and people are tied by no equality: the keys are the columns that the condition reads, and each combination is asked for. */
  readonly accessClass: AccessClass | undefined
  /** What {@link keyQuery} reads, through nested policies and functions. A change there can change a person's keys. */
  readonly dependencies: readonly Dependency[]
}

/**
 * Rows with equal keys are seen by the same people, whatever the condition is. Which of the combinations that occur a person sees is asked as that
 * person, without reading the table.
 */
export interface AccessClass {
  /**
   * Set when a part of the condition is an equality: the first `keys` of the definition's keys have to be among the rows of `query`, which is like a
   * {@link BucketDefinition.keyQuery}, and only the others are asked for.
   */
  readonly link: { readonly keys: number; readonly query: string } | undefined
  /** Boolean SQL over the key columns of `r`, run as the caller. */
  readonly condition: string
  /**
   * One statement, run as the caller: `$1` are the numbers of the combinations in question (`int[]`), `$2`… their values, one `text[]` for each key that
   * is asked for. Column `number` of its rows are those of the combinations that the caller sees.
   */
  readonly query: string
}

/** An expression over the row, aliased `r`. */
export interface RowExpression {
  readonly sql: string
  /** Set when the expression is just this column (for a filter: a boolean column that must be true). */
  readonly column: string | undefined
  /** The columns it reads. */
  readonly reads: readonly string[]
  /** Of a condition that reads the clock: SQL over `r` for the next moment, from `now()` on, at which it may give another result. */
  readonly next?: string | undefined
}

export interface KeyExpression extends RowExpression {
  /**
   * `value`: one key per row (NULL: the row is in no bucket); `elements`: an array, one key per distinct non-null element; `class`: a column whose
   * text is the key, NULL as well.
   */
  readonly kind: 'value' | 'elements' | 'class'
}

export interface Dependency extends TableName {
  /** Columns that matter: an UPDATE that changes none of them cannot change the keys. */
  readonly columns: readonly string[]
  /** Set when the query reads only rows that have something of the person in one of their columns; otherwise a change may concern everybody. */
  readonly pin: Pin | undefined
  /** Set when the clock is compared with columns: at some moments the keys change without a change of a row. */
  readonly clock?: DependencyClock
}

/** When the clock may change which rows of a table are read. */
export interface DependencyClock {
  /** SQL over a row of the table, `r`, and a moment, `t.after`: the next moment at which a comparison may give another result. Sorted. */
  readonly next: readonly string[]
  /** The type of the pin's column. */
  readonly pinType: string | undefined
}

/**
 * A change of a row concerns only callers for whom the old or new value of `column` equals `claimSql` (text), or is among the `k0` (text) of the rows of
 * `valuesSql`; both run as the caller. Values come from rows: they hold as long as none of the dependencies concerns the caller.
 */
export type Pin =
  | { readonly column: string; readonly claimSql: string }
  | { readonly column: string; readonly valuesSql: string }

/** The values of a pin as one query of one text column, to be run as the caller. */
export function pinValues(pin: Pin): string {
  return 'claimSql' in pin ? `select (${pin.claimSql})::text` : pin.valuesSql
}
