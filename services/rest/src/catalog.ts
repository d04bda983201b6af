/*
 * What the planner needs to know about the database. `@holdfast/postgres` reads it; `catalog-view.ts` turns its catalog into this.
 */

export interface RestColumn {
  readonly name: string
  /** As `format_type` prints it: `character varying(20)`, `jsonb`, `public.mood`. */
  readonly type: string
  /** SQL of what a missing value becomes: the default, or the next value of an identity column's sequence. */
  readonly defaultSql: string | undefined
}

export interface RestRelation {
  readonly schema: string
  readonly name: string
  readonly columns: ReadonlyMap<string, RestColumn>
  /** Columns of the primary key in key order; empty for none. */
  readonly primaryKey: readonly string[]
  readonly insertable: boolean
  readonly updatable: boolean
  readonly deletable: boolean
}

/** One step from a relation to another one over a foreign key, in either direction, or over a table between them. */
export interface RestRelationship {
  readonly cardinality: 'many-to-one' | 'one-to-many' | 'one-to-one' | 'many-to-many'
  /** Name of the foreign key; empty for many-to-many. */
  readonly constraint: string
  readonly from: { readonly schema: string; readonly name: string }
  readonly to: { readonly schema: string; readonly name: string }
  /** Columns of `from`, and those of `to` (or of the junction) that they equal, in the same order. */
  readonly columns: readonly { readonly from: string; readonly to: string }[]
  readonly junction:
    | {
        readonly schema: string
        readonly name: string
        /** The foreign keys of the junction to `from` and to `to`. */
        readonly constraints: readonly [string, string]
        /** Columns of the junction, and those of `to` that they equal. */
        readonly columns: readonly { readonly from: string; readonly to: string }[]
      }
    | undefined
}

export interface RestParameter {
  /** Empty when the function gives it no name. */
  readonly name: string
  readonly type: string
  readonly hasDefault: boolean
  readonly variadic: boolean
}

export interface RestRoutine {
  readonly schema: string
  readonly name: string
  /** Input parameters in order. */
  readonly parameters: readonly RestParameter[]
  readonly volatility: 'immutable' | 'stable' | 'volatile'
  readonly returnsSet: boolean
  /** `composite` covers row types and `OUT`/`TABLE` columns. */
  readonly returns: 'void' | 'scalar' | 'composite'
  /** The relation whose row type is returned, so that results can embed its relationships. */
  readonly returnsRelation: { readonly schema: string; readonly name: string } | undefined
  /** `alter function … set statement_timeout`, which has to be set before the statement that calls it. */
  readonly statementTimeout: string | undefined
}

export interface RestCatalog {
  relation(schema: string, name: string): RestRelation | undefined
  relationNames(schema: string): readonly string[]
  /** Everything that can be embedded in a relation. */
  relationships(schema: string, name: string): readonly RestRelationship[]
  /** All functions of that name. */
  routines(schema: string, name: string): readonly RestRoutine[]
  routineNames(schema: string): readonly string[]
}
