/* The planner's view of the database, built by `catalog-view.ts` from the catalog of `@holdfast/postgres`. */

export interface RestColumn {
  readonly name: string
  /** From `format_type`: `character varying(20)`, `jsonb`, `public.mood`. */
  readonly type: string
  /** Base type without modifiers. */
  readonly baseType: string
  /** SQL for a missing value: the default, or the next value of an identity column's sequence. */
  readonly defaultSql: string | undefined
  /** Quoted names of the functions of a domain representation, if any. */
  readonly representation: RestRepresentation
}

/** @see PostgREST reference, "Domain Representations" */
export interface RestRepresentation {
  /** Converts a value to JSON, for responses. */
  readonly toJson?: string
  /** Converts JSON to a value, for payloads. */
  readonly fromJson?: string
  /** Converts a filter's text to a value. */
  readonly fromText?: string
}

export interface RestRelation {
  readonly schema: string
  readonly name: string
  readonly columns: ReadonlyMap<string, RestColumn>
  /** Primary key columns in key order; for a view, those that are keys of its tables. Empty without a key. */
  readonly primaryKey: readonly string[]
  readonly insertable: boolean
  readonly updatable: boolean
  readonly deletable: boolean
}

/** A step from one relation to another. */
export type RestRelationship = RestKeyRelationship | RestComputedRelationship

/** A step over a foreign key in either direction, or through a junction table. */
export interface RestKeyRelationship {
  readonly kind: 'key'
  readonly cardinality: 'many-to-one' | 'one-to-many' | 'one-to-one' | 'many-to-many'
  /** Name of the foreign key; empty for many-to-many. */
  readonly constraint: string
  readonly from: { readonly schema: string; readonly name: string }
  readonly to: { readonly schema: string; readonly name: string }
  /** Whether `to` is a view, so that neither the foreign key nor its columns name it. */
  readonly toIsView: boolean
  /** Pairs of equal columns of `from` and of `to` (or of the junction). */
  readonly columns: readonly { readonly from: string; readonly to: string }[]
  readonly junction:
    | {
        readonly schema: string
        readonly name: string
        /** Foreign keys of the junction to `from` and `to`. */
        readonly constraints: readonly [string, string]
        /** Pairs of equal columns of the junction and of `to`. */
        readonly columns: readonly { readonly from: string; readonly to: string }[]
      }
    | undefined
}

/** A function that takes a row of `from` and returns rows of `to`. */
export interface RestComputedRelationship {
  readonly kind: 'computed'
  readonly cardinality: 'many-to-one' | 'one-to-many'
  readonly function: { readonly schema: string; readonly name: string }
  readonly from: { readonly schema: string; readonly name: string }
  readonly to: { readonly schema: string; readonly name: string }
}

export interface RestParameter {
  /** Empty for an unnamed parameter. */
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
  /** `alter function … set …`. Some of these must be set before the calling statement. */
  readonly settings: Readonly<Record<string, string>>
}

/** Converts rows to a media type. */
export interface RestMediaHandler {
  /** Of the aggregate; for a function, of the returned domain. */
  readonly schema: string
  readonly name: string
  /** Lowercase: `image/png`, or `*` + `/*` for any. */
  readonly mediaType: string
  /** Whether the result is binary rather than text. */
  readonly binary: boolean
  /** Rows it applies to. `any` stands for every relation; its names are empty. */
  readonly target: { readonly kind: 'relation' | 'routine' | 'any'; readonly schema: string; readonly name: string }
}

export interface RestCatalog {
  relation(schema: string, name: string): RestRelation | undefined
  relationNames(schema: string): readonly string[]
  /** Everything that can be embedded in a relation. Computed relationships replace others with the same name. */
  relationships(schema: string, name: string): readonly RestRelationship[]
  /** All functions with that name. */
  routines(schema: string, name: string): readonly RestRoutine[]
  routineNames(schema: string): readonly string[]
  mediaHandlers(target: RestMediaHandler['target']): readonly RestMediaHandler[]
  /** PostGIS's function that converts a row to GeoJSON. */
  readonly geoJsonFunction: { readonly schema: string; readonly name: string } | undefined
}
